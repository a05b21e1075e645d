package hang

import (
	"time"

	"stacksnap/format/profile/waits"
)

// The lines to report about a stopped target.
const (
	targetStopped = "the target is stopped, by a signal or a debugger: until it goes on there is nothing to watch"
	targetGoesOn  = "the target goes on"
)

// stopState tracks whether the thread is stopped. Short stops are not reported, as another
// program that takes snapshots causes them.
type stopState struct {
	since    time.Duration // time of the first observation that found it stopped
	stopped  bool
	reported bool // the stop was reported
}

// see records an observation, and returns the line to report, empty if there is none.
func (h *stopState) see(s Observation, threshold time.Duration) string {
	switch {
	case s.Wait != waits.Stopped:
		told := h.reported
		*h = stopState{}
		if told {
			return targetGoesOn
		}
	case !h.stopped:
		h.since, h.stopped = s.At, true
	case !h.reported && s.At-h.since >= threshold:
		h.reported = true
		return targetStopped
	}
	return ""
}
