package capture

import (
	"strings"
	"time"

	"stacksnap/images"
	"stacksnap/images/dyld"
	"stacksnap/images/elf"
	"stacksnap/task"
	"stacksnap/unwind"
)

const (
	keptMaps  = 8 // of layouts that were seen: one that comes again is not read again
	loadTries = 3

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
	find    func(task.Process) (*images.Map, []error)
	tries   int // of loading

	layout   layout // that the images are of
	latest   layout // the one that was read last
	before   layout // the one that was read last before the snapshot was taken
	images   *images.Map
	kept     []keptMap // of layouts that were seen, the current one last
	watching watching
	dyld     dyldList

	read     time.Time     // when a layout was
	patience time.Duration // how old it is at least before a stack that ends early has it read again
	checked  []bool        // which of layout.code were looked at for this snapshot
	changed  []bool        // and found to show something else by now
}

// unknownFile is equal to no file's number.
const unknownFile = ^uint64(0)

type keptMap struct {
	layout layout
	whole  bool        // each file of layout has its image
	loaded *images.Map // as it was found
}

// newFollower follows a process that is sampled.
func newFollower(p task.Process, note func(string), s *saving) *follower {
	f := &follower{process: p, note: note, saving: s, find: images.Load, tries: loadTries}
	f.start()
	return f
}

// start reads what is mapped at first.
func (f *follower) start() {
	p := f.process
	f.mapper, _ = p.(task.Mapper)
	f.watching.wary = waryFor
	if p.Info().OS == task.Darwin {
		f.dyld.timestamp = dyld.TimestampAddress(p.Info())
		f.loadList()
	} else {
		f.reread()
	}
}

// reread reads the layout, and the images where it is a new one; on Darwin
// loadList says when it is.
func (f *follower) reread() { f.follow(readLayout(f.process)) }

// follow makes a layout that was just read the current one.
func (f *follower) follow(l layout) {
	f.read = time.Now()
	if l.stamp == 0 && f.images != nil {
		return // the target is ending
	}
	f.latest = l
	f.patience = min(max(2*f.patience, firstPatience), maxPatience)
	if l.stamp != f.layout.stamp {
		f.patience = firstPatience
	}
	if f.images != nil {
		f.watching.compare(f.layout, l)
	}
	for i, k := range f.kept {
		if k.whole && k.layout.files == l.files {
			same := k.layout.stamp == l.stamp
			f.kept[i].layout = l
			f.use(i, same)
			return
		}
	}
	f.load(l)
}

// refresh reads the layout of a running process before it is stopped.
func (f *follower) refresh() {
	if f.mapper == nil {
		return
	}
	if l := readLayout(f.process); l.stamp != f.latest.stamp {
		f.follow(l)
	}
}

// use makes a kept map the current one; same says that it is of the same layout
// as when it was so last. A recording is told of every change.
func (f *follower) use(i int, same bool) {
	k := f.kept[i]
	f.layout = k.layout
	f.forgetChecks()
	if same && i == len(f.kept)-1 {
		return
	}
	f.kept = append(append(f.kept[:i:i], f.kept[i+1:]...), k)
	f.images = f.saving.place(k.loaded, k.layout)
}

// load loads the images of a layout, or of a later one where they turn out to be
// those of another moment.
func (f *follower) load(l layout) {
	var m *images.Map
	var whole bool
	for range f.tries {
		var errs []error
		m, errs = f.find(f.process)
		for _, err := range errs {
			f.note(err.Error())
		}
		if whole = l.agree(m, false); whole {
			break
		}
		before := l
		l = readLayout(f.process)
		f.latest = l
		if whole = l.stamp == before.stamp && l.agree(m, true); whole {
			break
		}
	}
	l.distrust(m)
	nameQueues(f.process, m)
	f.makeRoom()
	f.kept = append(f.kept, keptMap{l, whole, m})
	f.use(len(f.kept)-1, false)
}

// makeRoom drops the maps that lack something, of which there is better by now,
// and the oldest when there are too many. Nothing in them is named any more.
func (f *follower) makeRoom() {
	kept := f.kept[:0]
	for i, k := range f.kept {
		if k.whole && (i > 0 || len(f.kept) < keptMaps) {
			kept = append(kept, k)
		} else {
			_ = k.loaded.Close()
		}
	}
	clear(f.kept[len(kept):])
	f.kept = kept
}

// agree tells whether each mapping of a file has its image, or, where gaps are
// allowed, none: the files of other loaders' code are none (.NET's assemblies,
// Wine's libraries).
func (l layout) agree(m *images.Map, gaps bool) bool {
	for i, path := range l.paths {
		if l.maps[i].Inode == 0 {
			continue
		}
		im, found := m.Find(l.code[i].Start)
		if !found && gaps {
			continue
		}
		if !found || im.Path != path || l.isMixed(i, im) {
			return false
		}
	}
	return true
}

// isMixed tells whether the image of a mapping was made of memory that showed
// something else by then: it differs from the file at its path, which however was
// not replaced since.
func (l layout) isMixed(i int, im *images.Image) bool {
	return strings.HasPrefix(im.Note, elf.NoteReplaced) && !l.regions[i].PathDeleted
}

// distrust has every frame left out that is in a mapping to which another file's
// image was loaded.
func (l layout) distrust(m *images.Map) {
	for i, path := range l.paths {
		if im, found := m.Find(l.code[i].Start); found && (im.Path != path || l.isMixed(i, im)) {
			l.maps[i] = task.Mapping{Inode: unknownFile}
		}
	}
}

func (f *follower) close() {
	for _, k := range f.kept {
		_ = k.loaded.Close()
	}
	f.kept = nil
}

// begin is called before the stacks of a snapshot are walked.
func (f *follower) begin(s *task.Snapshot) {
	f.forgetChecks()
	if f.process.Info().OS == task.Darwin {
		f.followList(s)
		return
	}
	if f.mapper == nil {
		return
	}
	f.mapper.Renew()
	f.watching.see(f.layout, s)
	f.adopt(s, func(i int) bool { return !s.Threads[i].Same })
	f.checkRestless()
}

// adopt makes that kept map the current one which agrees best with what was
// mapped while some threads of a snapshot stood. It says false when none agrees
// better than the current one does.
func (f *follower) adopt(s *task.Snapshot, of func(i int) bool) bool {
	if len(f.kept) < 2 {
		return false
	}
	best, least := -1, 0
	for k := len(f.kept) - 1; k >= 0; k-- {
		n := f.kept[k].layout.misses(s, of)
		if best < 0 || n < least {
			best, least = k, n
		}
		if n == 0 {
			break
		}
	}
	if best == len(f.kept)-1 {
		return false
	}
	f.use(best, false)
	return true
}

// goBack makes the map current again that was so before the last was adopted.
func (f *follower) goBack() { f.use(len(f.kept)-2, false) }

// place has the current images used by the recording that was begun, or by none
// any more.
func (f *follower) place(s *saving) {
	f.saving = s
	f.images = s.place(f.kept[len(f.kept)-1].loaded, f.layout)
}

// watchAll returns what to look at in a stop that is not one of many: every
// place.
func (f *follower) watchAll() task.Watch {
	f.before = f.latest
	w := task.Watch{Mark: f.dyld.timestamp}
	if f.mapper == nil {
		return w
	}
	const most = 1 << 10
	for i, m := range f.layout.maps {
		if m.Inode != 0 && len(w.Mapped) < most {
			w.Mapped = append(w.Mapped, f.layout.code[i].Start)
		}
	}
	return w
}

// watch returns where to look in the next snapshot.
func (f *follower) watch() task.Watch {
	f.before = f.latest
	if f.mapper == nil {
		return task.Watch{Mark: f.dyld.watch()}
	}
	return task.Watch{Mapped: f.watching.addresses(f.layout, f.process.Info().Path)}
}

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
