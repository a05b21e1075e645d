package capture

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/live"
)

// The bounds of following waits into other processes.
const (
	maxFollowed = 8               // processes besides those that were given
	followTime  = 2 * time.Second // after which no further one is begun
)

// place is a thread of a process, or with 0 all of its threads.
type place struct {
	pid    int
	thread task.ThreadID
}

// follow captures the processes that are waited for from the given places on, then those
// that these wait for, and so on, each once.
func (g *gathering) follow(from []place) {
	if !slices.ContainsFunc(g.shots, func(s *shot) bool { return s.session != nil && s.isLinked() }) {
		g.lose(0, errors.New("this system does not tell for which process another one waits: none was followed"))
		return
	}
	began := time.Now()
	next := g.ahead(from)
	for ; len(next) > 0 && time.Since(began) < followTime; next = g.ahead(from) {
		room := min(maxFollowed-len(g.tried), len(next))
		g.left = append(g.left, next[room:]...)
		g.open(next[:room])
		g.tell()
	}
	if left := len(g.left) + len(next); left > 0 {
		g.lose(0, fmt.Errorf("%d more processes are waited for: no more than %d are followed, in no more than %v", left, maxFollowed, followTime))
	}
}

// ahead returns the processes that are waited for and were not tried yet, those that
// are nearest to the places first.
func (g *gathering) ahead(from []place) (pids []int) {
	met := map[place]bool{}
	for next := slices.Clone(from); len(next) > 0; next = next[1:] {
		at := next[0]
		if met[at] {
			continue
		}
		met[at] = true
		if s := g.find(at.pid); s != nil {
			next = append(next, s.ahead(at)...)
		} else if !slices.Contains(g.tried, at.pid) && !slices.Contains(g.left, at.pid) && !slices.Contains(pids, at.pid) {
			pids = append(pids, at.pid)
		}
	}
	return pids
}

// isLinked tells whether the system tells of what links the process to others.
func (s *shot) isLinked() bool {
	_, ok := s.process.(task.Linked)
	return ok
}

// find returns the snapshot of a process; nil where there is none.
func (g *gathering) find(pid int) *shot {
	i := slices.IndexFunc(g.shots, func(s *shot) bool { return s.pid == pid })
	if i < 0 {
		return nil
	}
	return g.shots[i]
}

// ahead returns what threads of the process wait for.
func (s *shot) ahead(at place) (next []place) {
	if !s.whole() {
		return nil
	}
	for _, l := range s.looks {
		switch w := l.Wait; {
		case w == nil || at.thread != 0 && at.thread != l.Thread:
		case w.Peer.PID != 0:
			next = append(next, place{w.Peer.PID, w.Peer.Thread})
		case w.Owner != 0:
			next = append(next, place{s.pid, w.Owner})
		}
	}
	return next
}

// open opens and captures processes, whole whatever threads were asked for of others.
func (g *gathering) open(pids []int) {
	o := g.options
	o.Threads = Threads{}
	var fresh []*shot
	for _, pid := range pids {
		g.tried = append(g.tried, pid)
		p, err := live.Open(pid)
		if err != nil {
			g.lose(pid, err)
			continue
		}
		g.opened = append(g.opened, p)
		fresh = append(fresh, newShot(p, o))
	}
	g.shots = append(g.shots, fresh...)
	g.capture(fresh)
}

func (g *gathering) lose(pid int, err error) {
	g.missing = append(g.missing, profile.Missing{PID: pid, Why: err.Error()})
}

// close closes what was opened, in the order that undoes what that has done.
func (g *gathering) close() (err error) {
	for _, p := range slices.Backward(g.opened) {
		err = errors.Join(err, p.Close())
	}
	return err
}
