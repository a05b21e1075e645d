package managed

import (
	"cmp"
	"fmt"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// taskReader is a runtime with tasks that no thread runs.
type taskReader interface {
	Tasks(m task.Memory, in *images.Map) (cpython.Tasks, error)
}

// AddTasks adds to a profile the tasks that no thread runs. The process runs meanwhile.
func (r *Runtimes) AddTasks(b *profile.Builder) {
	if !r.Any() {
		return
	}
	for i := range r.found {
		reader, ok := r.found[i].Instance.(taskReader)
		if !ok {
			continue
		}
		all, err := reader.Tasks(r.memory, r.in)
		if err != nil {
			r.note(err.Error() + "; tasks of asyncio are not shown")
		}
		sortTasks(all.All)
		name := r.found[i].Name()
		for _, t := range mergeTasks(name, all.All) {
			b.AddManagedTask(&t.Task, t.frames)
		}
		found, more := circles(all.All)
		for _, circle := range found {
			b.AddTaskDeadlock(profile.TaskDeadlock{Runtime: name, Tasks: circle})
		}
		if more {
			r.note("tasks of asyncio await each other in more circles than are shown")
		}
		r.noteTasks(&all)
	}
}

// noteTasks notes how many tasks are missing.
func (r *Runtimes) noteTasks(all *cpython.Tasks) {
	add := func(n int, why string) {
		if n > 0 {
			r.note(fmt.Sprintf("tasks of asyncio that are not shown, %s: %d", why, n))
		}
	}
	add(all.Changed, "for they changed each time that they were read")
	add(all.Unread, "for they cannot be read, or are not of the class _asyncio.Task")
	add(all.Deep, "for they await a longer chain of coroutines than is followed")
	add(all.LeftOut, "for more were found than there is room for (some of these may be done)")
}

// sortTasks sorts tasks by name, as asyncio numbers them.
func sortTasks(all []cpython.Task) {
	slices.SortFunc(all, func(a, b cpython.Task) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.At, b.At))
	})
}
