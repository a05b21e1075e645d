package profile

import "stacksnap/task"

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

// Same reports whether it is a circle of the same threads, each of which waits for the
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

// Waiters are the threads of which it is known what they wait for, of those profiles
// that have one snapshot.
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
