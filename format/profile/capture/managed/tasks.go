package managed

import (
	"cmp"
	"fmt"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes/cpython"
)

// taskReader is a runtime with tasks that no thread runs.
type taskReader interface {
	Tasks(m task.Memory, in *images.Map) (cpython.Tasks, error)
}

// Tasks returns the tasks that no thread runs, and circles of them. Notes say what could not be
// read. The process runs meanwhile.
func (r *Runtimes) Tasks() (found []profile.FoundTask, deadlocks []profile.TaskDeadlock, notes []string) {
	if !r.Any() {
		return nil, nil, nil
	}
	for i := range r.found {
		reader, ok := r.found[i].Instance.(taskReader)
		if !ok {
			continue
		}
		all, err := reader.Tasks(r.memory, r.in)
		if err != nil {
			notes = append(notes, err.Error()+"; tasks of asyncio are not shown")
		}
		tasks := byName(all.All)
		name := r.found[i].Name()
		for _, t := range mergeTasks(name, tasks) {
			found = append(found, profile.FoundTask{Task: t.Task, Frames: framesOf(t.frames)})
		}
		in, more := circles(tasks)
		for _, circle := range in {
			deadlocks = append(deadlocks, profile.TaskDeadlock{Runtime: name, Tasks: circle})
		}
		if more {
			notes = append(notes, "tasks of asyncio await each other in more circles than are shown")
		}
		notes = append(notes, notesOn(&all)...)
	}
	return found, deadlocks, notes
}

// framesOf returns the frames of coroutines in the order of stacks: the innermost first. Coroutines begin with
// the outermost.
func framesOf(coroutines []task.ManagedFrame) []unwind.Frame {
	frames := make([]unwind.Frame, len(coroutines))
	for i := range coroutines {
		frames[len(frames)-1-i].Managed = &coroutines[i]
	}
	return frames
}

// notesOn returns notes on how many tasks are missing.
func notesOn(all *cpython.Tasks) (notes []string) {
	add := func(n int, why string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("tasks of asyncio that are not shown, %s: %d", why, n))
		}
	}
	add(all.Changed, "for they changed each time that they were read")
	add(all.Unread, "for they cannot be read, or are not of the class _asyncio.Task")
	add(all.Deep, "for they await a longer chain of coroutines than is followed")
	add(all.LeftOut, "for more were found than there is room for (some of these may be done)")
	return notes
}

// byName returns tasks in the order of their names, as asyncio numbers them.
func byName(all []cpython.Task) []*cpython.Task {
	sorted := make([]*cpython.Task, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	slices.SortFunc(sorted, func(a, b *cpython.Task) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.At, b.At))
	})
	return sorted
}
