package task

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// slice is how long a sleep may last until the context is looked at again.
const slice = 50 * time.Millisecond

// ticks gives the moments at which snapshots are due: start + n·interval and,
// within the jitter, a random offset of each. A deadline does not depend on
// when the one before was met, so that they do not drift; those that have gone
// by are left out, so that they are not bunched.
type ticks struct {
	clock    Clock
	interval time.Duration
	jitter   time.Duration
	start    time.Duration
	next     int64 // the number of the tick to wait for
	every    int   // one in so many is met; 0: each
	leftOut  int   // of those missed before the last tick
	asleep   time.Duration
	// detachLate is the process's, see [ThreadStopper]; nil: nothing to do.
	detachLate func() (left int)
}

// nap is a sleep of the system that is too short to count as one: two clocks are
// not read at the same moment.
const nap = 100 * time.Millisecond

func newTicks(c Clock, interval, jitter time.Duration) ticks {
	return ticks{clock: c, interval: interval, jitter: min(jitter, interval), start: c.Now(), asleep: c.Asleep()}
}

// elapsed returns the time since the first tick's own.
func (t *ticks) elapsed() time.Duration { return t.clock.Now() - t.start }

// wait sleeps until the next tick, and returns how many were missed before it.
// It returns false when the context is done, or the tick would come later than
// end after the start (0: never). A tick that is due as the context is done is
// missed.
func (t *ticks) wait(ctx context.Context, end time.Duration) (missed int, ok bool) {
	t.leftOut = t.leaveOut()
	missed = t.leftOut + t.skip(end)
	at := time.Duration(t.next) * t.interval
	if t.interval <= 0 {
		at = t.elapsed()
	}
	if end > 0 && at >= end {
		return missed, false
	}
	if t.jitter > 0 {
		at += rand.N(t.jitter * time.Duration(max(1, t.every)))
	}
	t.next++
	if t.sleep(ctx, at) {
		return missed, true
	}
	if t.interval > 0 && t.elapsed() >= at {
		missed++
	}
	return missed, false
}

// leaveOut leaves out the ticks that are not wanted, and returns their number.
func (t *ticks) leaveOut() int {
	if t.every <= 1 || t.next == 0 {
		return 0
	}
	t.next += int64(t.every - 1)
	return t.every - 1
}

// skip leaves out the ticks whose whole interval has gone by. The clock stops
// while the system sleeps, which is one tick missed however long it is. Where no
// processor was to be had until after the end, the last tick is still met, so that
// there is one snapshot at least.
func (t *ticks) skip(end time.Duration) (missed int) {
	if t.interval <= 0 {
		return 0
	}
	defer func(slept time.Duration) {
		if slept-t.asleep > nap {
			missed++
		}
		t.asleep = slept
	}(t.clock.Asleep())
	now := int64(t.elapsed() / t.interval)
	if t.next == 0 && end > 0 {
		now = min(now, int64((end-1)/t.interval))
	}
	if now > t.next {
		missed = int(now - t.next)
		t.next = now
	}
	return missed
}

func (t *ticks) sleep(ctx context.Context, at time.Duration) bool {
	for ctx.Err() == nil {
		left := at - t.elapsed()
		if left <= 0 {
			return true
		}
		t.clock.SleepUntil(t.start + at - left + min(left, t.slice()))
	}
	return false
}

// slice is how long to sleep at most now.
func (t *ticks) slice() time.Duration {
	if t.detachLate != nil && t.detachLate() > 0 {
		return DetachEvery
	}
	return slice
}

// Ticks yields at the moments at which [Sample] would take its snapshots by the same
// options, Count and Clock among them, and each time how many were missed since the one
// before.
func Ticks(ctx context.Context, o Options) iter.Seq[int] {
	return func(yield func(missed int) bool) {
		c := o.Clock
		if c == nil {
			c = SystemClock()
		}
		t := newTicks(c, o.Interval, o.Jitter)
		for n := 0; o.Count == 0 || n < o.Count; n++ {
			missed, ok := t.wait(ctx, o.Duration)
			if !ok && o.Ended != nil {
				o.Ended(missed)
			}
			if !ok || !yield(missed) {
				return
			}
		}
	}
}

// TicksWithin is [Ticks] for what is to take no more than a share of the time, one part
// in so many: whoever uses it sets *took to how long the last one took, and those that
// would come before that is made up for are missed. Count is of those that come.
func TicksWithin(ctx context.Context, o Options, share int, took *time.Duration) iter.Seq[int] {
	if o.Clock == nil {
		o.Clock = SystemClock()
	}
	count, ended, missed := o.Count, o.Ended, 0
	o.Count = 0
	o.Ended = func(n int) {
		if ended != nil {
			ended(missed + n)
		}
	}
	return func(yield func(missed int) bool) {
		var rest time.Duration // until when none comes
		given := 0
		for n := range Ticks(ctx, o) {
			if missed += n; o.Clock.Now() < rest {
				missed++
				continue
			}
			given++
			if !yield(missed) || given == count {
				return
			}
			missed, rest = 0, o.Clock.Now()+time.Duration(share-1)**took
		}
	}
}
