package profile

import (
	"fmt"
	"path"
	"slices"

	"stacksnap/task"
)

// ThreadFilter selects the threads that meet every condition that is set. The zero value
// selects all.
type ThreadFilter struct {
	IDs   []task.ThreadID
	Names []string // patterns of [path.Match]
	Main  bool     // only the main thread
	// Running selects threads that use or wait for a CPU, Blocked those that wait for
	// something else. Both together select either.
	Running, Blocked bool
}

// Check returns an error if a pattern is malformed.
func (w *ThreadFilter) Check() error {
	for _, n := range w.Names {
		if _, err := path.Match(n, ""); err != nil {
			return fmt.Errorf("thread name %q: %w", n, err)
		}
	}
	return nil
}

// By returns a function that reports whether a thread is selected, in a process with that
// main thread; nil if all are. The patterns must have passed Check: another matches no name.
func (w *ThreadFilter) By(main task.ThreadID) func(*task.Thread) bool {
	if len(w.IDs)+len(w.Names) == 0 && !w.Main && w.Running == w.Blocked {
		return nil
	}
	return func(t *task.Thread) bool {
		return w.meets(t.ID, t.ID == main, t.Name, t.RuntimeName) && w.inState(t.State)
	}
}

// Of returns a profile with only the selected threads. It ignores Running and Blocked,
// which are for the moment of the capture.
func (w *ThreadFilter) Of(p *Profile) (*Profile, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	some := *p
	some.Threads = slices.DeleteFunc(slices.Clone(p.Threads), func(t *Thread) bool {
		return !w.meets(t.ID, t.Main, t.Name, t.RuntimeName)
	})
	return &some, nil
}

// meets reports whether a thread meets the conditions other than its state.
func (w *ThreadFilter) meets(id task.ThreadID, isMain bool, names ...string) bool {
	return (len(w.IDs) == 0 || slices.Contains(w.IDs, id)) && (len(w.Names) == 0 || slices.ContainsFunc(names, w.named)) && (!w.Main || isMain)
}

func (w *ThreadFilter) named(name string) bool {
	return slices.ContainsFunc(w.Names, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

func (w *ThreadFilter) inState(s task.State) bool {
	switch {
	case w.Running == w.Blocked:
		return true
	case w.Running:
		return s == task.Running
	}
	return s == task.Sleeping || s == task.Uninterruptible
}
