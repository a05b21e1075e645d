package hang

import (
	"time"

	"stacksnap/format/profile/waits"
)

// The lines that a watch has to say of a target which is stopped.
const (
	targetStopped = "the target is stopped, by a signal or a debugger: until it goes on there is nothing to watch"
	targetGoesOn  = "the target goes on"
)

// stopState is how long the thread has been stopped. Another program that takes
// snapshots stops it for moments, which is nothing to tell.
type stopState struct {
	since   time.Duration // the first of the looks that saw it so
	stopped bool
	told    bool
}

// see takes a look into account, and returns the line there is to tell, if any.
func (h *stopState) see(s Observation, threshold time.Duration) string {
	switch {
	case s.Wait != waits.Stopped:
		told := h.told
		*h = stopState{}
		if told {
			return targetGoesOn
		}
	case !h.stopped:
		h.since, h.stopped = s.At, true
	case !h.told && s.At-h.since >= threshold:
		h.told = true
		return targetStopped
	}
	return ""
}
