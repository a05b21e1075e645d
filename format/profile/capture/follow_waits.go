package capture

import (
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/live"
)

// The bounds of following waits into other processes.
const (
	maxFollowed = 8               // processes in addition to the given ones
	followTime  = 2 * time.Second // no process is begun after that time
)

// threadOf is a thread of a process; if its thread is 0, all threads of the process.
type threadOf struct {
	pid    int
	thread task.ThreadID
}

// follow captures the processes that the given threads wait for, then those that these wait for,
// and so on, each once.
func (g *several) follow(from []threadOf) {
	until := time.Now().Add(followTime)
	for next := g.ahead(from); len(next) > 0; next = g.ahead(from) {
		g.open(next, until)
		g.resolvePeers()
	}
	if n := len(g.left); n > 0 {
		g.lose(0, fmt.Errorf("%d more processes are waited for: no more than %d are followed, in no more than %v", n, maxFollowed, followTime))
	}
}

// ahead returns the processes that are waited for and were not tried yet, the nearest first.
func (g *several) ahead(from []threadOf) (pids []int) {
	met := map[threadOf]bool{}
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

// isLinked reports whether the system can report for which other process a thread waits.
func (s *shot) isLinked() bool {
	return s.target != nil && s.process.Capabilities().Peers != nil
}

// find returns the snapshot of a process; nil where there is none.
func (g *several) find(pid int) *shot {
	i := slices.IndexFunc(g.shots, func(s *shot) bool { return s.pid == pid })
	if i < 0 {
		return nil
	}
	return g.shots[i]
}

// ahead returns the threads that at.thread waits for, or any thread of the process if at.thread is 0: the
// lock's owner, or the peer in another process.
func (s *shot) ahead(at threadOf) (next []threadOf) {
	if !s.whole() {
		return nil
	}
	for _, l := range s.looks {
		switch w := l.Wait; {
		case w == nil || at.thread != 0 && at.thread != l.Thread:
		case w.WaitsForOther():
			next = append(next, threadOf{w.Peer.PID, w.Peer.Thread})
		case w.Owner != 0:
			next = append(next, threadOf{s.pid, w.Owner})
		}
	}
	return next
}

// open opens and captures processes, until there are too many or the time is over. It captures
// all of their threads, whatever the options select.
func (g *several) open(pids []int, until time.Time) {
	o := g.options
	o.Threads = profile.ThreadFilter{}
	var fresh []*shot
	for _, pid := range pids {
		if len(g.tried) == maxFollowed || time.Now().After(until) {
			g.left = append(g.left, pid)
			continue
		}
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
	captureAll(fresh)
}

func (g *several) lose(pid int, err error) {
	g.missing = append(g.missing, profile.Missing{PID: pid, Why: err.Error()})
}

// finish makes the profiles of the processes that were followed, and closes these in reverse
// order.
func (g *several) finish(followed []*shot) (profiles []*profile.Profile, missing []profile.Missing) {
	for _, s := range followed {
		p, err := s.finish()
		s.close()
		if p != nil {
			profiles = append(profiles, p)
		}
		if err != nil {
			g.lose(s.pid, err)
		}
	}
	for _, p := range slices.Backward(g.opened) {
		if err := p.Close(); err != nil {
			g.lose(p.Info().PID, err)
		}
	}
	return profiles, g.missing
}

// Follow captures the processes for which a thread of the last snapshot waits, those that
// these wait for, and so on, as [OneShots] does with Follow. It fills in the peers of the
// waits that [Series.Wait] has returned for that snapshot.
func (s *Series) Follow(id task.ThreadID, o Options) hangreport.Followed {
	return s.shot.followed(id, o)
}

// followed follows what a thread of the last snapshot waits for; if id is 0, what all threads
// wait for.
func (s *shot) followed(id task.ThreadID, o Options) (f hangreport.Followed) {
	o.Save, o.SaveTo, o.Files = "", nil, new(images.Files)
	from := threadOf{s.pid, id}
	g := &several{options: o, shots: []*shot{s}}
	if !s.isLinked() {
		return f
	}
	g.resolvePeers()
	g.follow([]threadOf{from})
	if id != 0 {
		f.Chain = profile.Chain(g.waiters(), from.pid, id)
	}
	f.Deadlocks = g.deadlocks()
	f.Profiles, f.Missing = g.finish(g.shots[1:])
	return f
}

// askedAtEnd is a note on samplings, which have no time to find peers at each observation.
const askedAtEnd = "for which other process a thread waits was asked at the end alone"

// followLast follows what the threads of the last snapshot wait for, according to looks.
func (r *recorder) followLast(looks []profile.Look) hangreport.Followed {
	s := &shot{target: r.target, pid: r.process.Info().PID, snapshot: *r.last, looks: looks}
	if !s.isLinked() {
		return hangreport.Followed{Missing: []profile.Missing{{Why: errNotLinked.Error()}}}
	}
	for i := range r.last.Threads {
		r.stacks[i] = profile.Stack{Frames: slices.Clone(r.stackOf(i, &r.last.Threads[i]))}
	}
	r.note(askedAtEnd)
	return s.followed(0, r.options)
}
