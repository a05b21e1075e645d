package live

import (
	"context"
	"errors"
	"testing"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// script is a table of processes that changes with each look.
type script struct {
	moments [][]task.Candidate // the last one stays
	asked   int
	now     []task.Candidate
}

func (s *script) pids() ([]int, error) {
	s.now = s.moments[0]
	if len(s.moments) > 1 {
		s.moments = s.moments[1:]
	}
	var pids []int
	for _, c := range s.now {
		pids = append(pids, c.PID)
	}
	return pids, nil
}

func (s *script) candidate(pid int) (task.Candidate, bool) {
	s.asked++
	for _, c := range s.now {
		if c.PID == pid {
			return c, c.Name != "gone"
		}
	}
	return task.Candidate{}, false
}

// find looks until something is found, at most so often.
func find(t *testing.T, s *script, looks int) (int, int, error) {
	t.Helper()
	w := watch{name: "server", self: 1, table: s, known: map[int]*seen{}}
	for i := range looks {
		if pid, err := w.look(); pid != 0 || err != nil {
			return pid, i, err
		}
	}
	return 0, looks, nil
}

var (
	shell  = task.Candidate{PID: 10, Name: "sh", Path: "/bin/sh"}
	server = task.Candidate{PID: 20, Name: "server", Path: "/opt/server", ParentPID: 10}
	// worker is a copy that a server forked, and copy a shell's, to become a server.
	worker = task.Candidate{PID: 30, Name: "server", Path: "/opt/server", ParentPID: 20, Forked: true}
	copied = task.Candidate{PID: 20, Name: "sh", Path: "/bin/sh", ParentPID: 10, Forked: true}
)

func repeat(n int, moment ...task.Candidate) [][]task.Candidate {
	var all [][]task.Candidate
	for range n {
		all = append(all, moment)
	}
	return all
}

func TestWaitFinds(t *testing.T) {
	self := task.Candidate{PID: 1, Name: "server"}
	become := task.Candidate{PID: shell.PID, Name: "server"}
	helper := task.Candidate{PID: 11, Name: "server-helper"}
	gone := task.Candidate{PID: 12, Name: "gone"}
	for name, c := range map[string]struct {
		moments [][]task.Candidate
		pid, at int
	}{
		"one that runs already":        {repeat(1, self, helper, gone, shell, server), 20, 0},
		"one that appears":             {append(repeat(3, shell), []task.Candidate{shell, server}), 20, 3},
		"one that is still its parent": {append(repeat(3, shell, copied), []task.Candidate{shell, server}), 20, 3},
		"an old one that calls exec":   {append(repeat(sweepLooks+3, shell), []task.Candidate{become}), 10, 2 * sweepLooks},
		"the one that called exec":     {repeat(1, worker, server), 20, 0},
		"a worker that never does":     {repeat(1, worker), 30, settledLooks},
		"none":                         {repeat(1, self, helper, gone, shell), 0, 3 * sweepLooks},
	} {
		pid, at, err := find(t, &script{moments: c.moments}, 3*sweepLooks)
		if pid != c.pid || at != c.at || err != nil {
			t.Errorf("%s: found %d at look %d, %v; want %d at %d", name, pid, at, err, c.pid, c.at)
		}
	}
}

// TestWaitIsNotTakenInByACopy: a process named as the target forks, to start
// something else, from a thread of that name.
func TestWaitIsNotTakenInByACopy(t *testing.T) {
	other := task.Candidate{PID: 30, Name: "ls", Path: "/bin/ls"}
	moments := append(repeat(settledLooks, worker), repeat(2, other)...)
	if pid, _, err := find(t, &script{moments: moments}, 3*sweepLooks); pid != 0 || err != nil {
		t.Errorf("found %d, %v", pid, err)
	}
}

func TestWaitRefusesWhatDoesNotDecide(t *testing.T) {
	second := server
	second.PID = 21
	_, at, err := find(t, &script{moments: append(repeat(2, shell), []task.Candidate{server, second})}, 9)
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 || at != 2 {
		t.Errorf("look %d: %v", at, err)
	}
}

// TestWaitAsksLittle: hundreds of processes that are not meant must cost little.
func TestWaitAsksLittle(t *testing.T) {
	var many []task.Candidate
	for i := range 300 {
		many = append(many, task.Candidate{PID: 100 + i, Name: "idle"})
	}
	s := &script{moments: repeat(1, many...)}
	find(t, s, youngLooks)
	s.asked = 0
	w := watch{name: "server", table: s, known: map[int]*seen{}}
	for range 10 * sweepLooks {
		_, _ = w.look()
	}
	if most := 300 * (youngLooks + 10); s.asked > most {
		t.Errorf("asked %d times, want at most %d", s.asked, most)
	}
	s.moments = repeat(1)
	_, _ = w.look()
	if len(w.known) != 0 {
		t.Errorf("%d ended processes are remembered", len(w.known))
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	if _, err := list(); errors.Is(err, task.ErrUnsupported) {
		needs.Skip(t, "live processes", err.Error())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if pid, err := Wait(ctx, "no process has this name", 0); pid != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v", pid, err)
	}
}

func TestListedTable(t *testing.T) {
	all, err := list()
	if errors.Is(err, task.ErrUnsupported) {
		needs.Skip(t, "live processes", err.Error())
	}
	l := &listed{}
	pids, err := l.pids()
	if err != nil || len(all) == 0 || len(pids) == 0 {
		t.Fatalf("%d of %d, %v", len(pids), len(all), err)
	}
	for _, pid := range pids {
		if c, ok := l.candidate(pid); !ok || c.PID != pid {
			t.Errorf("%d is %+v, %v", pid, c, ok)
		}
	}
}
