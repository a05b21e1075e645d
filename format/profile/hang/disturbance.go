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
	// mostLate is for how long a thread may be late on a processor because of a stop.
	mostLate = 100 * time.Millisecond
)

// disturbance is what the stops of our samples do to the thread that hangs: it stands, and
// has to wait for a processor to go on.
type disturbance struct {
	from    time.Duration // since when the share is counted
	stopped time.Duration // since the hang was found
	last    time.Duration // when the last stop was over
	lasts   bool          // the thread was not seen to go on since
}

// from begins with a hang that began and was found at these times.
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

// see reports whether the time that ends with a look was disturbed. A thread has gone on
// if it has used a processor since the look before, or waits for something.
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
	worked time.Duration // computing or waiting for a processor
	ran    time.Duration // on a processor
}

func (s *spending) add(whole, worked, ran time.Duration) {
	s.whole += whole
	s.worked += worked
	s.ran += ran
}
