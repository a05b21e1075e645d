package managed

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// maxInCircles is the most tasks in all circles that are shown.
const maxInCircles = 1 << 14

// circles returns circles of tasks that await each other: at least one wherever tasks do, up to
// maxInCircles; more reports whether there are others. A task that awaits several others may be in
// several.
func circles(all []*cpython.Task) (found [][]profile.TaskInDeadlock, more bool) {
	search := circleSearch{tasks: byAddress(all), state: map[task.Addr]visit{}, room: maxInCircles}
	for i := range all {
		for _, circle := range search.from(all[i].At) {
			var tasks []profile.TaskInDeadlock
			for _, at := range circle {
				tasks = append(tasks, inDeadlock(search.tasks[at]))
			}
			found = append(found, tasks)
		}
	}
	return found, search.more
}

// inDeadlock describes a task of a circle. Only damaged ones have no frames.
func inDeadlock(t *cpython.Task) profile.TaskInDeadlock {
	d := profile.TaskInDeadlock{ID: uint64(t.At), Name: t.Name}
	if len(t.Frames) > 0 {
		d.Function = t.Frames[0].Function
	}
	return d
}

// visit is how far a search has come with a task.
type visit uint8

const (
	unvisited visit = iota
	onPath          // of the search
	visited
)

// circleSearch searches depth first, with a path of its own instead of recursion.
type circleSearch struct {
	tasks map[task.Addr]*cpython.Task
	state map[task.Addr]visit
	room  int  // for tasks in circles
	more  bool // a circle was left out
}

// step is a task on the path.
type step struct {
	at   task.Addr
	next int // of the tasks that it awaits: the one to follow
}

// from returns the circles that a search from start finds among tasks that were not visited.
func (s *circleSearch) from(start task.Addr) (found [][]task.Addr) {
	if s.state[start] != unvisited {
		return nil
	}
	path := []step{{at: start}}
	s.state[start] = onPath
	for len(path) > 0 {
		last := &path[len(path)-1]
		awaits := s.tasks[last.at].Awaits
		if last.next == len(awaits) {
			s.state[last.at] = visited
			path = path[:len(path)-1]
			continue
		}
		at := awaits[last.next]
		last.next++
		switch {
		case s.tasks[at] == nil:
		case s.state[at] == unvisited:
			s.state[at] = onPath
			path = append(path, step{at: at})
		case s.state[at] == onPath:
			if circle := s.circle(path, at); circle != nil {
				found = append(found, circle)
			}
		}
	}
	return found
}

// circle returns the tasks of a path from one of them on, nil if there is no room for them.
func (s *circleSearch) circle(path []step, from task.Addr) (circle []task.Addr) {
	for i := len(path) - 1; i >= 0 && len(circle) < s.room; i-- {
		circle = append(circle, path[i].at)
		if path[i].at == from {
			s.room -= len(circle)
			slices.Reverse(circle)
			return circle
		}
	}
	s.more = true
	return nil
}
