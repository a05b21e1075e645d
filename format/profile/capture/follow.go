package capture

import (
	"errors"
	"slices"
	"time"

	"stacksnap/images"
	"stacksnap/images/dyld"
	"stacksnap/images/elf"
	"stacksnap/task"
	"stacksnap/unwind"
)

const (
	keptMaps    = 8 // of layouts that were seen: one that comes again is not read again
	loadTries   = 3
	maxRestless = 32
	rereadTime  = 100 * time.Millisecond // where the system has no cheap way to notice a change

	firstPatience = 500 * time.Microsecond // doubled each time that nothing has changed
	maxPatience   = time.Second
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
	kept       []keptMap   // the newest last
	restless   []task.Addr // where files have come and gone before
	generation dyld.Generation
	read       time.Time     // when layout was
	patience   time.Duration // how old it is at least before a stack that ends early has it read again
	checked    []bool        // which of layout.code were looked at for this snapshot
	changed    []bool        // and found to show something else by now
}

// unknownFile is equal to no file's number.
const unknownFile = ^uint64(0)

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
	f.patience = min(max(2*f.patience, firstPatience), maxPatience)
	if l.stamp != f.layout.stamp {
		f.patience = firstPatience
	}
	f.noteChanges(l)
	f.layout = l
	f.forgetChecks()
	for i, k := range f.kept {
		if k.files == l.files && k.files != 0 && f.saving == nil { // a recording is told of every change
			f.images = k.images
			f.kept = append(append(f.kept[:i:i], f.kept[i+1:]...), k)
			return
		}
	}
	f.load()
}

// load loads the images, again where they turn out to be those of another moment
// than the layout.
func (f *follower) load() {
	var m *images.Map
	for range loadTries {
		var errs []error
		m, errs = images.Load(f.process)
		for _, err := range errs {
			f.note(err.Error())
		}
		if f.agree(m) {
			break
		}
		f.layout = readLayout(f.process)
		f.forgetChecks()
	}
	files := f.layout.files
	if !f.agree(m) {
		files = 0 // not to be used again
	}
	f.distrust(m)
	nameQueues(f.process, m)
	m = f.saving.place(m)
	f.images = m
	if len(f.kept) == keptMaps {
		_ = f.kept[0].images.Close() // nothing in it is named any more
		f.kept = append(f.kept[:0], f.kept[1:]...)
	}
	f.kept = append(f.kept, keptMap{files, m})
}

// noteChanges notes where a new layout shows other files than the last one.
func (f *follower) noteChanges(l layout) {
	for i, m := range l.maps {
		if old := f.layout.find(l.code[i].Start); f.images == nil || m.Inode == 0 || old >= 0 && f.layout.maps[old] == m {
			continue
		}
		if a := l.code[i].Start; len(f.restless) < maxRestless && !slices.Contains(f.restless, a) {
			f.restless = append(f.restless, a)
		}
	}
}

// agree tells whether each mapping of a file has its image.
func (f *follower) agree(m *images.Map) bool {
	for i, path := range f.layout.paths {
		if f.layout.maps[i].Inode == 0 {
			continue
		}
		im, found := m.Find(f.layout.code[i].Start)
		if !found || im.Path != path || im.Note == elf.NoteReplaced { // or loaded from what is there now
			return false
		}
	}
	return true
}

// distrust has every frame left out that is in a mapping to which another file's
// image was loaded.
func (f *follower) distrust(m *images.Map) {
	for i, path := range f.layout.paths {
		if im, found := m.Find(f.layout.code[i].Start); found && im.Path != path {
			f.layout.maps[i] = task.Mapping{Inode: unknownFile}
		}
	}
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
	f.checkRestless()
}

// checkRestless looks at once at the places where files come and go: by the end
// of a walk they may have gone and come again.
func (f *follower) checkRestless() {
	for _, a := range f.restless {
		if i := f.layout.find(a); i >= 0 && f.mapper != nil && f.layout.maps[i].Inode != 0 {
			f.checked[i], f.changed[i] = true, f.isChanged(i, a)
		}
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
	asKnown   verdict = iota
	generated         // a frame is in code of no file, which was not there when the layout was read
	exchanged         // a frame is where another file is mapped by now, or none was
)

// doubts tells whether the way in which a walk ended is reason to read the layout
// again: one that ended early may have led to code that was mapped after it was
// read, as when a program has just been started. It is for the samples to come:
// of this one it would not be known whether the new code was there.
func (f *follower) doubts(stop unwind.Stop) bool {
	switch stop.Reason {
	case unwind.BadPointer, unwind.NoCaller:
		return time.Since(f.read) > f.patience
	}
	return false
}

// check compares what is mapped at the frames of a stack now with what was when
// the layout was read. Where both are the same, it was the same when the stack
// was captured in between. Where they are not, what was there at that moment is
// not known: by the time that a new layout has been read, the code may have been
// exchanged once more.
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
		return f.checkUnknown(a)
	}
	if f.layout.maps[i].Inode == 0 {
		return asKnown // a JIT compiler's, which has no name
	}
	if !f.checked[i] {
		f.checked[i], f.changed[i] = true, f.isChanged(i, a)
	}
	if f.changed[i] {
		return exchanged
	}
	return asKnown
}

// checkUnknown is for an address where nothing was mapped that could be executed.
func (f *follower) checkUnknown(a task.Addr) verdict {
	m, found, err := f.mapper.MappedAt(a)
	switch {
	case err != nil || !found:
		return asKnown // a wild address, which will have no name
	case m.Inode == 0:
		return generated
	}
	return exchanged
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
