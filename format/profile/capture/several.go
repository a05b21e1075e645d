package capture

import (
	"errors"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/format/profile/waits/across"
	"stacksnap/images"
	"stacksnap/task"
)

// Shot is the result for one of several processes, as [OneShot] returns it.
type Shot struct {
	PID     int
	Profile *profile.Profile
	Err     error
}

// Shots is the result for several processes.
type Shots struct {
	All       []Shot             // in the order of the processes
	Deadlocks []profile.Deadlock // deadlocks across these processes
	// Followed are other processes that these wait for. Missing are those of them that were not,
	// or not completely, captured.
	Followed []*profile.Profile
	Missing  []profile.Missing
}

// OneShots takes a snapshot of each of several processes, close together: it does as much as
// possible beforehand, and then stops one after another, each only for its own copy. It also
// finds out which other process a thread waits for. The processes stay open. It ignores Save,
// which is for one process. With Follow it then captures the processes that they wait for, and
// those that these wait for, at most eight.
func OneShots(ps []task.Process, o Options) Shots {
	o.Save, o.SaveTo, o.Files = "", nil, new(images.Files)
	g := &several{options: o}
	var from []threadOf
	for _, p := range ps {
		s := newShot(p, o)
		g.shots = append(g.shots, s)
		from = append(from, threadOf{pid: s.pid})
	}
	captureAll(g.shots)
	g.resolvePeers()
	until := time.Now().Add(peerLimit)
	for _, s := range g.shots {
		s.findHung()
		s.findStalled(until)
	}
	switch {
	case o.Follow && slices.ContainsFunc(g.shots, (*shot).isLinked):
		g.follow(from)
	case o.Follow:
		g.lose(0, errNotLinked)
	}
	done := Shots{Deadlocks: g.deadlocks()}
	for _, s := range g.shots[:len(ps)] {
		s.addTasks()
		profile, err := s.finish()
		done.All = append(done.All, Shot{s.pid, profile, err})
		s.close()
	}
	done.Followed, done.Missing = g.finish(g.shots[len(ps):])
	return done
}

var errNotLinked = errors.New("this system does not tell for which process another one waits: none was followed")

// several is a capture of processes under way.
type several struct {
	options Options
	shots   []*shot // of the given processes, then of the followed ones
	opened  []task.Process
	tried   []int // pids that were opened, or could not be
	left    []int // pids that were not tried
	missing []profile.Missing
	limit   time.Duration // for finding peers; 0: none
}

// whole reports whether the process was captured without an error.
func (s *shot) whole() bool { return s.target != nil && s.err == nil }

// resolvePeers fills in [profile.Wait].Peer for the queries that the snapshots have left open.
func (g *several) resolvePeers() {
	g.resolve(func(s *shot) []waits.PeerQuery { return s.questions })
}

// resolve fills in [profile.Wait].Peer for some queries, if it is proven which other process a
// thread waits for.
func (g *several) resolve(questions func(*shot) []waits.PeerQuery) {
	var members []across.Member
	for _, s := range g.shots {
		if s.whole() {
			members = append(members, across.Member{Process: s.process, Threads: s.snapshot.Threads, Queries: questions(s)})
		}
	}
	across.Resolve(members, g.limit)
}

// deadlocks returns the proven deadlocks among the threads of all processes.
func (g *several) deadlocks() []profile.Deadlock {
	return slices.DeleteFunc(profile.Circles(g.waiters()), func(d profile.Deadlock) bool { return !g.isDeadlock(&d) })
}

// waiters returns the threads that wait for something.
func (g *several) waiters() (all []profile.Waiter) {
	for _, s := range g.shots {
		if s.whole() {
			all = append(all, s.waiters(s.looks)...)
		}
	}
	return all
}

// waiters returns the threads that wait for something, according to looks.
func (s *shot) waiters(looks []profile.Look) (all []profile.Waiter) {
	info := s.process.Info()
	for _, l := range looks {
		i := slices.IndexFunc(s.snapshot.Threads, func(t task.Thread) bool { return t.ID == l.Thread })
		if i >= 0 && l.Wait != nil {
			all = append(all, profile.Waiter{
				ID: l.Thread, Name: s.snapshot.Threads[i].Name, Wait: *l.Wait, PID: info.PID, Process: info.Name,
			})
		}
	}
	return all
}
