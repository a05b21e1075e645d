package capture

import (
	"fmt"

	"stacksnap/task"
	"stacksnap/unwind/runtimes"
)

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
