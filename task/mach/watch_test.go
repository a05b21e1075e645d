package mach

import (
	"errors"
	"testing"
	"time"

	"stacksnap/task"
)

func TestWatchThread(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	s.mayRun = true
	p, err := open(s, s.pid)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WatchThread(12345); !errors.Is(err, task.ErrThreadGone) {
		t.Errorf("a thread that is none: %v", err)
	}
	w, err := p.WatchThread(ids[1])
	if err != nil {
		t.Fatal(err)
	}
	watched := s.threadList[1]
	watched.run = 3
	if g, err := w.Observe(); err != nil || g.State != task.Sleeping || g.Registers.SP() == 0 {
		t.Errorf("waiting: %+v, %v", g, err)
	}
	watched.run = 1
	if g, err := w.Observe(); err != nil || g.State != task.Running || g.Registers.Known != 0 {
		t.Errorf("running: %+v, %v", g, err)
	}
	before, err := w.Counters()
	watched.ran += time.Second
	after, errAfter := w.Counters()
	if err != nil || errAfter != nil || after.CPU-before.CPU != time.Second || after.HasSleeps {
		t.Errorf("counters %+v, %+v, %v, %v", before, after, err, errAfter)
	}
	if err := errors.Join(w.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if _, err := w.Observe(); !errors.Is(err, task.ErrThreadGone) {
		t.Errorf("after the process was closed: %v", err)
	}
	s.balance(t)
}

// TestWatchThreadInterrupted: where the wait for the thread was interrupted nothing is
// known of it now, and the next look does without a stop again.
func TestWatchThreadInterrupted(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.mayRun = true
	p := mustOpen(t, s)
	ids, _ := p.Threads()
	w, err := p.WatchThread(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	watched := s.threadList[0]
	watched.run, watched.stateErr = 3, aborted
	if g, err := w.Observe(); err != nil || !g.Later || g.Registers.SP() != 0 {
		t.Errorf("interrupted: %+v, %v", g, err)
	}
	watched.stateErr = success
	if g, err := w.Observe(); err != nil || g.Later || g.Registers.SP() == 0 {
		t.Errorf("after that: %+v, %v", g, err)
	}
	if s.suspends != 0 {
		t.Errorf("%d stops", s.suspends)
	}
	mustClose(t, p)
	s.balance(t)
}
