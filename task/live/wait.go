package live

import (
	"context"
	"fmt"
	"time"

	"stacksnap/task"
)

const (
	// waitInterval is the time between two looks at the list of processes. One look
	// at a few hundred takes about 0.1 ms.
	waitInterval = 10 * time.Millisecond
	// youngLooks is for how many looks a new process is asked its name each time: it
	// has its parent's until it calls exec, mostly within a millisecond.
	youngLooks = 10
	// sweepLooks is how often an older process is asked too, for it may call exec.
	sweepLooks = 50
	// settledLooks is how long a forked process must keep the name without calling
	// exec, to be taken for one that never will, as the worker of a server.
	settledLooks = 5
)

// Wait returns the pid of the process that has exactly this name, program or
// path, as soon as there is one; one that runs already counts. A process that
// was forked from another and has not called exec has that one's name by
// chance: it counts only when no other has the name and it keeps it for some
// time. self is never found.
//
// The error is an *[AmbiguousError] where several have the name at once, and
// the context's when that ends.
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

// table is where a watch finds them: the system, except in tests.
type table interface {
	pids() ([]int, error)
	candidate(pid int) (task.Candidate, bool)
}

// watch looks for a process again and again.
type watch struct {
	table
	name  string
	self  int
	looks int // so far
	known map[int]*seen
}

// seen is what a watch remembers of a pid that exists.
type seen struct {
	first   int // the look that found it
	last    int // the latest look at which it existed
	matched int // how often it had the name, as a forked process, without a break
}

// look finds the process, 0 when there is none yet.
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

// isDue reports whether a process is to be asked at this look: a new one each
// time, one of which a forked copy was seen too, an old one rarely.
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

// ask returns the candidate if it has the name, and whether it has had it for
// long enough to be believed without a call of exec.
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

// forget drops the processes that have ended: their pids may be given anew.
func (w *watch) forget() {
	for pid, s := range w.known {
		if s.last != w.looks {
			delete(w.known, pid)
		}
	}
}
