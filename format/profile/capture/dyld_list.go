package capture

import (
	"cmp"
	"slices"
	"time"

	"stacksnap/images"
	"stacksnap/images/dyld"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

const (
	// loadShare is the part of the time, 1/loadShare, that reading the list may take while it
	// changes.
	loadShare = 10
	// maxShown bounds the images whose IDs are read in a stop of a single snapshot.
	maxShown = 1 << 10
	// firstLoads is how many readings of a changing list are not delayed: the first takes
	// longest, and images that are loaded only briefly are in few.
	firstLoads = 16
)

// dyldList tracks the images of a live Darwin process. The timestamp of dyld's list is a reading
// of mach_absolute_time (dyld's ExternallyViewableState), which only grows: two equal readings
// mean that nothing changed between them. So a process whose list does not change needs no
// reading in a stop. Once the list has changed, the timestamp is read while the target is
// stopped, and the IDs of the images that may be unloaded: whatever is read during the stop was
// loaded then, however often the list changes.
type dyldList struct {
	tracker *dyld.Tracker // nil: it is not a process with such a list
	listed  dyld.Listed
	changed bool                        // the list has changed since the images were last loaded or compared
	mark    task.Addr                   // the address that is watched for changes
	reads   int                         // number of further snapshots that read the timestamp in the stop
	turn    int                         // number of snapshots
	used    map[task.Addr]int           // by the address of an image's ID, the last turn in which a frame was in the image
	loaded  time.Time                   // when the list was read
	cost    time.Duration               // how long that took
	loads   int                         // how often the list was read
	named   map[object.File]object.File // files with the symbols that binaries have for them
	queues  object.File                 // the libdispatch whose queue offsets are in use
}

// startList reads the images for the first time.
func (f *tracker) startList() {
	f.dyld.tracker = dyld.NewTracker(f.process)
	if f.onStop != nil {
		f.dyld.tracker.StopBy(func() (func() error, error) { return f.process.Suspend(task.StopOptions{}) }, f.onStop)
	}
	f.dyld.used, f.dyld.named = map[task.Addr]int{}, map[object.File]object.File{}
	f.loadList()
	if g, err := dyld.ReadGeneration(f.process); err == nil && !f.dyld.isCurrent(g) {
		f.dyld.reads = forgetAfter
	}
}

// loadList reads the list again, and its new images.
func (f *tracker) loadList() {
	began := time.Now()
	f.dyld.loads++
	f.rename()
	defer func() { f.dyld.loaded, f.dyld.cost = time.Now(), time.Since(began) }()
	listed, errs := f.dyld.tracker.Load()
	if len(listed.Images) == 0 && f.images != nil {
		return // the target is ending
	}
	f.noteErrors(errs)
	f.dyld.listed = listed
	f.readRegions()
	f.useImages(listed.Images)
}

// readRegions reads the regions of code that belong to no image.
func (f *tracker) readRegions() {
	if l := f.latest.renew(f.process); l.stamp != 0 || f.images == nil {
		f.latest = l
	}
	f.read = time.Now()
}

// useImages makes the map of these images the current one.
func (f *tracker) useImages(placed []object.Placed) {
	for i := len(f.kept) - 1; i >= 0; i-- { // the current one first
		k := &f.kept[i]
		if slices.EqualFunc(k.placed, placed, samePlaced) {
			same := k.memoryMap.stamp == f.latest.stamp
			k.memoryMap = f.latest
			f.use(i, same)
			return
		}
	}
	m := images.NewDarwinMap(dyld.Loaded{Infos: f.dyld.listed.Infos, Images: f.withSymbols(placed), Budget: f.dyld.listed.Budget})
	f.nameQueues(m)
	f.makeRoom()
	f.kept = append(f.kept, keptMap{memoryMap: f.latest, whole: true, loaded: m, placed: placed})
	f.use(len(f.kept)-1, false)
}

// withSymbols returns the images with the symbols that binaries have for them. For the same file
// it always returns the same.
func (f *tracker) withSymbols(placed []object.Placed) []object.Placed {
	if f.from == nil {
		return placed
	}
	out := slices.Clone(placed)
	for i := range out {
		own := out[i].File
		if f.dyld.named[own] == nil {
			f.dyld.named[own] = images.WithSymbols(out[i:i+1:i+1], f.from, f.dyld.listed.Budget)[0].File
		}
		out[i].File = f.dyld.named[own]
	}
	return out
}

// samePlaced reports whether two images are the same: the tracker returns the same file until it
// has read it again.
func samePlaced(a, b object.Placed) bool {
	return a.Load == b.Load && a.File == b.File && a.Main == b.Main && a.Path == b.Path
}

const libdispatch = "libdispatch.dylib"

// nameQueues tells the process where libdispatch describes its queues, if libdispatch is another
// file than before. Without it the queues have no names.
func (f *tracker) nameQueues(m *images.Map) {
	loader := f.process.Capabilities().Loader
	if loader == nil {
		return
	}
	for _, im := range m.Images {
		file, ok := im.File.(object.DataSymbolFinder)
		if !ok || im.Name() != libdispatch || im.File == f.dyld.queues {
			continue
		}
		f.dyld.queues = im.File
		if vmaddr, ok := file.DataSymbol("_dispatch_queue_offsets"); ok {
			_ = loader.SetQueueOffsets(im.Addr(vmaddr)) // if the library is not understood, only the names are missing
		}
	}
}

// refreshList reads the list of a running process again if it has changed, before the process is
// stopped.
func (f *tracker) refreshList() {
	g, err := dyld.ReadGeneration(f.process)
	if err == nil && !f.dyld.isCurrent(g) {
		f.dyld.reads = forgetAfter
		f.loadList()
	}
}

// isCurrent reports whether the images are exactly those of a generation of the list.
func (d *dyldList) isCurrent(g dyld.Generation) bool {
	return d.listed.Whole && d.listed.Infos.Generation() == g
}

// compareList compares the list with the one that the images were loaded from. Threads that were
// captured before it changed are walked in these images, those that were captured after the last
// change in new ones.
func (f *tracker) compareList(s *task.Snapshot) {
	d := &f.dyld
	d.turn++
	d.changed = false
	defer func() { f.code.unloads = d.reads > 0 }()
	g, err := dyld.ReadGeneration(f.process)
	if err != nil || d.isCurrent(g) {
		f.useImages(d.listed.Images)
		return
	}
	d.reads = forgetAfter
	d.changed = true // threads without a mark may have been captured before or after
	if d.listed.Infos.At != g.At || f.isDue() && !f.areMarked(s) {
		f.loadList()
	}
	f.useSeen(s)
}

// isDue reports whether to read the list again. When a process that loads and unloads all the
// time is sampled, not every change is read: what was probed in a stop is known anyway.
func (f *tracker) isDue() bool {
	return f.single || f.dyld.loads < firstLoads || time.Since(f.dyld.loaded) >= loadShare*f.dyld.cost
}

// useSeen makes current a map that also has the images which were probed in the stop and are no
// longer in the list.
func (f *tracker) useSeen(s *task.Snapshot) {
	i := slices.IndexFunc(s.Threads, func(t task.Thread) bool { return !t.Same })
	if i < 0 {
		return
	}
	probe := &s.Threads[i].Probe
	placed := slices.Clone(f.dyld.listed.Images)
	for _, im := range placed {
		if seen, id := isSeen(probe, &im); seen && !id {
			dyld.NoteChurning(&im)
		}
	}
	for _, im := range f.dyld.listed.Gone {
		if _, id := isSeen(probe, &im); !id {
			continue
		}
		placed = slices.DeleteFunc(placed, func(other object.Placed) bool { return overlap(&other, &im) })
		placed = append(placed, im)
	}
	f.useImages(placed)
}

// isSeen reports whether a stop probed which image was at an image's address, and whether it
// was this one.
func isSeen(s *task.StopProbe, im *object.Placed) (seen, isIt bool) {
	if im.IDAt == 0 || im.File == nil {
		return false, false
	}
	id, seen := s.IDAt(im.IDAt)
	return seen, seen && slices.Equal(im.File.ID(), id[:])
}

// overlap reports whether two images cannot be loaded at once.
func overlap(a, b *object.Placed) bool {
	aStart, aEnd := extent(a)
	bStart, bEnd := extent(b)
	return aStart < bEnd && bStart < aEnd
}

// extent returns where an image has code and data.
func extent(p *object.Placed) (start, end task.Addr) {
	start, end = p.Load, p.Load+1
	if p.File == nil || p.Fixed {
		return start, end
	}
	for _, s := range p.File.Segments() {
		if s.Prot != 0 && s.Size != 0 {
			end = max(end, p.Addr(s.VMAddr)+task.Addr(s.Size))
		}
	}
	return start, end
}

// areMarked reports whether all threads were captured before the list changed.
func (f *tracker) areMarked(s *task.Snapshot) bool {
	for i := range s.Threads {
		if t := &s.Threads[i]; !t.Same && !f.dyld.isMarked(t) {
			return false
		}
	}
	return true
}

// isMarked reports whether a thread was captured while the list was the one of the images. While
// dyld changes the list, the timestamp is still the old one, and no code of an added or removed
// image runs.
func (d *dyldList) isMarked(t *task.Thread) bool {
	return d.listed.Whole && d.mark == d.listed.Timestamp &&
		t.Probe.HasMark && t.Probe.Mark == d.listed.Infos.Timestamp
}

// watchList returns what to probe in the next stop, with at most most images.
func (f *tracker) watchList(most int) task.Watch {
	d := &f.dyld
	if d.reads == 0 {
		d.mark = 0
		return task.Watch{}
	}
	d.reads--
	d.mark = d.listed.Timestamp
	return task.Watch{Mark: d.mark, IDs: d.places(most)}
}

// places returns the addresses of the IDs of images that may be unloaded: first of those that
// were unloaded, because one may be back, then of those in which frames were found lately.
func (d *dyldList) places(most int) (list []task.Addr) {
	add := func(a task.Addr, most int) {
		if a != 0 && len(list) < most && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	for i := len(d.listed.Gone) - 1; i >= 0; i-- {
		add(d.listed.Gone[i].IDAt, most/2)
	}
	var at []task.Addr
	for i := range d.listed.Images {
		if im := &d.listed.Images[i]; !im.Fixed && im.IDAt != 0 {
			at = append(at, im.IDAt)
		}
	}
	slices.SortStableFunc(at, func(a, b task.Addr) int { return cmp.Compare(d.used[b], d.used[a]) })
	for _, a := range at {
		add(a, most)
	}
	return list
}

// sure returns the number of a thread's frames, from the innermost on, whose images are known to
// be those of the capture. all is true if these are all frames and the walk did not end early
// for lack of an image.
func (f *tracker) sure(t *task.Thread, frames []unwind.Frame, stop unwind.Stop) (n int, all bool) {
	d := &f.dyld
	listed := d.listed.Whole && (d.isMarked(t) || !t.Probe.HasMark && !d.changed)
	for i := range frames {
		if !f.isSure(t, frames[i].LookUp(), listed) {
			return i, false
		}
	}
	return len(frames), stop.Reason == unwind.Bottom || stop.Reason == unwind.NotCaptured || listed
}

// isSure reports whether the image at an address was there when the thread was captured. listed
// means that exactly the images of the list were loaded then.
func (f *tracker) isSure(t *task.Thread, a task.Addr, listed bool) bool {
	im, ok := f.images.Find(a)
	switch {
	case !ok:
		return listed // the address is in no library
	case dyld.Spoiled(&im.Placed):
		return false
	case im.Fixed:
		return true
	}
	f.dyld.used[im.IDAt] = f.dyld.turn
	if seen, isIt := isSeen(&t.Probe, &im.Placed); seen {
		return isIt
	}
	return listed
}
