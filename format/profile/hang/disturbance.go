package hang

import (
	"time"

	"stacksnap/format/profile/waits"
)

const (
	// stopShare bounds the stops during a hang: the target is stopped for at most
	// 1/stopShare of the time.
	stopShare = 50
	// mostCredit is the most time of the hang before it was found that counts for
	// stopShare. The target was not stopped then.
	mostCredit = time.Second
	// mostLate is the longest time for which a thread may wait for a CPU because of a stop.
	mostLate = 100 * time.Millisecond
)

// disturbance is the effect of our samples on the thread that hangs: it is stopped, and
// then waits for a CPU.
type disturbance struct {
	from    time.Duration // start of the time for stopShare
	stopped time.Duration // stop time since the hang was found
	last    time.Duration // end of the last stop
	lasts   bool          // no observation has shown the thread run since then
}

// newDisturbance returns the disturbance of a hang that began and was found at these times.
func newDisturbance(began, found time.Duration) disturbance {
	return disturbance{from: max(began, found-mostCredit)}
}

// sampled records a sample that has ended now. stopped is the total stop time.
func (d *disturbance) sampled(stopped, now time.Duration) {
	if stopped > d.stopped {
		d.stopped, d.last, d.lasts = stopped, now, true
	}
}

// next returns the time of the next sample: an interval after the last one, or later if
// stops are long.
func (d *disturbance) next(last, interval time.Duration) time.Duration {
	return max(last+interval, d.from+d.stopped*stopShare)
}

// see reports whether a stop disturbed the time before an observation. The disturbance ends
// when the thread has used CPU time, or waits.
func (d *disturbance) see(s Observation, used time.Duration) bool {
	if !d.lasts {
		return false
	}
	d.lasts = s.Wait == waits.None && used <= 0 && s.At-d.last < mostLate
	return true
}

// spending is how a thread spent a period.
type spending struct {
	whole  time.Duration
	worked time.Duration // running, or waiting for a CPU
	ran    time.Duration // time on a CPU
}

func (s *spending) add(whole, worked, ran time.Duration) {
	s.whole += whole
	s.worked += worked
	s.ran += ran
}
