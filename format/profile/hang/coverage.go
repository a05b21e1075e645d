package hang

import (
	"fmt"
	"time"

	"stacksnap/format/profile/waits"
)

// veryLong is the excess over the threshold from which on a gap is reported at once.
const veryLong = time.Second

// Coverage is the time for which a watch did not observe the thread. A hang in such a gap
// is missed.
type Coverage struct {
	Unseen time.Duration // sum of the gaps between observations that are longer than the threshold
	Gaps   int
	Movement
}

// coverage finds the gaps. A blind observation does not end a gap.
type coverage struct {
	Coverage
	last Observation
	seen bool
}

// see records an observation. It returns a line about the gap that it ends, if that is very
// long. There is no gap if the thread is stuck, or has not run since the last observation.
func (c *coverage) see(s Observation, stuck bool, threshold time.Duration) string {
	if s.Blind {
		return ""
	}
	gap := s.At - c.last.At
	known := !c.seen || stuck || gap <= threshold || notRun(c.last, s)
	c.last, c.seen = s, true
	if known {
		return ""
	}
	c.Unseen += gap
	c.Gaps++
	if gap < threshold+veryLong {
		return ""
	}
	return fmt.Sprintf("the target could not be observed for %v: hangs in this time are not known", gap.Round(veryLong/10))
}

// notRun reports whether the thread is in the wait in which it was observed before.
func notRun(before, s Observation) bool {
	a, b := before.Counters, s.Counters
	if s.Wait == waits.None || before.Wait == waits.None || !s.Steady || !before.Steady {
		return false
	}
	if a.HasSleeps && b.HasSleeps {
		return a.Sleeps == b.Sleeps
	}
	return a.CPU > 0 && a.CPU == s.Before
}

// end records the end of the watch, which may end a gap.
func (c *coverage) end(now, threshold time.Duration) {
	if gap := now - c.last.At; c.seen && threshold > 0 && gap > threshold {
		c.Unseen += gap
		c.Gaps++
	}
}
