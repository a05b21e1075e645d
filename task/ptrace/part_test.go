//go:build linux

package ptrace

import (
	"slices"
	"testing"

	"stacksnap/task"
)

// TestPartIsStoppedAlone: of the threads of a process a part is stopped, captured and
// let go of, and the others run meanwhile.
func TestPartIsStoppedAlone(t *testing.T) {
	g := startThreads(t, 8, "nap")
	p := attach(t, g.pid)
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(ids)
	part := []task.ThreadID{all[2], all[5]}
	s := task.Snapshot{Part: part}
	resume, err := p.Suspend(task.StopOptions{Part: part})
	if err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	for _, id := range all {
		if got, want := p.isIn(int(id), task.Stopped), slices.Contains(part, id); got != want {
			t.Errorf("thread %d: stopped %v, want %v", id, got, want)
		}
	}
	if during, err := p.Threads(); err != nil || !slices.Equal(during, part) {
		t.Errorf("stopped are %v, %v", during, err)
	}
	g.advances(t)
	if err := resume(); err != nil {
		t.Error(err)
	}
	if again, err := p.Threads(); err != nil || !slices.Equal(again, all) {
		t.Errorf("listed afterwards are %v, %v; want %v", again, err, all)
	}
	if tracer := tracerOf(int(part[0])); tracer != 0 {
		t.Errorf("thread %d is still traced", part[0])
	}
	take(t, p, &s)
	if len(s.Threads) != len(part) || s.Threads[0].Err != nil || s.Threads[0].Registers.Known == 0 {
		t.Errorf("captured %d threads: %v", len(s.Threads), s.Threads)
	}
	s.Part = nil
	take(t, p, &s)
	if len(s.Threads) != len(all) {
		t.Errorf("captured %d threads of all %d", len(s.Threads), len(all))
	}
}

// TestPartThatHasEnded is no reason to give up the others.
func TestPartThatHasEnded(t *testing.T) {
	g := startThreads(t, 2, "nap")
	p := attach(t, g.pid)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	resume, err := p.Suspend(task.StopOptions{Part: []task.ThreadID{1 << 29}})
	if err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	if err := resume(); err != nil {
		t.Error(err)
	}
}
