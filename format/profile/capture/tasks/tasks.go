// Package tasks finds the tasks that the runtimes of a process schedule and that no thread runs:
// goroutines, tasks of asyncio. It also keeps them in recordings.
package tasks

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/goroutines"
	"stacksnap/format/profile/capture/managed"
	"stacksnap/images"
)

// Tasks are the tasks of a process, and the wait cycles among them.
type Tasks struct {
	All     []profile.FoundTask
	Circles []profile.TaskDeadlock
}

// Find reads the tasks of a process, which may run meanwhile. notes say what could not be read.
func Find(of *goroutines.Source, others *managed.Runtimes) (found Tasks, notes []string) {
	of.Attach = others.Go
	found.All, notes = goroutines.Find(of)
	more, circles, unread := others.Tasks()
	found.All, found.Circles = append(found.All, more...), circles
	return found, append(notes, unread...)
}

// AddTo adds the tasks to a profile. m has the images.
func (t *Tasks) AddTo(b *profile.Builder, m *images.Map) {
	for i := range t.All {
		b.AddTask(&t.All[i], m)
	}
	for _, c := range t.Circles {
		b.AddTaskDeadlock(c)
	}
}
