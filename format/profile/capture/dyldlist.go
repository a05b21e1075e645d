package capture

import (
	"stacksnap/images/dyld"
	"stacksnap/task"
)

// dyldList tells of which generation the images of a Darwin process are. Its
// timestamp is a reading of mach_absolute_time (dyld's ExternallyViewableState),
// which only grows: two equal readings tell that nothing changed between them.
// So no stop has to read it in a process whose list stays; once that has
// changed, it is read while the target stands.
type dyldList struct {
	timestamp  task.Addr // where it is
	generation dyld.Generation
	unknown    bool // the list changed while the images were loaded
	changed    bool // since the images were loaded or compared last
	reads      int  // for how many snapshots more the timestamp is read in the stop
}

func (d *dyldList) watch() task.Addr {
	if d.reads == 0 {
		return 0
	}
	d.reads--
	return d.timestamp
}

// loadList loads the images, again where the list changed meanwhile.
func (f *follower) loadList() {
	var old []keptMap
	for range loadTries {
		before, _ := dyld.ReadGeneration(f.process)
		kept := f.kept
		f.kept = nil
		f.reread()
		if f.kept == nil { // the target is ending
			f.kept = kept
			break
		}
		old = append(old, kept...)
		after, err := dyld.ReadGeneration(f.process)
		f.dyld.generation, f.dyld.unknown = after, err == nil && before != after
		if !f.dyld.unknown {
			break
		}
	}
	for _, k := range old {
		_ = k.loaded.Close() // nothing in it is named any more
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
	f.dyld.reads = calmAfter
	f.dyld.changed = true // threads without a mark may have been captured before or after
	if f.dyld.unknown || !f.areMarked(s) {
		f.loadList()
	}
}

// areMarked tells whether all threads were captured before the list changed.
func (f *follower) areMarked(s *task.Snapshot) bool {
	for i := range s.Threads {
		if t := &s.Threads[i]; !t.Same && !f.isMarked(t) {
			return false
		}
	}
	return true
}

// isMarked tells whether a thread was captured when the list was as the images
// are: while dyld changes it, the timestamp is still the old one, and nothing of
// what is added or removed is run.
func (f *follower) isMarked(t *task.Thread) bool {
	return t.Sight.HasMark && t.Sight.Mark == f.dyld.generation.Timestamp
}

// checkList judges a thread by the list alone.
func (f *follower) checkList(t *task.Thread) verdict {
	switch {
	case f.process.Info().OS != task.Darwin:
		return asKnown
	case f.dyld.unknown:
		return exchanged
	case f.isMarked(t), !t.Sight.HasMark && !f.dyld.changed:
		return asKnown
	}
	return exchanged
}
