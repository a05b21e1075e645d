package task

import "time"

// choice decides whether threads are stopped one after another or all at once, where the user
// has not.
//
// One after another stops each thread for its own copy alone, the shortest time. But a thread
// that waits for a processor stops only when it gets one, and the threads that were released
// before it compete with it, for whole time slices of the kernel's scheduler. Where many threads
// are ready to run, a round then takes many times longer than when all are ordered to stop at
// once and none competes. On 2 processors: one after another 0.2 ms for 16 threads with 3 ready,
// 2 to 3 ms for 32 with 11 ready, 15 to 40 ms for 64 with 41 ready; at once 0.3 to 0.7 ms.
//
// All are stopped at once if two conditions hold. First, so many threads are ready that they,
// and not other processes, keep the processors busy: with fewer, all at once would take as long.
// Second, rounds are so slow that every second sample would be missed. One after another is then
// tried again now and then. All at once is given up if it would stop the target for too much of
// its time, because missed samples hurt nobody: this happens where the interval is short, or
// where other processes keep the processors busy, since all threads stay stopped until the last
// one has got a processor.
type choice struct {
	many  float64       // rounds are slow if more threads than this are ready
	ready float64       // number of ready threads: a moving average
	limit time.Duration // for a round of one thread after another
	round time.Duration // duration of such a round: a moving average
	left  int           // rounds of all at once until the next trial
	pause int           // length of the last pause, in rounds of all at once
	stop  time.Duration // duration of a stop of all at once: a moving average
	most  time.Duration // limit of such a stop
	bar   int           // rounds until all may be stopped at once again
}

const (
	readyEach   = 2                    // threads for each processor
	leastLimit  = 2 * time.Millisecond // a round of 100 idle threads takes less
	intervalsOf = 2                    // the limit of a round, in intervals
	stopShare   = 4                    // all are stopped for at most 1/stopShare of the time
	firstPause  = 32
	longPause   = 2048
	weight      = 4 // one round counts as 1/weight of the average
	outlier     = 3 // and as at most this many limits
)

func newChoice(interval time.Duration, processors int) *choice {
	c := &choice{many: float64(readyEach * processors), limit: max(intervalsOf*interval, leastLimit)}
	if c.most = interval / stopShare; interval == 0 { // as fast as it goes
		c.most = c.limit * (stopShare - 1) / stopShare
	}
	return c
}

// next returns how to take the next sample. ready is the number of threads to capture that are
// ready to run.
func (c *choice) next(ready int) Suspension {
	c.ready += (float64(ready) - c.ready) / weight
	if c.left == 0 {
		return SuspendThread
	}
	if c.left--; c.ready < c.many/2 {
		c.left = 0
	}
	if c.left == 0 { // the next round is a trial: if it is slow, it is the last
		c.round = c.limit * (weight - 1) / weight
	}
	return SuspendTogether
}

// took adds the duration of a round of one thread after another.
func (c *choice) took(d time.Duration) {
	c.round += (min(d, outlier*c.limit) - c.round) / weight
	switch {
	case c.bar > 0:
		c.bar--
	case c.round > c.limit && c.ready > c.many:
		c.pause = min(max(2*c.pause, firstPause), longPause)
		c.left, c.stop = c.pause, 0
	case c.round < c.limit/2:
		c.pause = 0
	}
}

// addStop adds the duration of a stop of all at once.
func (c *choice) addStop(d time.Duration) {
	if c.stop += (min(d, outlier*c.limit) - c.stop) / weight; c.stop > c.most {
		c.left, c.bar = 0, longPause
	}
}
