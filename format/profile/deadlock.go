package profile

import (
	"slices"

	"stacksnap/task"
)

// findDeadlocks returns each circle of the threads of a snapshot of which every
// one waits for what the next has, once, from its lowest id on. A thread waits
// for one thing at a time, so that no two circles share a thread.
func findDeadlocks(threads []*Thread, snapshot int) [][]task.ThreadID {
	next := map[task.ThreadID]task.ThreadID{}
	var ids []task.ThreadID
	for _, t := range threads {
		if t.Last == snapshot && t.Wait != nil && t.Wait.Owner != 0 {
			next[t.ID] = t.Wait.Owner
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	var circles [][]task.ThreadID
	seen := map[task.ThreadID]bool{}
	for _, id := range ids {
		if circle := circleFrom(id, next, seen); circle != nil {
			circles = append(circles, circle)
		}
	}
	return circles
}

// circleFrom follows owners from a thread on until one was met before, and
// returns the circle if that one is of this very path.
func circleFrom(id task.ThreadID, next map[task.ThreadID]task.ThreadID, seen map[task.ThreadID]bool) []task.ThreadID {
	var path []task.ThreadID
	for ; id != 0 && !seen[id]; id = next[id] {
		seen[id] = true
		path = append(path, id)
	}
	start := slices.Index(path, id)
	if start < 0 {
		return nil
	}
	circle := path[start:]
	lowest := slices.Index(circle, slices.Min(circle))
	return append(slices.Clone(circle[lowest:]), circle[:lowest]...)
}

// Find returns the entry of a thread, or the one that it was folded into; nil
// when there is none.
func (p *Profile) Find(id task.ThreadID) *Thread {
	for _, t := range p.Threads {
		if t.ID == id || slices.ContainsFunc(t.Same, func(s ThreadName) bool { return s.ID == id }) {
			return t
		}
	}
	return nil
}
