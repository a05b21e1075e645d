//go:build cgo && darwinlive

package mach

import (
	"fmt"
	"os"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// stopsVariable says what [TestLiveStoppedTime] stops, and how often, as "PID N".
const stopsVariable = "STACKSNAP_LIVE_STOPS"

// spent is the time that calls of one kind took while the target stood.
type spent struct {
	calls int
	took  time.Duration
}

// stopwatch is the kernel, with what its calls take from when a stop is ordered
// until the target is told to run on. Other calls than these are not made then.
type stopwatch struct {
	xnu
	running                                                bool
	suspended, listed, states, reads, regs, rests, resumed spent
	others                                                 spent
}

func (w *stopwatch) count(s *spent, since time.Time) {
	if w.running {
		s.calls++
		s.took += time.Since(since)
	}
}

func (w *stopwatch) suspend(t port) Return {
	w.running = true
	defer w.count(&w.suspended, time.Now())
	return w.xnu.suspend(t)
}

func (w *stopwatch) resume(t port) Return {
	begin := time.Now()
	r := w.xnu.resume(t)
	w.count(&w.resumed, begin)
	w.running = false
	return r
}

func (w *stopwatch) threads(t port) ([]port, Return) {
	defer w.count(&w.listed, time.Now())
	return w.xnu.threads(t)
}

func (w *stopwatch) state(t port, flavor int32, words []uint32) (int, Return) {
	defer w.count(&w.states, time.Now())
	return w.xnu.state(t, flavor, words)
}

func (w *stopwatch) read(t port, p []byte, a task.Addr) (int, Return) {
	defer w.count(&w.reads, time.Now())
	return w.xnu.read(t, p, a)
}

func (w *stopwatch) region(t port, a task.Addr) (region, Return) {
	defer w.count(&w.regs, time.Now())
	return w.xnu.region(t, a)
}

func (w *stopwatch) regionRecurse(t port, a task.Addr) (region, Return) {
	defer w.count(&w.regs, time.Now())
	return w.xnu.regionRecurse(t, a)
}

func (w *stopwatch) release(t port) Return {
	defer w.count(&w.others, time.Now())
	return w.xnu.release(t)
}

func (w *stopwatch) freePorts(p []port) Return {
	defer w.count(&w.others, time.Now())
	return w.xnu.freePorts(p)
}

func (w *stopwatch) identity(t port) (identity, Return) {
	defer w.count(&w.others, time.Now())
	return w.xnu.identity(t)
}

func (w *stopwatch) pause(d time.Duration) {
	defer w.count(&w.rests, time.Now())
	w.xnu.pause(d)
}

// TestLiveStoppedTime splits the time for which a process stands: what each kind
// of call takes, and what is left for our own code.
func TestLiveStoppedTime(t *testing.T) {
	var pid, stops int
	if _, err := fmt.Sscan(os.Getenv(stopsVariable), &pid, &stops); err != nil {
		needs.Skip(t, "$"+stopsVariable, "scripts/darwinlive starts it")
	}
	w := new(stopwatch)
	p, err := open(w, pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	var snap task.Snapshot
	if err := task.Take(p, &snap); err != nil { // makes the room, and learns where stacks end
		t.Fatal(err)
	}
	*w = stopwatch{}
	var stood time.Duration
	var copied int
	for range stops {
		if err := task.Take(p, &snap); err != nil {
			t.Fatal(err)
		}
		stood += snap.Stopped
		for i := range snap.Threads {
			for _, s := range snap.Threads[i].Stacks {
				copied += len(s.Bytes)
			}
		}
	}
	calls := time.Duration(0)
	each := func(d time.Duration) time.Duration { return (d / time.Duration(stops)).Round(100 * time.Nanosecond) }
	fmt.Printf("| stacksnap | %d threads, %d KiB | %v", len(snap.Threads), copied/stops>>10, each(stood))
	for _, s := range []spent{w.suspended, w.listed, w.states, w.reads, w.regs, w.others, w.rests, w.resumed} {
		fmt.Printf(" | %v (%d)", each(s.took), s.calls/stops)
		calls += s.took
	}
	fmt.Printf(" | %v |\n", each(stood-calls))
	if w.suspended.calls != stops || w.resumed.calls < stops || w.states.calls < stops*len(snap.Threads) {
		t.Errorf("of %v, calls took %v: %+v", stood, calls, w)
	}
}
