package capture

import (
	"errors"
	"slices"
	"time"

	"stacksnap/images"
	"stacksnap/images/dyld"
	"stacksnap/task"
	"stacksnap/unwind"
)

const (
	keptMaps   = 8                      // of layouts that were seen: one that comes again is not read again
	rereadTime = 100 * time.Millisecond // where the system has no cheap way to notice a change
)

// follower knows what is mapped in a process while that changes. A new layout
// of its files is a new *images.Map.
type follower struct {
	process task.Process
	mapper  task.Mapper // process, where it can tell of one address
	note    func(string)
	saving  *saving

	layout     layout
	images     *images.Map
	kept       []keptMap // the newest last
	generation dyld.Generation
	read       time.Time // when layout was
	checked    []bool    // which of layout.code were looked at for this snapshot
	changed    []bool    // and found to show something else by now
}

type keptMap struct {
	files  uint64
	images *images.Map
}

func newFollower(p task.Process, note func(string), s *saving) *follower {
	f := &follower{process: p, note: note, saving: s}
	f.mapper, _ = p.(task.Mapper)
	f.generation, _ = dyld.ReadGeneration(p)
	f.reread()
	return f
}

// reread reads the layout, and the images where it is a new one.
func (f *follower) reread() {
	l := readLayout(f.process)
	f.read = time.Now()
	if l.stamp == 0 && f.images != nil {
		return // the target is ending
	}
	f.layout = l
	f.forgetChecks()
	for i, k := range f.kept {
		if k.files == l.files && f.saving == nil { // a recording is told of every change
			f.images = k.images
			f.kept = append(append(f.kept[:i:i], f.kept[i+1:]...), k)
			return
		}
	}
	f.load()
}

func (f *follower) load() {
	m, errs := images.Load(f.process)
	for _, err := range errs {
		f.note(err.Error())
	}
	nameQueues(f.process, m)
	m = f.saving.place(m)
	f.images = m
	if len(f.kept) == keptMaps {
		_ = f.kept[0].images.Close() // nothing in it is named any more
		f.kept = append(f.kept[:0], f.kept[1:]...)
	}
	f.kept = append(f.kept, keptMap{f.layout.files, m})
}

func (f *follower) close() {
	for _, k := range f.kept {
		_ = k.images.Close()
	}
	f.kept = nil
}

// begin is called before the stacks of a snapshot are walked. On Darwin dyld
// itself tells of changes.
func (f *follower) begin() {
	f.forgetChecks()
	switch g, err := dyld.ReadGeneration(f.process); {
	case f.process.Info().OS == task.Darwin:
		if err == nil && g != f.generation {
			f.generation = g
			f.close()
			f.reread()
		}
	case f.mapper == nil && time.Since(f.read) > rereadTime:
		f.reread()
	}
}

func (f *follower) forgetChecks() {
	n := len(f.layout.code)
	f.checked, f.changed = slices.Grow(f.checked[:0], n)[:n], slices.Grow(f.changed[:0], n)[:n]
	clear(f.checked)
	clear(f.changed)
}

// verdict is what a look at a walked stack tells of the images.
type verdict uint8

const (
	asKnown  verdict = iota
	newCode          // a frame is in code that was not there when the layout was read
	replaced         // a frame is where something else is mapped by now
)

// check compares what is mapped at the frames of a stack now with what was when
// the layout was read. Where both are the same, it was the same when the stack
// was captured in between.
func (f *follower) check(frames []unwind.Frame) verdict {
	if f.mapper == nil {
		return asKnown
	}
	v := asKnown
	for i := range frames {
		a := frames[i].PC
		if frames[i].Return {
			a--
		}
		v = max(v, f.checkAddress(a))
	}
	return v
}

func (f *follower) checkAddress(a task.Addr) verdict {
	i := f.layout.find(a)
	if i < 0 {
		if _, found, err := f.mapper.MappedAt(a); found && err == nil {
			return newCode
		}
		return asKnown // a wild address
	}
	if f.layout.maps[i].Inode == 0 {
		return asKnown // a JIT compiler's, which has no name
	}
	if !f.checked[i] {
		f.checked[i], f.changed[i] = true, f.isChanged(i, a)
	}
	if f.changed[i] {
		return replaced
	}
	return asKnown
}

func (f *follower) isChanged(i int, a task.Addr) bool {
	m, found, err := f.mapper.MappedAt(a)
	switch {
	case errors.Is(err, task.ErrUnsupported):
		f.mapper = nil
		return false
	case err != nil:
		return false // the target is ending
	}
	return !found || m != f.layout.maps[i]
}
