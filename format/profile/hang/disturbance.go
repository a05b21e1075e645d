package hang

import (
	"time"

	"stacksnap/format/profile/waits"
)

const (
	// stopShare: of a hang's time the target is stopped for one part in so many at most.
	stopShare = 50
	// mostCredit is how much of the hang before it was found counts for that: the target
	// was not stopped then.
	mostCredit = time.Second
	// mostLate is for how long a thread may wait for a CPU because of a stop.
	mostLate = 100 * time.Millisecond
)

// disturbance is what our samples do to the thread that hangs: it is stopped, and then has to
// wait for a CPU.
type disturbance struct {
	from    time.Duration // since when the share is counted
	stopped time.Duration // since the hang was found
	last    time.Duration // when the last stop was over
	lasts   bool          // the thread was not seen to go on since
}

// newDisturbance is for a hang that began and was found at these times.
func newDisturbance(began, found time.Duration) disturbance {
	return disturbance{from: max(began, found-mostCredit)}
}

// sampled takes a sample into account that was over now, and all stops up to it.
func (d *disturbance) sampled(stopped, now time.Duration) {
	if stopped > d.stopped {
		d.stopped, d.last, d.lasts = stopped, now, true
	}
}

// next returns when the next sample may be taken: an interval after the last, or later
// where stops are long.
func (d *disturbance) next(last, interval time.Duration) time.Duration {
	return max(last+interval, d.from+d.stopped*stopShare)
}

// see reports whether the time that ends with an observation was disturbed. A thread has gone
// on if it has used CPU time since the observation before, or waits for something.
func (d *disturbance) see(s Observation, used time.Duration) bool {
	if !d.lasts {
		return false
	}
	d.lasts = s.Wait == waits.None && used <= 0 && s.At-d.last < mostLate
	return true
}

// spending is how a thread spent a time.
type spending struct {
	whole  time.Duration
	worked time.Duration // running or waiting for a CPU
	ran    time.Duration // on a CPU
}

func (s *spending) add(whole, worked, ran time.Duration) {
	s.whole += whole
	s.worked += worked
	s.ran += ran
}
