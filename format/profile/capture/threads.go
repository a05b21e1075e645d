package capture

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// keep drops the threads that are not wanted, and their stacks; if wanted is nil, it keeps all.
func keep(s *task.Snapshot, stacks []profile.Stack, wanted func(*task.Thread) bool) []profile.Stack {
	if wanted == nil {
		return stacks
	}
	kept := 0
	for i := range stacks {
		if t := &s.Threads[i]; wanted(t) {
			s.Threads[kept], stacks[kept] = *t, stacks[i]
			kept++
		}
	}
	s.Threads = s.Threads[:kept]
	return stacks[:kept]
}

// wantedThreads returns a function that reports whether a thread is wanted; nil: every thread
// is.
func wantedThreads(w *profile.ThreadFilter, p task.Process) (func(*task.Thread) bool, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	main, err := mainThread(w, p)
	return w.By(main), err
}

// mainThread returns the id of the main thread: on Linux the pid, elsewhere the lowest thread
// id.
func mainThread(w *profile.ThreadFilter, p task.Process) (task.ThreadID, error) {
	info := p.Info()
	if !w.Main || info.OS == task.Linux {
		return task.ThreadID(info.PID), nil
	}
	ids, err := p.Threads()
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return slices.Min(ids), nil
}
