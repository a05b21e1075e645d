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

	firstPatience = 500 * time.Microsecond // doubled each time that nothing has changed
	maxPatience   = time.Second
)

// tracker knows what is mapped in a process while that changes. A new layout
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

	layout layout // that the images are of
	latest layout // the one that was read last
	before layout // the one that was read last before the snapshot was taken
	images *images.Map
	kept   []keptMap // of layouts that were seen, the current one last
	churn  churn
	dyld   dyldList
	jit    jitNames

	read     time.Time     // when a layout was
	patience time.Duration // how old it is at least before a stack that ends early has it read again
	checked  []bool        // which of layout.code were looked at for this snapshot
	unsure   bool          // the last snapshot was of a layout that is not known
	short    bool          // that symbols are missing was told
	renamed  bool          // the process is called otherwise than the profile says

	snapshots uint   // that were added
	changed   []bool // and found to show something else by now
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

// finder finds images with what binaries have of them. All layouts of a process have
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

// noteShort tells it, once, where it is so.
func (f *tracker) noteShort() {
	for _, k := range f.kept {
		if !f.short && k.loaded != nil && k.loaded.Short() {
			f.short = true
			f.note(ShortLine)
		}
	}
}

// name tells a profile what the process is called, where that has changed. It is asked
// for after the 1st, 2nd, 4th, 8th … snapshot, too: exec may end late.
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

// reread reads the layout, and the images where it is a new one.
func (f *tracker) reread() {
	if f.usesList() {
		f.readRegions()
		f.useImages(f.dyld.listed.Images)
		return
	}
	f.useLayout(f.latest.renew(f.process))
}

// useLayout makes a layout that was just read the current one.
func (f *tracker) useLayout(l layout) {
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
		f.churn.compare(f.layout, l)
	}
	if !f.useKept(l) {
		f.load(l)
	}
}

// useKept makes the map current again that was kept of a layout, and reports whether
// there is one.
func (f *tracker) useKept(l layout) bool {
	for i, k := range f.kept {
		if k.whole && k.layout.files == l.files {
			same := k.layout.stamp == l.stamp
			f.kept[i].layout = l
			f.use(i, same)
			return true
		}
	}
	return false
}

// refresh reads the layout of a running process before it is stopped.
func (f *tracker) refresh() {
	switch {
	case f.usesList():
		f.refreshList()
		return
	case f.maps == nil:
		return
	}
	if l := readLayout(f.process); l.stamp != f.latest.stamp {
		f.useLayout(l)
	}
}

// use makes a kept map the current one; same says that it is of the same layout
// as when it was so last. A recording is told of every change.
func (f *tracker) use(i int, same bool) {
	k := f.kept[i]
	f.layout = k.layout
	f.code.in = k.loaded
	f.forgetChecks()
	if same && i == len(f.kept)-1 {
		return
	}
	f.kept = append(append(f.kept[:i:i], f.kept[i+1:]...), k)
	f.images = f.saving.place(f.withNames(k.loaded, k.layout), k.layout)
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
	f.churn.see(f.layout, s)
	f.adopt(s, func(i int) bool { return !s.Threads[i].Same })
	f.checkRemapped()
	f.renewNames()
}

// adopt makes that kept map the current one which agrees best with what was
// mapped while some threads of a snapshot onStop. It says false when none agrees
// better than the current one does. One that lacks an image is not taken up again:
// its layout is loaded anew when it comes back.
func (f *tracker) adopt(s *task.Snapshot, of func(i int) bool) bool {
	if len(f.kept) < 2 {
		return false
	}
	best, least := -1, 0
	for k := len(f.kept) - 1; k >= 0; k-- {
		if best >= 0 && !f.kept[k].whole {
			continue
		}
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
func (f *tracker) goBack() { f.use(len(f.kept)-2, false) }

// place has the current images used by the recording that was begun, or by none
// any more.
func (f *tracker) place(s *saving) {
	f.saving = s
	f.images = s.place(f.withNames(f.kept[len(f.kept)-1].loaded, f.layout), f.layout)
}

// watchAll returns what to look at in a stop that is not one of many: every
// place of the current layout, which may be an adopted one, and of the one that
// was read last. What is not seen in the stop is believed where the latter has
// what is there afterwards, and that may have come back.
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
	places := []layout{f.layout}
	if f.before.stamp != f.layout.stamp {
		places = append(places, f.before)
	}
	for k, l := range places {
		for i, m := range l.maps {
			a := l.code[i].Start
			if m.Inode != 0 && len(w.Mapped) < most && (k == 0 || !f.layout.starts(a)) {
				w.Mapped = append(w.Mapped, a)
			}
		}
	}
	return w
}

// watch returns where to look in the next snapshot. It is called just before that
// is taken: after one of an unknown layout the layout is read again then, too. The
// moment after a snapshot alone may be one in which the target never has that
// layout, since it goes on at the same pace as this.
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
	return task.Watch{Mapped: f.churn.addresses(f.layout, f.process.Info().Path)}
}

// doubts reports whether the way in which a walk ended is reason to read the layout
// again: one that ended early may have led to code that was mapped after it was
// read, as when a program has just been started. It is for the samples to come:
// of this one it would not be known whether the new code was there.
func (f *tracker) doubts(stop unwind.Stop) bool {
	switch stop.Reason {
	case unwind.BadPointer, unwind.NoCaller:
		return time.Since(f.read) > f.patience
	}
	return false
}
