package managed

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// circles returns circles of tasks that await each other: at least one wherever tasks do. A task
// that awaits several others may be in several.
func circles(all []cpython.Task) (found [][]profile.TaskInDeadlock) {
	search := circleSearch{tasks: byAddress(all), state: map[task.Addr]visit{}}
	for i := range all {
		for _, circle := range search.from(all[i].At) {
			var tasks []profile.TaskInDeadlock
			for _, at := range circle {
				tasks = append(tasks, inDeadlock(search.tasks[at]))
			}
			found = append(found, tasks)
		}
	}
	return found
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
			from := slices.IndexFunc(path, func(p step) bool { return p.at == at })
			circle := make([]task.Addr, 0, len(path)-from)
			for _, p := range path[from:] {
				circle = append(circle, p.at)
			}
			found = append(found, circle)
		}
	}
	return found
}
