package task

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// fakeClock goes on only when it is slept by, or told.
type fakeClock struct {
	now, asleep time.Duration
	late        time.Duration // by which each sleep ends too late
}

func (c *fakeClock) Now() time.Duration         { return c.now }
func (c *fakeClock) SleepUntil(t time.Duration) { c.now = max(c.now, t) + c.late }
func (c *fakeClock) Asleep() time.Duration      { return c.asleep }
func sampledProcess() *fakeProcess {
	return &fakeProcess{before: []ThreadID{1, 2}, during: []ThreadID{1, 2}, stackSize: 100}
}
func (c *fakeClock) options(o Options) (with Options) { o.Clock = c; return o }

// times samples and returns when each snapshot was taken, and what was missed
// before it; work is done after each.
func times(t *testing.T, c *fakeClock, o Options, work func(n int)) (at []time.Duration, missed []int) {
	t.Helper()
	for s, err := range Sample(context.Background(), sampledProcess(), c.options(o)) {
		if err != nil {
			t.Fatal(err)
		}
		at, missed = append(at, c.now), append(missed, s.MissedTicks)
		work(len(at))
	}
	return at, missed
}

func TestTicksDoNotDrift(t *testing.T) {
	c := &fakeClock{late: 300 * time.Microsecond}
	at, missed := times(t, c, Options{Interval: time.Millisecond, Duration: 50 * time.Millisecond}, func(int) { c.now += 500 * time.Microsecond })
	if len(at) != 50 || at[49] > 49*time.Millisecond+c.late {
		t.Errorf("%d snapshots, the last at %v", len(at), at[len(at)-1])
	}
	if slices.Max(missed) > 0 {
		t.Errorf("missed %v", missed)
	}
}

func TestMissedTicksAreCountedAndNotBunched(t *testing.T) {
	c := &fakeClock{}
	at, missed := times(t, c, Options{Interval: time.Millisecond, Count: 6}, func(n int) {
		switch n {
		case 2:
			c.now += 10*time.Millisecond + 400*time.Microsecond
		case 4:
			c.asleep += time.Hour // the clock stands meanwhile
		}
	})
	if want := []int{0, 0, 9, 0, 1, 0}; !slices.Equal(missed, want) {
		t.Errorf("missed %v, want %v", missed, want)
	}
	if want := 14 * time.Millisecond; at[5] != want {
		t.Errorf("taken at %v, the last should be at %v", at, want)
	}
}

// startingClock is a clock that jumps when the sampling has begun.
type startingClock struct {
	fakeClock
	by time.Duration
}

func (c *startingClock) Now() time.Duration {
	defer func() { c.now, c.by = c.now+c.by, 0 }()
	return c.now
}

// TestOneSnapshotAtLeast is taken, though no processor was to be had until the time
// was over; and the others are missed.
func TestOneSnapshotAtLeast(t *testing.T) {
	for by, wantMissed := range map[time.Duration]int{0: 0, 30 * time.Millisecond: 30, 50 * time.Millisecond: 49, time.Hour: 49} {
		c := &startingClock{by: by}
		n, missed := 0, 0
		o := Options{Interval: time.Millisecond, Duration: 50 * time.Millisecond, Clock: c}
		for s, err := range Sample(context.Background(), sampledProcess(), o) {
			if err != nil {
				t.Fatal(err)
			}
			n, missed = n+1, missed+s.MissedTicks
		}
		if n != 50-wantMissed || missed != wantMissed {
			t.Errorf("late by %v: %d snapshots, %d missed, want %d missed of 50", by, n, missed, wantMissed)
		}
	}
}

func TestJitterStaysInItsInterval(t *testing.T) {
	c := &fakeClock{}
	at, _ := times(t, c, Options{Interval: time.Millisecond, Jitter: time.Millisecond, Count: 1000}, func(int) {})
	var sum time.Duration
	for i, a := range at {
		offset := a - time.Duration(i)*time.Millisecond
		if offset < 0 || offset >= time.Millisecond {
			t.Fatalf("snapshot %d is off by %v", i, offset)
		}
		sum += offset
	}
	if mean := sum / 1000; mean < 400*time.Microsecond || mean > 600*time.Microsecond {
		t.Errorf("mean offset %v", mean)
	}
}

func TestSampleEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, n := sampledProcess(), 0
	for range Sample(ctx, p, (&fakeClock{}).options(Options{Interval: time.Second})) {
		if n++; n == 3 {
			cancel()
		}
	}
	if n != 3 || p.stopped {
		t.Errorf("%d snapshots, stopped %v", n, p.stopped)
	}
}

func TestSampleEndsWithItsTarget(t *testing.T) {
	p, n := sampledProcess(), 0
	exited := &ExitedError{PID: 1}
	var last error
	for _, err := range Sample(context.Background(), p, (&fakeClock{}).options(Options{Interval: time.Second})) {
		last = err
		if n++; n == 3 {
			p.failSuspend = exited
		}
	}
	if n != 4 || !errors.Is(last, exited) {
		t.Errorf("%d snapshots, then %v", n, last)
	}
}

// lateProcess has a thread that stops too late for its first snapshot.
type lateProcess struct {
	*fakeProcess
	unable
	settle func() (left int)
}

func (p lateProcess) Capabilities() Capabilities { return Capabilities{Stopper: p} }
func (p lateProcess) CanStop(how Suspension) error {
	if how == SuspendTask {
		return nil
	}
	return ErrSuspendNone
}
func (p lateProcess) DetachLate() (left int) { return p.settle() }
func (p lateProcess) CaptureThreads(Suspension, StopOptions, []ThreadID, func(int), func(int, time.Duration, error)) error {
	return ErrSuspendNone
}

// TestLateThreadsAreLetGo: a thread that stopped too late is let go of soon,
// however far the next snapshot is.
func TestLateThreadsAreLetGo(t *testing.T) {
	var c fakeClock
	var asked []time.Duration
	p := lateProcess{fakeProcess: &fakeProcess{before: []ThreadID{1}, during: []ThreadID{1}, stackSize: 8}, settle: func() int {
		if c.now > 0 {
			asked = append(asked, c.now)
		}
		return max(0, 3-len(asked))
	}}
	for _, err := range Sample(context.Background(), p, c.options(Options{Interval: time.Second, Count: 2, Duration: time.Hour})) {
		if err != nil {
			t.Fatal(err)
		}
		c.now++ // the first snapshot is taken
	}
	for i := range 3 {
		if want := time.Duration(i)*DetachEvery + 1; i >= len(asked) || asked[i] != want {
			t.Fatalf("asked at %v", asked)
		}
	}
}

func TestUnchangedThreadsAreTheSame(t *testing.T) {
	p := sampledProcess()
	n := 0
	for s, err := range Sample(context.Background(), p, (&fakeClock{}).options(Options{Interval: time.Second, Count: 4})) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		for i := range s.Threads {
			if th := &s.Threads[i]; th.Same != (n == 2 || n == 4) || len(th.Stacks) != 1 || len(th.Stacks[0].Bytes) != p.stackSize {
				t.Errorf("snapshot %d, thread %d: same %v, %d stacks", n, th.ID, th.Same, len(th.Stacks))
			}
		}
		if n == 2 {
			p.stackSize++
		}
	}
}

func TestOnlyWantedThreadsAreGiven(t *testing.T) {
	p := sampledProcess()
	p.during = []ThreadID{1, 2, 3}
	o := Options{Interval: time.Second, Count: 2, Threads: func(t *Thread) bool { return t.ID != 1 }}
	for s, err := range Sample(context.Background(), p, (&fakeClock{}).options(o)) {
		if err != nil || slices.Contains(ids(s), 1) || !slices.Contains(ids(s), 2) {
			t.Errorf("threads %v, %v", ids(s), err)
		}
	}
}

func TestOtherSuspensionsNeedAProcessThatCan(t *testing.T) {
	for _, how := range []Suspension{SuspendThread, SuspendNone} {
		for _, err := range Sample(context.Background(), sampledProcess(), Options{Suspend: how}) {
			if !errors.Is(err, ErrSuspendNone) {
				t.Errorf("%v: %v", how, err)
			}
		}
	}
}

func TestTicksMissedAtTheEndAreTold(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, n, missed := &fakeClock{}, 0, -1
	o := Options{Interval: time.Second, Ended: func(m int) { missed = m }}
	for range Sample(ctx, sampledProcess(), c.options(o)) {
		if n++; n == 3 { // at 2 s
			c.now += 3500 * time.Millisecond
			cancel()
		}
	}
	if n != 3 || missed != 3 {
		t.Errorf("%d snapshots, then missed %d, want those at 3, 4 and 5 s", n, missed)
	}
}
