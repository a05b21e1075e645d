package profile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"stacksnap/task"
)

// Deadlock is a circle of threads, the one of the lowest id first, of which each
// waits for what the next has, and the last for what the first has. A thread
// that waits for itself is a circle of one.
type Deadlock struct {
	Waiters []Waiter
	// From and To are when it was seen first and last, after the profile's start.
	// Looks counts the looks from the one to the other: all of them saw it.
	From, To time.Duration
	Looks    int
	// Ended says that a later look did not see it any more. A wait that has a time
	// limit can break a circle.
	Ended bool
}

// Waiter is a thread in a deadlock.
type Waiter struct {
	ID   task.ThreadID
	Name string
	Wait Wait
	// PID and Process are of its process where the deadlock is of several, zero where
	// it is of the profile's alone.
	PID     int
	Process string
}

// maxDeadlocks bounds those that a profile keeps.
const maxDeadlocks = 100

// judge compares the circles of a round of looks with those that stood before.
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

// broken reports whether one of a circle's threads has ended, or was found in this
// round to wait for something else. A thread that is not sampled may not be asked
// in every round: then those that are tell.
func (b *Builder) broken(d *Deadlock) bool {
	return slices.ContainsFunc(d.Waiters, func(w Waiter) bool {
		r := b.last[w.ID]
		if r == nil {
			return slices.ContainsFunc(b.looks.besides, func(l Look) bool { return l.Thread == w.ID && !w.Wait.still(l.Wait) })
		}
		return r.Last < b.row.full || r.asked > b.looks.round && !w.Wait.still(r.Wait)
	})
}

// still reports whether a later look has found the same lock waited for, and the
// same thread to hold it.
func (w *Wait) still(now *Wait) bool { return now != nil && now.like(w) && now.Owner == w.Owner }

// passing tells that a circle was seen in one look alone, and not in the next:
// threads that wait with a time limit, perhaps.
func (d *Deadlock) passing() bool { return d.Ended && d.Looks == 1 }

// stood returns the deadlocks as they are known by now.
func (l *looks) stood() []Deadlock {
	var all []Deadlock
	for _, d := range l.deadlocks {
		all = append(all, *d)
	}
	return all
}

// same reports whether it is the same threads that wait for the same locks.
func (d *Deadlock) same(circle []Waiter) bool {
	return slices.EqualFunc(d.Waiters, circle, func(a, b Waiter) bool {
		return a.ID == b.ID && a.Wait.Lock == b.Wait.Lock && a.Wait.Addr == b.Wait.Addr
	})
}

// findDeadlocks returns each circle once to which a thread leads that is sampled.
// A thread waits for one thing at a time, so that no two circles share a thread.
// Besides are threads that are not sampled; those that wait for them know their
// names.
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

// waiterKey tells one waiter from another.
type waiterKey struct {
	id  task.ThreadID
	pid int
}

func (w *Waiter) key() waiterKey { return waiterKey{w.ID, w.PID} }

// next is the one that has what a thread waits for; its id is 0 where that is not
// known for certain.
func (w *Waiter) next() waiterKey {
	switch peer := &w.Wait.Peer; {
	case peer.PID == 0:
		return waiterKey{w.Wait.Owner, w.PID}
	case peer.Others:
		return waiterKey{}
	default:
		return waiterKey{peer.Thread, peer.PID}
	}
}

// circlesFrom returns each circle once that one of the starts leads to, in the order
// of their lowest ids.
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

// circleFrom follows owners from a thread on until one was met before, and
// returns the circle if that one is of this very path.
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

// Circles returns the deadlocks that are of more than one process, each once, of
// threads that waited, all of them at one moment, as they tell.
func Circles(all []Waiter) []Deadlock {
	waiters := map[waiterKey]Waiter{}
	var starts []waiterKey
	for _, w := range all {
		waiters[w.key()] = w
		if w.Wait.Peer.PID != 0 {
			starts = append(starts, w.key())
		}
	}
	var found []Deadlock
	for _, circle := range circlesFrom(starts, waiters) {
		if len(found) < maxDeadlocks && ofSeveral(circle) {
			found = append(found, Deadlock{Waiters: circle, Looks: 1})
		}
	}
	return found
}

// Chain follows a thread to the one that it waits for, and that to the next, as far as
// that is known and none was met before. It is empty where the first does not wait.
func Chain(all []Waiter, pid int, id task.ThreadID) (chain []Waiter) {
	waiters := map[waiterKey]Waiter{}
	for _, w := range all {
		waiters[w.key()] = w
	}
	at := waiterKey{id, pid}
	for w, ok := waiters[at]; ok; w, ok = waiters[at] {
		delete(waiters, at)
		chain = append(chain, w)
		if at = (waiterKey{w.Wait.Owner, w.PID}); w.Wait.Peer.PID != 0 {
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

// Same reports whether it is a circle of the same threads, each waiting for the
// same of the next.
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

// Waiters returns the threads whose wait is known, of the profiles that have one
// snapshot.
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
