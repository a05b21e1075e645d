package task

import "time"

// choice chooses whether threads are stopped one after another or all at once, where the user
// has not.
//
// One after another stops each thread for its own copy alone, the shortest time. But a thread
// that waits for a processor stops only when it gets one, and the threads that were released
// before it compete with it, for whole time slices of the kernel's scheduler. Where many
// threads are ready to run, a round then takes many times longer than when all are ordered to
// stop at once and none competes. On 2 processors: one after another 0.2 ms for 16 threads with
// 3 ready, 2 to 3 ms for 32 with 11 ready, 15 to 40 ms for 64 with 41 ready; at once 0.3 to
// 0.7 ms.
//
// All are stopped at once if two things are true. So many threads are ready that they, and not
// others' work, keep the processors: with fewer, all at once would take as long. And rounds are
// too slow: every second sample would be missed. One after another is then tried again now and
// then. All at once is given up if the target would be stopped for too much of its time, as
// missed samples hurt nobody: where the interval is short, or where others' work keeps the
// processors, since all are stopped until the last has got one.
type choice struct {
	many  float64       // threads that are ready: more of them make rounds slow
	ready float64       // how many there are: a moving average
	limit time.Duration // of a round of one thread after another
	round time.Duration // how long one takes: a moving average
	left  int           // rounds at once until the next trial
	pause int           // how many rounds at once the last pause had
	stop  time.Duration // of all at once: a moving average
	most  time.Duration // of such a stop
	bar   int           // rounds until all may be stopped at once again
}

const (
	readyEach   = 2                    // of threads for each processor
	leastLimit  = 2 * time.Millisecond // a round of 100 idle threads takes less
	intervalsOf = 2                    // the limit is so many intervals
	stopShare   = 4                    // all are stopped for one part in so many of the time at most
	firstPause  = 32
	longPause   = 2048
	weight      = 4 // one round counts so much of the average: 1/weight
	outlier     = 3 // and as at most so many limits
)

func newChoice(interval time.Duration, processors int) *choice {
	c := &choice{many: float64(readyEach * processors), limit: max(intervalsOf*interval, leastLimit)}
	if c.most = interval / stopShare; interval == 0 { // as fast as it goes
		c.most = c.limit * (stopShare - 1) / stopShare
	}
	return c
}

// next returns how the next sample is to be taken. Ready is the number of threads to capture that
// are ready to run.
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

// took adds the time that a round of one thread after another took.
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

// addStop adds the time that a stop of all at once took.
func (c *choice) addStop(d time.Duration) {
	if c.stop += (min(d, outlier*c.limit) - c.stop) / weight; c.stop > c.most {
		c.left, c.bar = 0, longPause
	}
}
