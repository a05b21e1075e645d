package hang

import (
	"time"

	"stacksnap/format/profile/waits"
)

// The lines that a watch reports of a target which is stopped.
const (
	targetStopped = "the target is stopped, by a signal or a debugger: until it goes on there is nothing to watch"
	targetGoesOn  = "the target goes on"
)

// stopState is how long the thread has been stopped. Another program that takes
// snapshots stops it for moments, which is not reported.
type stopState struct {
	since   time.Duration // the first observation that found it so
	stopped bool
	told    bool // it was reported
}

// see takes an observation into account, and returns the line to report, empty where there is none.
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
