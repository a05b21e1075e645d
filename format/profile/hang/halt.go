package hang

import "time"

// The lines that a watch has to say of a target which is stopped.
const (
	targetHalted = "the target is stopped, by a signal or a debugger: until it goes on there is nothing to watch"
	targetGoesOn = "the target goes on"
)

// halt is how long the thread has been stopped. Another program that takes
// snapshots stops it for moments, which is nothing to tell.
type halt struct {
	since  time.Duration // the first of the looks that saw it so
	halted bool
	told   bool
}

// see takes a look into account, and returns the line there is to tell, if any.
func (h *halt) see(s Sight, threshold time.Duration) string {
	switch {
	case s.Wait != Halted:
		told := h.told
		*h = halt{}
		if told {
			return targetGoesOn
		}
	case !h.halted:
		h.since, h.halted = s.At, true
	case !h.told && s.At-h.since >= threshold:
		h.told = true
		return targetHalted
	}
	return ""
}
