package mach

import (
	"context"
	"errors"
	"testing"
	"time"

	"stacksnap/task"
)

func sampleScripted(t *testing.T, s *scripted, o task.Options, see func(n int, snap *task.Snapshot)) {
	t.Helper()
	p, err := open(s, 100)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	o.Interval = 10 * time.Millisecond
	for snap, err := range task.Sample(context.Background(), p, o) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		see(n, snap)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	s.balance(t)
}

func TestIdleTaskIsNotSuspended(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	sampleScripted(t, s, task.Options{Count: 10}, func(n int, snap *task.Snapshot) {
		want := 0
		switch n {
		case 1, 6:
			want = 1
		case 5:
			s.threadList[1].ran += time.Microsecond // it runs before the sixth
		}
		if snap.Stops != want || len(snap.Threads) != 3 {
			t.Errorf("snapshot %d: %d stops, want %d; %d threads", n, snap.Stops, want, len(snap.Threads))
		}
		for i := range snap.Threads {
			if th := &snap.Threads[i]; th.Err != nil || len(th.Stacks) == 0 || th.Same != (n > 1) {
				t.Errorf("snapshot %d, thread %d: same %v, %d stacks, %v", n, th.ID, th.Same, len(th.Stacks), th.Err)
			}
		}
	})
}

func TestSamplingWithoutStop(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	s.mayRun = true
	sampleScripted(t, s, task.Options{Count: 3, Suspend: task.SuspendNone}, func(n int, snap *task.Snapshot) {
		for i := range snap.Threads {
			if th := &snap.Threads[i]; !th.Unstopped || len(th.Stacks) == 0 {
				t.Errorf("snapshot %d, thread %d: unstopped %v, %d stacks, %v", n, th.ID, th.Unstopped, len(th.Stacks), th.Err)
			}
		}
		if snap.Stops != 0 {
			t.Errorf("%d stops", snap.Stops)
		}
	})
}

// TestSingleThreadsAreNotSuspended: neither in turn nor together, and that is known
// before there is a sample.
func TestSingleThreadsAreNotSuspended(t *testing.T) {
	for _, how := range []task.Suspension{task.SuspendThread, task.SuspendTogether} {
		s := newScripted(task.ARM64, 1)
		p, err := open(s, 100)
		if err != nil {
			t.Fatal(err)
		}
		if task.CanStop(p, how) == nil {
			t.Errorf("%v: allowed", how)
		}
		n := 0
		for _, err := range task.Sample(context.Background(), p, task.Options{Count: 1, Suspend: how}) {
			if n++; !errors.Is(err, errThreadSuspend) {
				t.Errorf("%v: %v", how, err)
			}
		}
		if n != 1 || s.suspends != 0 {
			t.Errorf("%v: %d snapshots, %d stops", how, n, s.suspends)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		s.balance(t)
	}
}
