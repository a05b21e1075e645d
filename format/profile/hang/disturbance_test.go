package hang

import (
	"testing"
	"time"

	"stacksnap/format/profile/hangreport"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// TestStopShare: however long the stops are, the target is stopped for one part in
// stopShare of the hang at most, but for the last stop.
func TestStopShare(t *testing.T) {
	for _, tt := range []struct {
		began, stop time.Duration
		least       int // samples in ten seconds
	}{
		{9 * time.Second, 50 * time.Microsecond, 990},
		{9 * time.Second, 200 * time.Microsecond, 980},
		{9 * time.Second, 5 * ms, 40},
		{9 * time.Second, 600 * ms, 1},
		{0, 5 * ms, 40}, // of what was long before nothing is saved up
	} {
		const found, interval = 10 * time.Second, 10 * ms
		d := newDisturbance(tt.began, found)
		var stopped time.Duration
		samples := 0
		for now := found; now < 2*found; samples++ {
			sampled := now
			stopped, now = stopped+tt.stop, now+tt.stop
			d.sampled(stopped, now)
			now = max(now, d.next(sampled, interval))
		}
		whole := found + mostCredit
		if samples < tt.least || (stopped-tt.stop)*stopShare > whole {
			t.Errorf("stops of %v: %d samples, stopped for %v of %v", tt.stop, samples, stopped, whole)
		}
	}
}

func TestSharesAreCountedFromTheHang(t *testing.T) {
	if d := newDisturbance(9900*ms, 10*time.Second); d.from != 9900*ms {
		t.Error(d.from)
	}
	if d := newDisturbance(time.Second, 10*time.Second); d.from != 9*time.Second {
		t.Error(d.from)
	}
}

// worker is a thread that always has something to do.
type worker struct {
	h        hanging
	at       time.Duration
	counters task.Counters
}

// pass lets time pass of which the thread had a processor for a part.
func (w *worker) pass(d, ran time.Duration) {
	w.at += d
	w.counters.CPU += ran
	w.counters.Queued += d - ran
	w.h.see(Observation{At: w.at, Counters: w.counters, Steady: true})
}

// newWorker is one that has been found after a second, for which it had a part of a processor.
func newWorker(ran time.Duration) *worker {
	w := &worker{at: time.Second, counters: task.Counters{CPU: ran, Queued: time.Second - ran}}
	w.h.now, w.h.observed = w.counters, w.at
	w.h.spent.add(time.Second, time.Second, ran)
	w.h.stops = newDisturbance(0, w.at)
	return w
}

// TestOwnShareIsTakenOut: that a thread waits for a processor since we stopped it is not
// the scheduler's fault; that it waits without our doing is.
func TestOwnShareIsTakenOut(t *testing.T) {
	for name, tt := range map[string]struct {
		before, disturbed, clean time.Duration // on a processor: in the second before, and of 5 ms
		want                     hangreport.Kind
	}{
		"it runs, but for our stops": {time.Second, 0, 5 * ms, hangreport.Busy},
		"it never has a processor":   {100 * ms, 0, 0, hangreport.Starved},
		"it seldom has one":          {100 * ms, ms / 2, ms / 2, hangreport.Starved},
		"it runs":                    {900 * ms, 5 * ms, 5 * ms, hangreport.Busy},
	} {
		w := newWorker(tt.before)
		var stopped time.Duration
		for range 1000 {
			stopped += 3 * ms
			w.h.stops.sampled(stopped, w.at+3*ms)
			w.pass(25*ms, tt.disturbed) // stopped, and late
			w.pass(5*ms, tt.clean)      // it goes on
			w.pass(5*ms, tt.clean)
		}
		if got := w.h.kind(); got != tt.want {
			t.Errorf("%s: %v, want %v: %+v", name, got, tt.want, w.h.spent)
		}
	}
}

// TestBlockedBetweenStops: a thread that waits is back in its wait soon, and that it is
// made to run by each stop does not count.
func TestBlockedBetweenStops(t *testing.T) {
	h := hanging{observed: time.Second, now: task.Counters{CPU: ms}}
	h.spent.add(time.Second, 0, 0)
	counters, at, stopped := h.now, h.observed, time.Duration(0)
	for range 1000 {
		stopped += ms
		h.stops.sampled(stopped, at+ms)
		for _, wait := range []waits.Kind{waits.None, waits.Lock, waits.Lock} {
			at += 3 * ms
			h.see(Observation{At: at, Wait: wait, Counters: counters, Steady: true})
		}
	}
	if got := h.kind(); got != hangreport.Blocked || h.spent.worked != 0 {
		t.Errorf("%v: %+v", got, h.spent)
	}
}

// TestLateForLong: a thread that a processor was not given long after a stop is late for
// another reason.
func TestLateForLong(t *testing.T) {
	w := newWorker(time.Second)
	w.h.stops.sampled(ms, w.at)
	for range 200 {
		w.pass(50*ms, 0)
	}
	if got := w.h.kind(); got != hangreport.Starved {
		t.Errorf("%v: %+v", got, w.h.spent)
	}
}
