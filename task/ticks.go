package task

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// slice is how long a sleep may last until the context is checked again.
const slice = 50 * time.Millisecond

// ticks computes the moments at which snapshots are due: start + n·interval, plus a random
// offset within the jitter for each. Deadlines do not depend on when the previous one was met,
// so they do not drift. Deadlines that have passed are skipped, so that snapshots do not bunch.
type ticks struct {
	clock    Clock
	interval time.Duration
	jitter   time.Duration
	start    time.Duration
	next     int64 // the number of the tick to wait for
	every    int   // one of so many ticks is used; 0: each
	leftOut  int   // the ticks before the last one that were skipped because of every
	asleep   time.Duration
	// detachLate is [ThreadStopper].DetachLate; nil: nothing to do.
	detachLate func() (left int)
}

// nap is the longest sleep of the system that is ignored: it is the difference of two clocks,
// which are not read at the same moment.
const nap = 100 * time.Millisecond

func newTicks(c Clock, interval, jitter time.Duration) ticks {
	return ticks{clock: c, interval: interval, jitter: min(jitter, interval), start: c.Now(), asleep: c.Asleep()}
}

// elapsed returns the time since the first tick.
func (t *ticks) elapsed() time.Duration { return t.clock.Now() - t.start }

// wait sleeps until the next tick, and returns how many were missed before it. It returns false
// when the context is done, or when the tick would be at end or later, counted from the start
// (0: never). A tick that is due when the context is done counts as missed.
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

// leaveOut skips the ticks that every leaves out, and returns their number.
func (t *ticks) leaveOut() int {
	if t.every <= 1 || t.next == 0 {
		return 0
	}
	t.next += int64(t.every - 1)
	return t.every - 1
}

// skip skips the ticks whose whole interval has passed, and returns their number. The clock
// stops while the system sleeps; a sleep counts as one missed tick, however long it is. If no
// processor was available until after the end, the last tick is still used, so that there is at
// least one snapshot.
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

// slice returns how long to sleep at most now.
func (t *ticks) slice() time.Duration {
	if t.detachLate != nil && t.detachLate() > 0 {
		return DetachEvery
	}
	return slice
}

// Ticks yields at the moments at which [Sample] would take its snapshots with the same options,
// including Count and Clock. It yields the number of ticks that were missed since the previous
// one.
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

// TicksWithin is [Ticks] for work that may take at most one part in share of the time. The
// caller sets *took to how long the work took after each tick. Ticks that come before that is
// made up for count as missed. Count applies to the ticks that are yielded.
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
		var rest time.Duration // no tick is yielded before this time
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
