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

// tracker knows what is mapped in a process while that changes. A new memory map
// of its files is a new *images.Map.
type tracker struct {
	process task.Process
	maps    task.MapReader // the process's; nil: it cannot tell of one address
	note    func(string)
	onStop  func(time.Duration) // is called with each stop besides those of snapshots; nil: there are to be none
	saving  *saving
	code    *codeMemory // of the current images
	find    func(task.Process) (*images.Map, []error)
	from    *binaries.Index // of symbols; may be nil
	tries   int             // of loading
	single  bool            // each stop counts, and may be repeated

	memoryMap memoryMap // that the images are of
	latest    memoryMap // the one that was read last
	before    memoryMap // the one that was read last before the snapshot was taken
	images    *images.Map
	kept      []keptMap // of memory maps that were seen, the current one last
	churn     churn
	dyld      dyldList
	jit       jitNames

	read        time.Time     // when a memory map was
	rereadAfter time.Duration // the age from which on a stack that ends early has it read again
	checked     []bool        // which of memoryMap.code were looked at for this snapshot
	unsure      bool          // the last snapshot was of a memory map that is not known
	short       bool          // the note that symbols are missing was added
	renamed     bool          // the process is called otherwise than the profile says

	snapshots uint   // that were added
	changed   []bool // and found to be mapped otherwise by now
}

// unknownFile is equal to no file's number.
const unknownFile = ^uint64(0)

// newTracker follows a process that is sampled.
func newTracker(p task.Process, note func(string), onStop func(time.Duration), s *saving, o *Options, code *codeMemory) *tracker {
	f := &tracker{
		process: p, note: note, onStop: onStop, saving: s, code: code, find: o.finder(), from: o.Binaries, tries: 1,
	}
	if p.Info().Live {
		f.tries = loadTries // it may change meanwhile
	}
	f.start()
	return f
}

// finder finds images with what binaries have of them. All memory maps of a process have
// the same files open.
func (o *Options) finder() func(task.Process) (*images.Map, []error) {
	from, files := o.Binaries, o.Files
	if files == nil {
		files = new(images.Files)
	}
	return func(p task.Process) (*images.Map, []error) { return images.Load(p, from, files) }
}

// ShortLine tells that names are missing for want of memory.
const ShortLine = "symbols are missing: the tables of all files together are larger than what is read or kept of them (1 GB, 512 MB)"

// noteShort adds that note, once, where it is true.
func (f *tracker) noteShort() {
	for _, k := range f.kept {
		if !f.short && k.loaded != nil && k.loaded.Short() {
			f.short = true
			f.note(ShortLine)
		}
	}
}

// name gives a profile the new name of the process, if it has one. It asks for the name after
// the 1st, 2nd, 4th, 8th … snapshot, too: exec may end late.
func (f *tracker) name(b *profile.Builder) {
	if f.snapshots++; f.usesList() && bits.OnesCount(f.snapshots) == 1 {
		f.rename()
	}
	if f.renamed {
		b.SetTarget(f.process.Info())
		f.renamed = false
	}
}

// rename asks what the process is called.
func (f *tracker) rename() {
	if l := f.process.Capabilities().Loader; l != nil {
		f.renamed = l.Rename() || f.renamed
	}
}

// start reads what is mapped at first.
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

// usesList reports whether dyld's list says what is mapped.
func (f *tracker) usesList() bool { return f.dyld.tracker != nil }

// reread reads the memory map, and the images where it is a new one.
func (f *tracker) reread() {
	if f.usesList() {
		f.readRegions()
		f.useImages(f.dyld.listed.Images)
		return
	}
	f.useMemoryMap(f.latest.renew(f.process))
}

// useMemoryMap makes a memory map that was just read the current one.
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

// useKept makes the map current again that was kept of a memory map, and reports whether
// there is one.
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

// refresh reads the memory map of a running process before it is stopped.
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

// use makes a kept map the current one; same says that its memory map is the same as when it
// was current last. A recording gets every change.
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

// adopt makes the kept map current that agrees best with what stops of some threads of a
// snapshot found mapped. It returns false if none agrees better than the current one. A map
// that lacks an image is not adopted: its memory map is loaded anew when it comes back.
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

// goBack makes the map current again that was so before the last was adopted.
func (f *tracker) goBack() { f.use(len(f.kept)-2, false) }

// place has the recording that was begun use the current images; nil: there is none any more.
func (f *tracker) place(s *saving) {
	f.saving = s
	f.images = s.place(f.withNames(f.kept[len(f.kept)-1].loaded, f.memoryMap), f.memoryMap)
}

// watchAll returns what to probe in a stop that is not one of many: every file of the current
// memory map, which may be an adopted one, and of the one that was read last. An address that
// is not probed is believed where the latter agrees with what is mapped afterwards; but a file
// may have gone and come back in between.
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
// after each snapshot would not do: a target that maps and unmaps at the pace of the sampling
// could have another one at each of those moments.
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

// doubts reports whether the memory map is to be read again because of how a walk ended: one
// that ended early may have led to code that was mapped since, as when a program has just been
// started. That helps the samples to come. Whether the new code was mapped at this one would
// not be known.
func (f *tracker) doubts(stop unwind.Stop) bool {
	switch stop.Reason {
	case unwind.BadPointer, unwind.NoCaller:
		return time.Since(f.read) > f.rereadAfter
	}
	return false
}
