package profile

import (
	"fmt"
	"path"
	"slices"

	"stacksnap/task"
)

// ThreadFilter says which threads are wanted: those that meet every condition that
// is set. The zero value wants all.
type ThreadFilter struct {
	IDs   []task.ThreadID
	Names []string // patterns as [path.Match] takes them
	Main  bool     // the thread that the program was started on
	// Running wants threads that use or wait for a processor, Blocked those that
	// wait for something else; both together want either.
	Running, Blocked bool
}

// Check returns what is wrong with a pattern.
func (w *ThreadFilter) Check() error {
	for _, n := range w.Names {
		if _, err := path.Match(n, ""); err != nil {
			return fmt.Errorf("thread name %q: %w", n, err)
		}
	}
	return nil
}

// By returns what reports whether a thread is wanted, of a process with that main thread;
// nil where all are.
func (w *ThreadFilter) By(main task.ThreadID) (func(*task.Thread) bool, error) {
	if err := w.Check(); err != nil || len(w.IDs)+len(w.Names) == 0 && !w.Main && w.Running == w.Blocked {
		return nil, err
	}
	return func(t *task.Thread) bool { return w.meets(t.ID, t.Name, t.ID == main) && w.inState(t.State) }, nil
}

// Of returns a profile with the threads that are wanted alone. It does not know in
// which state they were: Running and Blocked are not looked at.
func (w *ThreadFilter) Of(p *Profile) (*Profile, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	some := *p
	some.Threads = slices.DeleteFunc(slices.Clone(p.Threads), func(t *Thread) bool {
		return !w.meets(t.ID, t.Name, t.Main)
	})
	return &some, nil
}

// meets reports whether a thread meets the conditions that hold in any state.
func (w *ThreadFilter) meets(id task.ThreadID, name string, isMain bool) bool {
	return (len(w.IDs) == 0 || slices.Contains(w.IDs, id)) && (len(w.Names) == 0 || w.named(name)) && (!w.Main || isMain)
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
