package capture

import (
	"stacksnap/images/dyld"
	"stacksnap/task"
)

// dyldList is of which generation the images of a Darwin process are. Its
// timestamp is a reading of mach_absolute_time (dyld's ExternallyViewableState),
// which only grows: two equal readings tell that nothing changed between them.
type dyldList struct {
	generation dyld.Generation
	unknown    bool // it changed while the images were loaded
	changed    bool // since
}

// loadList loads the images, again where the list changed meanwhile.
func (f *follower) loadList() {
	old := f.kept
	f.kept = nil
	for range loadTries {
		for _, k := range f.kept {
			_ = k.loaded.Close()
		}
		f.kept = nil
		before, _ := dyld.ReadGeneration(f.process)
		f.reread()
		after, err := dyld.ReadGeneration(f.process)
		f.dyld = dyldList{generation: after, unknown: err == nil && before != after}
		if !f.dyld.unknown {
			break
		}
	}
	for _, k := range old {
		_ = k.loaded.Close()
	}
}

// followList compares the list with the one that the images are of. Threads that
// were captured before it changed are walked in these images, those that were
// captured after the last change in new ones.
func (f *follower) followList(s *task.Snapshot) {
	f.dyld.changed = false
	g, err := dyld.ReadGeneration(f.process)
	if err != nil || g == f.dyld.generation && !f.dyld.unknown {
		return
	}
	f.dyld.changed = true
	if !f.dyld.unknown && f.marked(s) {
		return
	}
	f.loadList()
	f.dyld.changed = true // for threads of which it is not known when they were captured
}

// marked tells whether all threads were captured before the list changed.
func (f *follower) marked(s *task.Snapshot) bool {
	for i := range s.Threads {
		t := &s.Threads[i]
		if !t.Same && (!t.Sight.HasMark || t.Sight.Mark != f.dyld.generation.Timestamp) {
			return false
		}
	}
	return true
}

// checkList tells whether a thread was captured when the list was as it is
// known.
func (f *follower) checkList(t *task.Thread) verdict {
	if f.process.Info().OS != task.Darwin {
		return asKnown
	}
	known := t.Sight.HasMark && t.Sight.Mark == f.dyld.generation.Timestamp
	if !t.Sight.HasMark {
		known = !f.dyld.changed
	}
	if known && !f.dyld.unknown {
		return asKnown
	}
	return exchanged
}
