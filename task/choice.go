package task

import "time"

// choice chooses what stands while a sample is taken, where the user has not.
//
// Threads that are stopped one after another stand least: each for its own copy
// only. But one that waits for a processor stops when it has got one, and those
// that were let go of before it compete with it, for whole time slices of the
// kernel's scheduler. Where many threads are ready to run, a round so takes many
// times longer than when all are told to stop at once and none competes. Of 2
// processors: one after another 0.2 ms of 16 threads of which 3 are ready, 2 to 3
// ms of 32 with 11 ready, 15 to 40 ms of 64 with 41 ready; at once 0.3 to 0.7 ms.
//
// Two things must come together for all to be stopped at once. So many threads
// are ready that they, and not others' work, keep the processors: with fewer,
// all at once would take as long. And the rounds themselves are too slow: every
// second sample would be missed. Then one after another is tried again now and
// then. And all at once is given up where the target would stand for too much of
// its time: samples that are missed hurt nobody. It is long where the interval is
// short, or others' work keeps the processors, for all stand until the last has
// got one.
type choice struct {
	crowd float64       // of threads that are ready: more than this are many
	ready float64       // how many there are: a moving average
	limit time.Duration // of a round of one thread after another
	round time.Duration // how long one takes: a moving average
	left  int           // rounds at once until the next trial
	pause int           // how many rounds at once the last pause had
	stop  time.Duration // how long all stand at once: a moving average
	most  time.Duration // and how long they may
	bar   int           // rounds until all may be stopped at once again
}

const (
	crowdEach   = 2                    // of threads for each processor
	leastLimit  = 2 * time.Millisecond // a round of 100 idle threads takes less
	intervalsOf = 2                    // the limit is so many intervals
	standShare  = 4                    // all stand for one part in so many of the time at most
	firstPause  = 32
	longPause   = 2048
	weight      = 4 // one round counts so much of the average: 1/weight
	outlier     = 3 // and as at most so many limits
)

func newChoice(interval time.Duration, processors int) *choice {
	c := &choice{crowd: float64(crowdEach * processors), limit: max(intervalsOf*interval, leastLimit)}
	if c.most = interval / standShare; interval == 0 { // as fast as it goes
		c.most = c.limit * (standShare - 1) / standShare
	}
	return c
}

// next returns how the next sample is to be taken, of which so many threads are
// ready to run.
func (c *choice) next(ready int) Suspension {
	c.ready += (float64(ready) - c.ready) / weight
	if c.left == 0 {
		return SuspendThread
	}
	if c.left--; c.ready < c.crowd/2 {
		c.left = 0
	}
	if c.left == 0 { // the next round is a trial: if it is slow, it is the last
		c.round = c.limit * (weight - 1) / weight
	}
	return SuspendTogether
}

// took tells how long a round of one thread after another took.
func (c *choice) took(d time.Duration) {
	c.round += (min(d, outlier*c.limit) - c.round) / weight
	switch {
	case c.bar > 0:
		c.bar--
	case c.round > c.limit && c.ready > c.crowd:
		c.pause = min(max(2*c.pause, firstPause), longPause)
		c.left, c.stop = c.pause, 0
	case c.round < c.limit/2:
		c.pause = 0
	}
}

// addStop reports how long a stop of all at once took.
func (c *choice) addStop(d time.Duration) {
	if c.stop += (min(d, outlier*c.limit) - c.stop) / weight; c.stop > c.most {
		c.left, c.bar = 0, longPause
	}
}
