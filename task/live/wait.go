package live

import (
	"context"
	"fmt"
	"time"

	"stacksnap/task"
)

const (
	// waitInterval is the time between two checks of the list of processes. A check of a few
	// hundred takes about 0.1 ms.
	waitInterval = 10 * time.Millisecond
	// youngLooks is for how many checks a new process's name is read each time: it has its
	// parent's name until it calls exec, usually within a millisecond.
	youngLooks = 10
	// sweepLooks is the number of checks after which an older process is read again: it may call
	// exec.
	sweepLooks = 50
	// settledLooks is for how many checks a forked process must keep the name without calling
	// exec before it is taken for one that never will, such as a server's worker.
	settledLooks = 5
)

// Wait returns the pid of the process that has exactly this name, program or path, as soon as
// there is one; a process that already runs counts. A process that was forked and has not called
// exec may have its parent's name only for the moment: it counts only if no other process has
// the name and it keeps the name for some time. self is never found.
//
// The error is an *[AmbiguousError] if several processes have the name at once, and the
// context's error when that ends.
func Wait(ctx context.Context, name string, self int) (int, error) {
	list, err := lister()
	if err != nil {
		return 0, fmt.Errorf("wait for %q: %w", name, err)
	}
	w := watch{name: name, self: self, table: list, known: map[int]*seen{}}
	tick := time.NewTicker(waitInterval)
	defer tick.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if pid, err := w.look(); pid != 0 || err != nil {
			return pid, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// table is where a watch finds processes: the system, except in tests.
type table interface {
	pids() ([]int, error)
	candidate(pid int) (task.Candidate, bool)
}

// watch checks repeatedly for a process.
type watch struct {
	table
	name  string
	self  int
	looks int // checks so far
	known map[int]*seen
}

// seen is what a watch remembers of a pid that exists.
type seen struct {
	first   int // the number of the check that found it
	last    int // the latest check at which it existed
	matched int // for how many checks in a row it had the name while forked
}

// look makes one check and returns the process, 0 when there is none yet.
func (w *watch) look() (int, error) {
	pids, err := w.pids()
	if err != nil {
		return 0, fmt.Errorf("wait for %q: %w", w.name, err)
	}
	var found, settled []task.Candidate
	for _, pid := range pids {
		if pid == w.self || !w.isDue(pid) {
			continue
		}
		c, isSettled := w.ask(pid)
		switch {
		case c.PID == 0:
		case !c.Forked:
			found = append(found, c)
		case isSettled:
			settled = append(settled, c)
		}
	}
	w.forget()
	w.looks++
	if len(found) == 0 {
		found = settled
	}
	return w.choose(found)
}

func (w *watch) choose(found []task.Candidate) (int, error) {
	switch len(found) {
	case 0:
		return 0, nil
	case 1:
		return found[0].PID, nil
	}
	return 0, &AmbiguousError{w.name, found}
}

// isDue reports whether a process is read at this check: a new one each time, as is one that has
// a forked copy; an old one rarely.
func (w *watch) isDue(pid int) bool {
	s := w.known[pid]
	if s == nil {
		s = &seen{first: w.looks}
		w.known[pid] = s
	}
	s.last = w.looks
	isYoung := w.looks-s.first < youngLooks
	return isYoung || s.matched > 0 || w.looks%sweepLooks == 0
}

// ask returns the candidate if it has the name, and whether it has had it long enough to count
// without a call of exec.
func (w *watch) ask(pid int) (task.Candidate, bool) {
	s := w.known[pid]
	c, ok := w.candidate(pid)
	if !ok || !isNamed(c, w.name) {
		s.matched = 0
		return task.Candidate{}, false
	}
	s.matched++
	return c, s.matched > settledLooks
}

// forget drops the processes that have ended, because their pids may be reused.
func (w *watch) forget() {
	for pid, s := range w.known {
		if s.last != w.looks {
			delete(w.known, pid)
		}
	}
}
