package task

import "time"

// choice chooses what stands while a sample is taken, where the user has not.
//
// Threads that are stopped one after another stand least: each for its own copy
// only. But one that waits for a processor stops when it has got one, and those
// that were let go of before it compete with it, for whole time slices of the
// kernel's scheduler. Where many threads are ready to run, a round so takes many
// times longer than when all are told to stop at once and none competes. (Of 2
// processors: one after another 0.2 ms of 16 threads of which 3 are ready, 2 to 3
// ms of 32 with 11 ready, 15 to 40 ms of 64 with 41 ready; at once 0.3 to 0.7
// ms.) Where that begins depends on the processors, what else they do, and how
// the target's threads spend their time, so the rounds themselves are measured:
// one after another is given up when every second sample would be missed, and
// tried again now and then.
type choice struct {
	limit time.Duration // of a round of one thread after another
	round time.Duration // how long one takes: a moving average
	left  int           // rounds at once until the next trial
	pause int           // how many rounds at once the last pause had
}

const (
	leastLimit  = 2 * time.Millisecond // a round of 100 idle threads takes less
	firstPause  = 32
	longPause   = 2048
	weight      = 4 // one round counts so much of the average: 1/weight
	outlier     = 3 // and as at most so many limits
	intervalsOf = 2 // the limit is so many intervals
)

func newChoice(interval time.Duration) *choice {
	return &choice{limit: max(intervalsOf*interval, leastLimit)}
}

// next returns how the next sample is to be taken.
func (c *choice) next() Suspension {
	if c.left == 0 {
		return SuspendThread
	}
	if c.left--; c.left == 0 { // the next round is a trial: if it is slow, it is the last
		c.round = c.limit * (weight - 1) / weight
	}
	return SuspendTask
}

// took tells how long a round of one thread after another took.
func (c *choice) took(d time.Duration) {
	c.round += (min(d, outlier*c.limit) - c.round) / weight
	switch {
	case c.round > c.limit:
		c.pause = min(max(2*c.pause, firstPause), longPause)
		c.left = c.pause
	case c.round < c.limit/2:
		c.pause = 0
	}
}
