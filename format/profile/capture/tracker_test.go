package capture

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

var stopAtBottom = unwind.Stop{Reason: unwind.Bottom}

// mapped is a Linux process of which only the mappings are known. Its files are
// no ELF files, so there are no images.
type mapped struct {
	listed
	regions []task.Region
}

func (p *mapped) Capabilities() task.Capabilities { return task.Capabilities{Maps: p} }
func (p *mapped) Memory() task.Memory             { return p }
func (p *mapped) Renew()                          {}

func (p *mapped) OpenPerfMap() (*os.File, string, error)         { return nil, "", os.ErrNotExist }
func (p *mapped) OpenJITDump([]string) (*os.File, string, error) { return nil, "", os.ErrNotExist }

func (p *mapped) ReadMemory(b []byte, a task.Addr) (int, error) {
	return 0, &task.FaultError{Addr: a}
}

func (p *mapped) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		for _, r := range p.regions {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (p *mapped) MappedAt(a task.Addr) (task.Mapped, bool, error) {
	for _, r := range p.regions {
		if r.Start <= a && a < r.End {
			return task.Mapped{Start: r.Start, End: r.End, Mapping: r.Mapping()}, true, nil
		}
	}
	return task.Mapped{}, false, nil
}

// region is executable, at a multiple of 64 KB, of the file with a number; 0: of
// none.
func region(n int, inode uint64) task.Region {
	start := task.Addr(n) << 16
	r := task.Region{Start: start, End: start + 0x8000, Prot: task.Read | task.Execute, Inode: inode, Dev: 1}
	if inode == 0 {
		r.Dev = 0
	}
	return r
}

func seenAt(n int, inode uint64) task.ProbedMapping {
	r := region(n, inode)
	if inode == unknownFile {
		return task.ProbedMapping{At: r.Start}
	}
	return task.ProbedMapping{At: r.Start, Mapped: task.Mapped{Start: r.Start, End: r.End, Mapping: r.Mapping()}}
}

const nothing = unknownFile

func TestFramesAreJudgedByWhatWasSeen(t *testing.T) {
	in := func(n int) task.Addr { return task.Addr(n)<<16 + 0x40 }
	for _, tt := range []struct {
		name string
		then []task.Region // when the memory map was read
		now  []task.Region
		seen []task.ProbedMapping
		pc   task.Addr
		stop unwind.Reason
		want verdict
	}{
		{"not watched, same", []task.Region{region(1, 7)}, []task.Region{region(1, 7)}, nil, in(1), unwind.Bottom, asKnown},
		{"not watched, remapped", []task.Region{region(1, 7)}, []task.Region{region(1, 8)}, nil, in(1), unwind.Bottom, remappedCode},
		{"not watched, gone", []task.Region{region(1, 7)}, nil, nil, in(1), unwind.Bottom, remappedCode},
		{"not watched, new", nil, []task.Region{region(1, 7)}, nil, in(1), unwind.Bottom, remappedCode},
		{"not watched, new code of a compiler", nil, []task.Region{region(1, 0)}, nil, in(1), unwind.Bottom, generatedCode},
		{"seen as it was, gone by now", []task.Region{region(1, 7)}, nil, []task.ProbedMapping{seenAt(1, 7)}, in(1), unwind.Bottom, asKnown},
		{"seen as another, back by now", []task.Region{region(1, 7)}, []task.Region{region(1, 7)}, []task.ProbedMapping{seenAt(1, 8)}, in(1), unwind.Bottom, remappedCode},
		{"seen as nothing, back by now", []task.Region{region(1, 7)}, []task.Region{region(1, 7)}, []task.ProbedMapping{seenAt(1, nothing)}, in(1), unwind.Bottom, remappedCode},
		{"seen as a compiler's, back by now", []task.Region{region(1, 7)}, []task.Region{region(1, 7)}, []task.ProbedMapping{seenAt(1, 0)}, in(1), unwind.Bottom, remappedCode},
		{"seen where there was nothing, gone by now", nil, nil, []task.ProbedMapping{seenAt(1, 7)}, in(1), unwind.Bottom, remappedCode},
		{"a compiler's seen where there was nothing", nil, nil, []task.ProbedMapping{seenAt(1, 0)}, in(1), unwind.Bottom, generatedCode},
		{"a compiler's, twice", []task.Region{region(1, 0)}, nil, []task.ProbedMapping{seenAt(1, 0)}, in(1), unwind.Bottom, asKnown},
		{"another place seen as another", []task.Region{region(1, 7), region(2, 9)}, []task.Region{region(1, 7)}, []task.ProbedMapping{seenAt(2, 8)}, in(1), unwind.Bottom, asKnown},
		{"the same, and the walk ended early", []task.Region{region(1, 7), region(2, 9)}, []task.Region{region(1, 7)}, []task.ProbedMapping{seenAt(2, 8)}, in(1), unwind.BadPointer, remappedCode},
	} {
		p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: tt.then}
		f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
		f.watch()
		p.regions = tt.now
		th := &task.Thread{Probe: task.StopProbe{Mapped: tt.seen}}
		if v := f.check(th, []unwind.Frame{{PC: tt.pc}}, unwind.Stop{Reason: tt.stop}); v != tt.want {
			t.Errorf("%s: verdict %d, want %d", tt.name, v, tt.want)
		}
	}
}

// TestKeptLayoutsAreAdopted: the one is current that shows what was seen.
func TestKeptLayoutsAreAdopted(t *testing.T) {
	p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}}
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	f.kept = nil
	for _, inode := range []uint64{7, 8, nothing} {
		p.regions = []task.Region{region(1, 5)}
		if inode != nothing {
			p.regions = append(p.regions, region(2, inode))
		}
		f.kept = append(f.kept, keptMap{memoryMap: readMemoryMap(p), whole: true, loaded: images.NewMap(nil)})
	}
	f.use(0, false)
	maps := map[uint64]*images.Map{}
	for range 3 {
		for _, inode := range []uint64{7, 8, nothing, 8} {
			s := &task.Snapshot{Threads: []task.Thread{{Probe: task.StopProbe{Mapped: []task.ProbedMapping{seenAt(2, inode)}}}}}
			f.begin(s)
			if f.memoryMap.differs(&s.Threads[0].Probe) != 0 || f.kept[2].loaded != f.images {
				t.Errorf("seen %d: the memory map has %+v", inode, f.memoryMap.maps)
			}
			if m := maps[inode]; m != nil && m != f.images {
				t.Errorf("seen %d: another map than before", inode)
			}
			maps[inode] = f.images
		}
	}
	if w := f.watch().Mapped; len(f.kept) != 3 || len(maps) != 3 || !slices.Contains(w, region(2, 0).Start) {
		t.Errorf("%d maps are kept, %d were used, watches %v", len(f.kept), len(maps), w)
	}
}

// TestLayoutReadTooLate: one that was read after the stop tells nothing of what
// was there at the stop, unless the one before says the same.
func TestLayoutReadTooLate(t *testing.T) {
	p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7), region(2, 7)}}
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	f.watch()
	p.regions = []task.Region{region(1, 7), region(2, 8)}
	f.reread()
	for n, want := range map[int]verdict{1: asKnown, 2: remappedCode} {
		if v := f.check(&task.Thread{}, []unwind.Frame{{PC: region(n, 0).Start}}, stopAtBottom); v != want {
			t.Errorf("place %d: verdict %d, want %d", n, v, want)
		}
	}
}

func TestWatchedPlacesAreBoundedAndForgotten(t *testing.T) {
	var w churn
	w.note(1)
	for i := range 2 * maxRemapped {
		w.note(task.Addr(i))
	}
	if len(w.remapped) != maxRemapped || w.remapped[0].at != maxRemapped {
		t.Errorf("%d places, the first %v", len(w.remapped), w.remapped[0].at)
	}
	for range forgetAfter {
		w.note(5)
		w.addresses(memoryMap{}, "")
	}
	if got := w.addresses(memoryMap{}, ""); len(got) != 1 || got[0] != 5 {
		t.Errorf("watches %v, want 5", got)
	}
	for range forgetAfter {
		w.addresses(memoryMap{}, "")
	}
	if got := w.addresses(memoryMap{}, ""); len(got) != 0 {
		t.Errorf("watches %v", got)
	}
}

// TestEveryPlaceIsWatchedAtFirst, but for the program, and only at first.
func TestEveryPlaceIsWatchedAtFirst(t *testing.T) {
	p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Path: "/program"}}}
	p.regions = []task.Region{region(1, 5), region(2, 0), region(3, 6)}
	p.regions[0].Path, p.regions[2].Path = "/program", "/lib"
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	for n := range 2 * watchAllFor {
		want := 0
		if n < watchAllFor {
			want = 1
		}
		if got := f.watch().Mapped; len(got) != want || want > 0 && got[0] != region(3, 6).Start {
			t.Errorf("snapshot %d: watches %v", n, got)
		}
	}
}

// TestFilesWithoutImages: the memory map of a program whose code is in files that are
// not ELF is loaded once, and found again when it comes back.
func TestFilesWithoutImages(t *testing.T) {
	p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7)}}
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	loads := 0
	find := f.find
	f.find = func(p task.Process) (*images.Map, []error) { loads++; return find(p) }
	for range 3 {
		p.regions = []task.Region{region(1, 7), region(2, 9)}
		f.refresh()
		p.regions = []task.Region{region(1, 7)}
		f.refresh()
	}
	if loads != 1 || len(f.kept) != 2 {
		t.Errorf("%d maps were loaded besides the first, %d are kept", loads, len(f.kept))
	}
}

// TestLayoutThatGoesWhileItIsLoaded: when the images turn out to be those of a
// memory map that is kept, that one is used, and not loaded once more.
func TestLayoutThatGoesWhileItIsLoaded(t *testing.T) {
	first := []task.Region{region(1, 7)}
	second := []task.Region{region(1, 7), region(2, 8)}
	p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: first}
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	f.kept[0].whole = true
	loads := 0
	f.find = func(task.Process) (*images.Map, []error) {
		loads++
		p.regions = first // gone again
		return images.NewMap(nil), nil
	}
	p.regions = second
	f.reread()
	if loads != 1 || len(f.kept) != 1 || f.memoryMap.stamp != f.kept[0].memoryMap.stamp || len(f.memoryMap.code) != 1 {
		t.Errorf("%d loads, %d kept, the current memory map has %d mappings", loads, len(f.kept), len(f.memoryMap.code))
	}
}

// allCode is a file of 0x8000 bytes of code.
type allCode struct{ object.File }

func (allCode) Segments() []object.Segment {
	return []object.Segment{{Size: 0x8000, Prot: task.Read | task.Execute}}
}

// TestImagesBeyondTheLayout: images that were found at another moment may be more
// than the memory map has. A frame there is not named by them.
func TestImagesBeyondTheLayout(t *testing.T) {
	p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7)}}
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	f.watch()
	for _, tt := range []struct {
		images []object.Placed
		now    []task.Region // when it is checked
		want   verdict
	}{
		{nil, nil, asKnown},
		{nil, []task.Region{region(2, 8)}, remappedCode},
		{nil, []task.Region{region(2, 0)}, generatedCode},
		{[]object.Placed{{Load: region(2, 8).Start, Slide: uint64(region(2, 8).Start), File: allCode{}}}, nil, remappedCode},
		{[]object.Placed{{Load: region(2, 8).Start, Slide: uint64(region(2, 8).Start), File: allCode{}}}, []task.Region{region(2, 0)}, remappedCode},
		{[]object.Placed{{Load: region(3, 8).Start, Slide: uint64(region(3, 8).Start), File: allCode{}}}, nil, asKnown},
	} {
		f.images = images.NewMap(tt.images)
		p.regions = append([]task.Region{region(1, 7)}, tt.now...)
		if v := f.check(&task.Thread{}, []unwind.Frame{{PC: region(2, 0).Start + 8}}, stopAtBottom); v != tt.want {
			t.Errorf("%d images, %v: verdict %d, want %d", len(tt.images), tt.now, v, tt.want)
		}
	}
}

// TestMemoryMapIsReadBeforeTheNextSnapshot: after a snapshot of a memory map that is not
// known, and only then.
func TestMemoryMapIsReadBeforeTheNextSnapshot(t *testing.T) {
	for _, unsure := range []bool{false, true} {
		p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7)}}
		f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
		p.regions = []task.Region{region(1, 8)}
		f.unsure = unsure
		f.watch()
		if read := f.latest.maps[0].Inode == 8; read != unsure || f.unsure {
			t.Errorf("unsure %v: read again %v, still unsure %v", unsure, read, f.unsure)
		}
	}
}

// TestWalkedAsCaptured: a thread that stood in what was mapped before is walked in the
// map of then, and only such a one changes what is current.
func TestWalkedAsCaptured(t *testing.T) {
	for _, tt := range []struct {
		name string
		seen uint64 // the file in which the thread stood
		want uint64 // that of the memory map that is current then
	}{
		{"as it is", 8, 8},
		{"as it was", 7, 7},
		{"as it never was", 9, 8},
	} {
		p := &mapped{listed: listed{info: task.Info{OS: task.Linux, Live: true}}, regions: []task.Region{region(1, 7)}}
		r, err := newRecorder(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.regions = []task.Region{region(1, 8)}
		r.tracker.reread()
		r.tracker.watch()
		if n := r.tracker.memoryMap.maps[0].Inode; n != 8 || len(r.tracker.kept) != 2 {
			t.Fatalf("file %d is current, %d are kept", n, len(r.tracker.kept))
		}
		s := &task.Snapshot{Threads: []task.Thread{{ID: 1, Registers: registersAt(region(1, 0).Start + 0x40), Probe: task.StopProbe{Mapped: []task.ProbedMapping{seenAt(1, tt.seen)}}}}}
		r.tracker.forgetChecks()
		r.walk(s)
		if n := r.tracker.memoryMap.maps[0].Inode; n != tt.want {
			t.Errorf("%s: file %d is current, want %d", tt.name, n, tt.want)
		}
		r.tracker.close()
	}
}

func registersAt(pc task.Addr) (r task.Registers) {
	r.Arch = task.AMD64
	r.R[16] = uint64(pc)
	r.Known = 1<<17 - 1
	return r
}

// endedTarget is a process whose threads cannot be listed.
type endedTarget struct {
	mapped
	err error
}

func (p *endedTarget) Threads() ([]task.ThreadID, error) { return nil, p.err }

// TestImagesOfATargetThatEnded: what could not be read is told of a target that lives, and
// of one of which nothing is known.
func TestImagesOfATargetThatEnded(t *testing.T) {
	unread := []error{errors.New("[vdso]: no such process"), errors.New("lib.so: no such process")}
	for _, tt := range []struct {
		name  string
		err   error
		notes int
	}{
		{"lives", nil, 2},
		{"ended", fmt.Errorf("list threads: %w", &task.ExitedError{PID: 7}), 0},
		{"refuses", task.ErrUnsupported, 2},
	} {
		notes := 0
		p := &endedTarget{mapped{regions: []task.Region{region(1, 1)}}, tt.err}
		note := func(line string) {
			if strings.HasSuffix(line, "no such process") {
				notes++
			}
		}
		f := newTracker(p, note, nil, nil, new(Options), &codeMemory{})
		f.tries, f.find = 1, func(task.Process) (*images.Map, []error) { return images.NewMap(nil), unread }
		f.load(readMemoryMap(p))
		if notes != tt.notes {
			t.Errorf("%s: %d notes, want %d", tt.name, notes, tt.notes)
		}
	}
}
