package capture

import (
	"fmt"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind/runtimes"
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

// meets reports whether a sample is of a thread that met [Options].Only. How long the thread ran
// before says nothing then.
func (t *target) meets(th *task.Thread) bool {
	if t.options.Only == runtimes.Any {
		return true
	}
	th.Schedule = task.Schedule{}
	return t.runtimes.Meets(th)
}

// onlyErr returns why threads cannot be selected by [Options].Only; nil: they can be.
func (t *target) onlyErr() error {
	if t.options.Only == runtimes.Any {
		return nil
	}
	return t.runtimes.OnlyErr()
}

// noteOnly notes what alone is shown.
func (t *target) noteOnly() {
	switch {
	case t.options.Only == runtimes.Any:
	case t.unmet > 0:
		t.note(fmt.Sprintf("only samples of threads that %v are shown: %d others are left out", t.options.Only, t.unmet))
	default:
		t.note(fmt.Sprintf("only threads that %v are shown", t.options.Only))
	}
}

// alsoMeets returns a filter of threads that has them meet [Options].Only as well, after they were
// captured.
func (t *target) alsoMeets(wanted func(*task.Thread) bool) func(*task.Thread) bool {
	if t.options.Only == runtimes.Any {
		return wanted
	}
	return func(th *task.Thread) bool { return (wanted == nil || wanted(th)) && t.meets(th) }
}
