package profile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"stacksnap/task"
)

// Deadlock is a cycle of threads, beginning with the lowest id. Each waits for what the
// next holds, and the last for what the first holds. A thread that waits for itself is a
// cycle of one.
type Deadlock struct {
	Waiters []Waiter
	// From and To are the times of its first and last observation, after the profile's
	// start. Looks is the number of observations from From to To; all of them found it.
	From, To time.Duration
	Looks    int
	// Ended is set if a later observation did not find it. A timeout can end a deadlock.
	Ended bool
}

// Waiter is a thread in a deadlock, or in a chain of waits.
type Waiter struct {
	ID   task.ThreadID
	Name string
	Wait Wait
	// PID and Process are the thread's process in a deadlock across processes; zero in a
	// deadlock of the profile's own threads.
	PID     int
	Process string
}

// maxDeadlocks is the most deadlocks that a profile keeps.
const maxDeadlocks = 100

// judge compares the cycles found in a round of observations with the known deadlocks.
func (b *Builder) judge() {
	l := &b.looks
	at := b.p.Duration()
	circles := findDeadlocks(l.asked, l.besides)
	for _, d := range l.deadlocks {
		i := slices.IndexFunc(circles, d.same)
		switch {
		case d.Ended:
		case i >= 0:
			d.Looks, d.To = d.Looks+1, at
			circles = slices.Delete(circles, i, i+1)
		default:
			d.Ended = b.broken(d)
		}
	}
	l.deadlocks = slices.DeleteFunc(l.deadlocks, (*Deadlock).passing)
	for _, c := range circles {
		if len(l.deadlocks) == maxDeadlocks {
			b.Note(fmt.Sprintf("there were more than %d deadlocks: later ones are left out", maxDeadlocks))
			return
		}
		l.deadlocks = append(l.deadlocks, &Deadlock{Waiters: c, From: at, To: at, Looks: 1})
	}
}

// broken reports whether a thread of a deadlock has ended, or was found in another wait in
// this round. A thread that is not sampled may not be observed in each round; the others
// decide then.
func (b *Builder) broken(d *Deadlock) bool {
	return slices.ContainsFunc(d.Waiters, func(w Waiter) bool {
		r := b.last[w.ID]
		if r == nil {
			return slices.ContainsFunc(b.looks.besides, func(l Look) bool { return l.Thread == w.ID && !w.Wait.still(l.Wait) })
		}
		return r.Last < b.row.full || r.asked > b.looks.round && !w.Wait.still(r.Wait)
	})
}

// still reports whether a later observation found the same lock with the same owner.
func (w *Wait) still(now *Wait) bool { return now != nil && now.like(w) && now.Owner == w.Owner }

// passing reports whether a cycle was found in only one observation and not in the next, as
// may happen with timeouts.
func (d *Deadlock) passing() bool { return d.Ended && d.Looks == 1 }

// Deadlocks returns those that were found so far, as [Builder.Profile] would have them.
func (b *Builder) Deadlocks() []Deadlock {
	var all []Deadlock
	for _, d := range b.looks.deadlocks {
		all = append(all, *d)
	}
	return all
}

// same reports whether the cycle has the same threads and locks.
func (d *Deadlock) same(circle []Waiter) bool {
	return slices.EqualFunc(d.Waiters, circle, func(a, b Waiter) bool {
		return a.ID == b.ID && a.Wait.Lock == b.Wait.Lock && a.Wait.Addr == b.Wait.Addr
	})
}

// findDeadlocks returns, once each, the cycles that the waits of sampled threads lead to. No two share a
// thread, because a thread waits for one thing at a time. The parameter besides has the waits of
// threads that are not sampled; their names come from the threads that wait for them.
func findDeadlocks(threads []*record, besides []Look) [][]Waiter {
	waiters := map[waiterKey]Waiter{}
	for _, l := range besides {
		if l.Wait != nil {
			w := Waiter{ID: l.Thread, Wait: *l.Wait}
			waiters[w.key()] = w
		}
	}
	var starts []waiterKey
	for _, t := range threads {
		if t.Wait != nil && t.Wait.Owner != 0 {
			w := Waiter{ID: t.ID, Name: t.Name, Wait: *t.Wait}
			waiters[w.key()] = w
			starts = append(starts, w.key())
		}
	}
	return circlesFrom(starts, waiters)
}

// waiterKey identifies a waiter.
type waiterKey struct {
	id  task.ThreadID
	pid int
}

func (w *Waiter) key() waiterKey { return waiterKey{w.ID, w.PID} }

// next returns the key of the thread that a waiter waits for; its id is 0 if that is not
// certain.
func (w *Waiter) next() waiterKey {
	switch peer := &w.Wait.Peer; {
	case peer.PID == 0:
		return waiterKey{w.Wait.Owner, w.PID}
	case peer.Others, peer.Self, peer.AlsoSelf:
		return waiterKey{}
	default:
		return waiterKey{peer.Thread, peer.PID}
	}
}

// circlesFrom returns the cycles that the starts lead to, each once, by ascending lowest
// id.
func circlesFrom(starts []waiterKey, waiters map[waiterKey]Waiter) [][]Waiter {
	slices.SortFunc(starts, func(a, b waiterKey) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.pid, b.pid)) })
	var circles [][]Waiter
	seen := map[waiterKey]bool{}
	for _, start := range starts {
		if circle := circleFrom(start, waiters, seen); circle != nil {
			circles = append(circles, circle)
		}
	}
	return circles
}

// circleFrom follows owners from a thread until one was seen before. It returns the cycle
// if that one is on the same path, otherwise nil.
func circleFrom(at waiterKey, waiters map[waiterKey]Waiter, seen map[waiterKey]bool) []Waiter {
	var path []Waiter
	for w, ok := waiters[at]; ok && !seen[at]; w, ok = waiters[at] {
		seen[at] = true
		path = append(path, w)
		at = w.next()
	}
	start := slices.IndexFunc(path, func(w Waiter) bool { return w.key() == at })
	if start < 0 {
		return nil
	}
	circle := path[start:]
	if sharesLock(circle) {
		return nil
	}
	for i := range circle {
		if next := &circle[(i+1)%len(circle)]; next.Name == "" {
			next.Name = circle[i].Wait.OwnerName
		}
	}
	lowest := 0
	for i, w := range circle {
		if w.ID < circle[lowest].ID {
			lowest = i
		}
	}
	return append(slices.Clone(circle[lowest:]), circle[:lowest]...)
}

// sharesLock reports whether two threads of a cycle wait for the same lock. One thread
// holds it, so their waits were found at different moments, between which it changed hands.
func sharesLock(circle []Waiter) bool {
	type lock struct {
		pid  int
		addr task.Addr
	}
	seen := map[lock]bool{}
	for i := range circle {
		w := &circle[i]
		at := lock{w.PID, w.Wait.Addr}
		if w.Wait.Addr != 0 && seen[at] {
			return true
		}
		seen[at] = true
	}
	return false
}

// Circles returns the deadlocks across processes, each once. All waits must be from the
// same moment.
func Circles(all []Waiter) []Deadlock {
	return circlesOf(all, func(w *Waiter) bool { return w.Wait.WaitsForOther() }, ofSeveral)
}

// CirclesWithin returns the deadlocks of threads of one process with one another, each
// once. All waits must be from the same moment.
func CirclesWithin(all []Waiter) []Deadlock {
	return circlesOf(all, func(w *Waiter) bool { return w.Wait.Owner != 0 }, func(circle []Waiter) bool { return !ofSeveral(circle) })
}

// circlesOf returns the cycles that are wanted among those that the waiters lead to at
// which one may begin.
func circlesOf(all []Waiter, begins func(*Waiter) bool, wanted func(circle []Waiter) bool) (found []Deadlock) {
	waiters := map[waiterKey]Waiter{}
	var starts []waiterKey
	for _, w := range all {
		waiters[w.key()] = w
		if begins(&w) {
			starts = append(starts, w.key())
		}
	}
	for _, circle := range circlesFrom(starts, waiters) {
		if len(found) < maxDeadlocks && wanted(circle) {
			found = append(found, Deadlock{Waiters: circle, Looks: 1})
		}
	}
	return found
}

// Chain returns the chain of waits that begins with a thread: each thread waits for the
// next. It ends before an unknown thread, or one that it has already. It is empty if the
// first does not wait.
func Chain(all []Waiter, pid int, id task.ThreadID) (chain []Waiter) {
	waiters := map[waiterKey]Waiter{}
	for _, w := range all {
		waiters[w.key()] = w
	}
	at := waiterKey{id, pid}
	for w, ok := waiters[at]; ok; w, ok = waiters[at] {
		delete(waiters, at)
		chain = append(chain, w)
		if at = (waiterKey{w.Wait.Owner, w.PID}); w.Wait.WaitsForOther() {
			at = waiterKey{w.Wait.Peer.Thread, w.Wait.Peer.PID}
		}
	}
	return chain
}

func ofSeveral(circle []Waiter) bool {
	for i := range circle {
		if circle[i].PID != circle[0].PID {
			return true
		}
	}
	return false
}

// Deadlocked returns the profile's own threads in deadlocks that have not ended.
func (p *Profile) Deadlocked() map[task.ThreadID]bool {
	dead := map[task.ThreadID]bool{}
	for i := range p.Deadlocks {
		for _, w := range p.Deadlocks[i].Waiters {
			if w.PID == 0 && !p.Deadlocks[i].Ended {
				dead[w.ID] = true
			}
		}
	}
	return dead
}

// Same reports whether both deadlocks have the same threads, waiting for the same locks.
func (d *Deadlock) Same(other Deadlock) bool {
	if !d.same(other.Waiters) {
		return false
	}
	for i := range d.Waiters {
		a, b := &d.Waiters[i], &other.Waiters[i]
		if a.key() != b.key() || a.next() != b.next() || a.Wait.Object != b.Wait.Object {
			return false
		}
	}
	return true
}

// Waiters returns the threads with a known wait, from the profiles of single snapshots.
func (g *Group) Waiters() (all []Waiter) {
	for _, p := range g.Profiles {
		if p.Sampled() {
			continue
		}
		for _, t := range p.Threads {
			if t.Wait != nil {
				all = append(all, Waiter{ID: t.ID, Name: t.Name, Wait: *t.Wait, PID: p.Target.PID, Process: p.Target.Name})
			}
		}
	}
	return all
}

// TaskDeadlock is a circle of tasks of a runtime: each waits for the end of the next,
// and the last for that of the first.
type TaskDeadlock struct {
	Runtime string // with its version
	Tasks   []TaskInDeadlock
}

// TaskInDeadlock is a task of a [TaskDeadlock].
type TaskInDeadlock struct {
	ID       uint64
	Name     string
	Function string // the outermost one of its stack
}
