package hang

import (
	"fmt"
	"time"

	"stacksnap/format/profile/waits"
)

// veryLong is by how much a gap must exceed the threshold, at least, to be reported at once.
const veryLong = time.Second

// Coverage says how long a watch did not see the thread: a hang in such a gap is missed.
type Coverage struct {
	Unseen time.Duration // in gaps between two observations that are longer than the threshold
	Gaps   int
}

// coverage finds the gaps. A blind observation does not end one.
type coverage struct {
	Coverage
	last Observation
	seen bool
}

// see takes an observation into account, and returns a line about the gap that it ends, empty
// where there is none worth it. A thread that has not run since the last observation was where
// it is, and of one that is stuck nothing is missed.
func (c *coverage) see(s Observation, stuck bool, threshold time.Duration) string {
	if s.Blind {
		return ""
	}
	gap := s.At - c.last.At
	known := !c.seen || stuck || gap <= threshold || c.hasNotRun(s)
	c.last, c.seen = s, true
	if known {
		return ""
	}
	c.Unseen += gap
	c.Gaps++
	if gap < threshold+veryLong {
		return ""
	}
	return fmt.Sprintf("the target could not be looked at for %v: hangs in this time are not known", gap.Round(veryLong/10))
}

// hasNotRun reports whether the thread is in the wait in which it was observed last.
func (c *coverage) hasNotRun(s Observation) bool {
	a, b := c.last.Counters, s.Counters
	if s.Wait == waits.None || c.last.Wait == waits.None || !s.Steady || !c.last.Steady {
		return false
	}
	if a.HasSleeps && b.HasSleeps {
		return a.Sleeps == b.Sleeps
	}
	return a.CPU > 0 && a.CPU == s.Before
}

// end takes the end of the watch into account: nothing was seen since the last observation.
func (c *coverage) end(now, threshold time.Duration) {
	if gap := now - c.last.At; c.seen && threshold > 0 && gap > threshold {
		c.Unseen += gap
		c.Gaps++
	}
}
