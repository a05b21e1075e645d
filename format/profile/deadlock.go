package profile

import (
	"slices"

	"stacksnap/task"
)

// Deadlock is a circle of threads, the one of the lowest id first, of which each
// waits for what the next has, and the last for what the first has. A thread
// that waits for itself is a circle of one.
type Deadlock []Waiter

// Waiter is a thread in a deadlock.
type Waiter struct {
	ID   task.ThreadID
	Name string
	Wait Wait
}

// maxDeadlocks bounds those that a profile keeps.
const maxDeadlocks = 100

// noteDeadlocks adds the circles of the last snapshot that are new. They stay
// when a wait that has a time limit breaks one.
func (b *Builder) noteDeadlocks() {
	for _, d := range findDeadlocks(b.order, b.p.Snapshots) {
		if len(b.p.Deadlocks) < maxDeadlocks && !slices.ContainsFunc(b.p.Deadlocks, d.same) {
			b.p.Deadlocks = append(b.p.Deadlocks, d)
		}
	}
}

// same tells whether it is the same threads that wait for the same locks.
func (d Deadlock) same(other Deadlock) bool {
	return slices.EqualFunc(d, other, func(a, b Waiter) bool {
		return a.ID == b.ID && a.Wait.Lock == b.Wait.Lock && a.Wait.Addr == b.Wait.Addr
	})
}

// findDeadlocks returns each circle among the threads of a snapshot once. A
// thread waits for one thing at a time, so that no two share a thread.
func findDeadlocks(threads []*record, snapshot int) []Deadlock {
	waiters := map[task.ThreadID]Waiter{}
	var ids []task.ThreadID
	for _, t := range threads {
		if t.Last == snapshot && t.Wait != nil && t.Wait.Owner != 0 {
			waiters[t.ID] = Waiter{t.ID, t.Name, *t.Wait}
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	var circles []Deadlock
	seen := map[task.ThreadID]bool{}
	for _, id := range ids {
		if circle := circleFrom(id, waiters, seen); circle != nil {
			circles = append(circles, circle)
		}
	}
	return circles
}

// circleFrom follows owners from a thread on until one was met before, and
// returns the circle if that one is of this very path.
func circleFrom(id task.ThreadID, waiters map[task.ThreadID]Waiter, seen map[task.ThreadID]bool) Deadlock {
	var path Deadlock
	for w, ok := waiters[id]; ok && !seen[id]; w, ok = waiters[id] {
		seen[id] = true
		path = append(path, w)
		id = w.Wait.Owner
	}
	start := slices.IndexFunc(path, func(w Waiter) bool { return w.ID == id })
	if start < 0 {
		return nil
	}
	circle := path[start:]
	lowest := 0
	for i, w := range circle {
		if w.ID < circle[lowest].ID {
			lowest = i
		}
	}
	return append(slices.Clone(circle[lowest:]), circle[:lowest]...)
}
