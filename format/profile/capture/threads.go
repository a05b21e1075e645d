package capture

import (
	"fmt"
	"path"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Threads says which threads are wanted: those that meet every condition that
// is set. The zero value wants all.
type Threads struct {
	IDs   []task.ThreadID
	Names []string // patterns as [path.Match] takes them
	Main  bool     // the thread that the program was started on
	// Running wants threads that use or wait for a processor, Blocked those that
	// wait for something else; both together want either.
	Running, Blocked bool
}

// Check returns what is wrong with a pattern.
func (w *Threads) Check() error {
	for _, n := range w.Names {
		if _, err := path.Match(n, ""); err != nil {
			return fmt.Errorf("thread name %q: %w", n, err)
		}
	}
	return nil
}

// filter returns nil where all threads are wanted.
func (w *Threads) filter(p task.Process) (func(*task.Thread) bool, error) {
	main, err := w.mainThread(p)
	if err != nil {
		return nil, err
	}
	return w.FilterBy(main)
}

// FilterBy returns which threads are wanted where it is known which one is the main thread;
// nil where all are.
func (w *Threads) FilterBy(main task.ThreadID) (func(*task.Thread) bool, error) {
	if err := w.Check(); err != nil || len(w.IDs)+len(w.Names) == 0 && !w.Main && w.Running == w.Blocked {
		return nil, err
	}
	return func(t *task.Thread) bool {
		return (len(w.IDs) == 0 || slices.Contains(w.IDs, t.ID)) &&
			(len(w.Names) == 0 || w.named(t.Name)) &&
			(!w.Main || t.ID == main) && w.inState(t.State)
	}, nil
}

// Of returns a profile with the threads that are wanted alone. It does not know in
// which state they were: Running and Blocked are not looked at.
func (w *Threads) Of(p *profile.Profile) (*profile.Profile, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	some := *p
	some.Threads = slices.DeleteFunc(slices.Clone(p.Threads), func(t *profile.Thread) bool {
		return len(w.IDs) > 0 && !slices.Contains(w.IDs, t.ID) || len(w.Names) > 0 && !w.named(t.Name) || w.Main && !t.Main
	})
	return &some, nil
}

// keep drops the threads that are not wanted, and their stacks; a wanted of nil
// wants all.
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

// mainThread finds the main thread: on Linux its id is the process's, elsewhere
// it is the oldest.
func (w *Threads) mainThread(p task.Process) (task.ThreadID, error) {
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

func (w *Threads) named(name string) bool {
	return slices.ContainsFunc(w.Names, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

func (w *Threads) inState(s task.State) bool {
	switch {
	case w.Running == w.Blocked:
		return true
	case w.Running:
		return s == task.Running
	}
	return s == task.Sleeping || s == task.Uninterruptible
}
