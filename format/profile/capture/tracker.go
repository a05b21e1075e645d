package capture

import (
	"math/bits"
	"time"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/unwind"
)

const (
	loadTries = 3

	firstReread = 500 * time.Microsecond // doubled each time that nothing has changed
	maxReread   = time.Second
)

// tracker keeps track of what is mapped in a process. When the memory map has other files, it
// has a new *images.Map.
type tracker struct {
	process task.Process
	maps    task.MapReader // the process's; nil: it cannot look up single addresses
	note    func(string)
	onStop  func(time.Duration) // called for each stop that belongs to no snapshot; nil: there must be none
	saving  *saving
	code    *codeMemory // for the current images
	find    func(task.Process) (*images.Map, []error)
	from    *binaries.Index // source of symbols; may be nil
	tries   int             // attempts to load images
	single  bool            // single snapshots are taken: each matters, and may be repeated

	memoryMap memoryMap // the memory map to which the images belong
	latest    memoryMap // the last memory map that was read
	before    memoryMap // the last one that was read before the snapshot was taken
	images    *images.Map
	kept      []keptMap // maps of earlier memory maps, the current one last
	churn     churn
	dyld      dyldList
	jit       jitNames

	read        time.Time     // when a memory map was last read
	rereadAfter time.Duration // the age from which on a stack that ends early makes it be read again
	checked     []bool        // elements of memoryMap.code that were checked for this snapshot
	unsure      bool          // the memory map of the last snapshot is not known
	short       bool          // the note that symbols are missing was added
	renamed     bool          // the process's name differs from the profile's

	snapshots uint   // snapshots that were added
	changed   []bool // elements that were checked and found to be mapped otherwise
}

// unknownFile differs from every file's number.
const unknownFile = ^uint64(0)

// newTracker returns a tracker for a process that is sampled.
func newTracker(p task.Process, note func(string), onStop func(time.Duration), s *saving, o *Options, code *codeMemory) *tracker {
	f := &tracker{
		process: p, note: note, onStop: onStop, saving: s, code: code, find: o.finder(), from: o.Binaries, tries: 1,
	}
	if p.Info().Live {
		f.tries = loadTries // the process may change meanwhile
	}
	f.start()
	return f
}

// finder returns a function that finds the images of a process, with the symbols that binaries
// have for them. All memory maps of a process share the open files.
func (o *Options) finder() func(task.Process) (*images.Map, []error) {
	from, files := o.Binaries, o.Files
	if files == nil {
		files = new(images.Files)
	}
	return func(p task.Process) (*images.Map, []error) { return images.Load(p, from, files) }
}

// ShortLine is the note that names are missing because of a lack of memory.
const ShortLine = "symbols are missing: the tables of all files together are larger than what is read or kept of them (1 GB, 512 MB)"

// noteShort adds ShortLine once, if it is true.
func (f *tracker) noteShort() {
	for _, k := range f.kept {
		if !f.short && k.loaded != nil && k.loaded.Short() {
			f.short = true
			f.note(ShortLine)
		}
	}
}

// name gives a profile the new name of the process, if it has one. It also reads the name after
// the 1st, 2nd, 4th, 8th … snapshot, because exec may end late.
func (f *tracker) name(b *profile.Builder) {
	if f.snapshots++; f.usesList() && bits.OnesCount(f.snapshots) == 1 {
		f.rename()
	}
	if f.renamed {
		b.SetTarget(f.process.Info())
		f.renamed = false
	}
}

// rename reads the name of the process again.
func (f *tracker) rename() {
	if l := f.process.Capabilities().Loader; l != nil {
		f.renamed = l.Rename() || f.renamed
	}
}

// start reads the mappings for the first time.
func (f *tracker) start() {
	p := f.process
	f.maps = p.Capabilities().Maps
	f.jit.maps = f.maps
	f.jit.memory = p.Memory()
	f.churn.allFor = watchAllFor
	if info := p.Info(); info.OS == task.Darwin && info.Live {
		f.startList()
		return
	}
	f.reread()
}

// usesList reports whether the images are known from dyld's list.
func (f *tracker) usesList() bool { return f.dyld.tracker != nil }

// reread reads the memory map and, if it is a new one, the images.
func (f *tracker) reread() {
	if f.usesList() {
		f.readRegions()
		f.useImages(f.dyld.listed.Images)
		return
	}
	f.useMemoryMap(f.latest.renew(f.process))
}

// useMemoryMap makes current a memory map that was just read.
func (f *tracker) useMemoryMap(l memoryMap) {
	f.read = time.Now()
	if l.stamp == 0 && f.images != nil {
		return // the target is ending
	}
	f.latest = l
	f.rereadAfter = min(max(2*f.rereadAfter, firstReread), maxReread)
	if l.stamp != f.memoryMap.stamp {
		f.rereadAfter = firstReread
	}
	if f.images != nil {
		f.churn.compare(f.memoryMap, l)
	}
	if !f.useKept(l) {
		f.load(l)
	}
}

// useKept makes current again the map that was kept for a memory map, and reports whether there
// is one.
func (f *tracker) useKept(l memoryMap) bool {
	for i, k := range f.kept {
		if k.whole && k.memoryMap.files == l.files {
			same := k.memoryMap.stamp == l.stamp
			f.kept[i].memoryMap = l
			f.use(i, same)
			return true
		}
	}
	return false
}

// refresh reads the memory map of a running process before the process is stopped.
func (f *tracker) refresh() {
	switch {
	case f.usesList():
		f.refreshList()
		return
	case f.maps == nil:
		return
	}
	if l := readMemoryMap(f.process); l.stamp != f.latest.stamp {
		f.useMemoryMap(l)
	}
}

// use makes a kept map the current one; same means that its memory map has not changed since it
// was last current. Every change is written to the recording.
func (f *tracker) use(i int, same bool) {
	k := f.kept[i]
	f.memoryMap = k.memoryMap
	f.code.in = k.loaded
	f.forgetChecks()
	if same && i == len(f.kept)-1 {
		return
	}
	f.kept = append(append(f.kept[:i:i], f.kept[i+1:]...), k)
	f.images = f.saving.place(f.withNames(k.loaded, k.memoryMap), k.memoryMap)
}

func (f *tracker) close() {
	f.jit.close()
	for _, k := range f.kept {
		k.close()
	}
	f.kept = nil
	for _, named := range f.dyld.named {
		if named != nil {
			_ = named.Close()
		}
	}
	if f.usesList() {
		f.dyld.tracker.Close()
	}
}

// begin is called before the stacks of a snapshot are walked.
func (f *tracker) begin(s *task.Snapshot) {
	f.forgetChecks()
	if f.usesList() {
		f.compareList(s)
		return
	}
	if f.maps == nil {
		return
	}
	f.maps.Renew()
	f.churn.see(f.memoryMap, s)
	f.adopt(s, func(i int) bool { return !s.Threads[i].Same })
	f.checkRemapped()
	f.renewNames()
}

// adopt makes current the kept map that agrees best with what the stops of some threads found
// mapped; of selects the threads. It returns false if no map agrees better than the current one.
// A map that lacks an image is not adopted: its memory map is loaded again when it comes back.
func (f *tracker) adopt(s *task.Snapshot, of func(i int) bool) bool {
	if len(f.kept) < 2 {
		return false
	}
	best, least := -1, 0
	for k := len(f.kept) - 1; k >= 0; k-- {
		if best >= 0 && !f.kept[k].whole {
			continue
		}
		n := f.kept[k].memoryMap.misses(s, of)
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

// goBack makes current again the map that was current before the last one was adopted.
func (f *tracker) goBack() { f.use(len(f.kept)-2, false) }

// place makes a recording that was begun use the current images; nil: there is no recording any
// more.
func (f *tracker) place(s *saving) {
	f.saving = s
	f.images = s.place(f.withNames(f.kept[len(f.kept)-1].loaded, f.memoryMap), f.memoryMap)
}

// watchAll returns what to probe in the stop of a single snapshot: every file of the current
// memory map, which may be an adopted one, and of the last one that was read. An address that is
// not probed is taken to be unchanged if the latter agrees with what is mapped afterwards; but a
// file may have gone and come back in between.
func (f *tracker) watchAll() task.Watch {
	f.before = f.latest
	var w task.Watch
	switch {
	case f.usesList():
		return f.watchList(maxShown)
	case f.maps == nil:
		return w
	}
	const most = 1 << 10
	places := []memoryMap{f.memoryMap}
	if f.before.stamp != f.memoryMap.stamp {
		places = append(places, f.before)
	}
	for k, l := range places {
		for i, m := range l.maps {
			a := l.code[i].Start
			if m.Inode != 0 && len(w.Mapped) < most && (k == 0 || !f.memoryMap.starts(a)) {
				w.Mapped = append(w.Mapped, a)
			}
		}
	}
	return w
}

// watch returns what to probe in the next snapshot, and is called just before that is taken.
// After a snapshot with an unknown memory map it reads the memory map again. Reading it only
// after each snapshot would not suffice: a target that maps and unmaps at the pace of the
// sampling could have another one at each of those moments.
func (f *tracker) watch() task.Watch {
	if f.unsure && !f.usesList() {
		f.refresh()
	}
	f.unsure = false
	f.before = f.latest
	switch {
	case f.usesList():
		return f.watchList(task.MaxIDs)
	case f.maps == nil:
		return task.Watch{}
	}
	return task.Watch{Mapped: f.churn.addresses(f.memoryMap, f.process.Info().Path)}
}

// doubts reports whether to read the memory map again because of how a walk ended: a walk that
// ended early may have led to code that was mapped since, as when a program has just been
// started. That helps only later samples, because it is not known whether the new code was
// mapped at this one.
func (f *tracker) doubts(stop unwind.Stop) bool {
	switch stop.Reason {
	case unwind.BadPointer, unwind.NoCaller:
		return time.Since(f.read) > f.rereadAfter
	}
	return false
}
