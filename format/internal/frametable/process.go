package frametable

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// The first and last years that nanoseconds since 1970 represent completely, in 64 bits.
const (
	MinNanoYear = 1678
	MaxNanoYear = 2261
)

// OnlyState returns the state that a thread had in all samples; false if there were
// several.
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

// OtherThreads is the label of all threads whose names do not become labels.
const OtherThreads = "other"
