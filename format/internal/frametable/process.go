package frametable

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// The years whose moments are a number of nanoseconds since 1970, all of them.
const (
	MinNanoYear = 1678
	MaxNanoYear = 2261
)

// OnlyState is the state in which a thread was in all samples.
func OnlyState(t *profile.Thread) (task.State, bool) {
	if t.Samples <= 1 {
		return t.State, t.State > task.StateUnknown && t.State <= task.Ended
	}
	for state, n := range t.States[task.StateUnknown+1:] {
		if n == t.Samples {
			return task.StateUnknown + 1 + task.State(state), true
		}
	}
	return task.StateUnknown, false
}

// OtherThreads stands for the names of all further threads.
const OtherThreads = "other"
