package capture

import (
	"encoding/binary"
	"iter"
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Where the process of this test has things: a dyld_all_image_infos
// (<mach-o/dyld_images.h>), and the array and the paths of images.
const (
	infosAt = 0x10000
	movedTo = 0x14000
	arrayAt = 0x20000
	pathsAt = 0x30000

	mainAt   = 0x1_0000_0000
	pluginAt = 0x2_0000_0000
	stableAt = 0x3_0000_0000
)

// lib is an image of the test's process.
type lib struct {
	load task.Addr
	name byte // its path is "/lib/" and this letter, its UUID 16 of it
	kind uint32
	more uint64 // bytes beyond the first page
}

var (
	program = lib{mainAt, 'm', 2, 0} // MH_EXECUTE
	libA    = lib{pluginAt, 'a', 6, 0}
	libB    = lib{pluginAt, 'b', 6, 0}
	large   = lib{pluginAt - 0x1000, 'l', 6, 0x1000} // overlaps both
	stable  = lib{stableAt, 's', 6, 0}
)

const (
	inMain   = mainAt + 0x800
	inPlugin = pluginAt + 0x800
	inStable = stableAt + 0x800
	nowhere  = 0x4_0000_0800
)

// macLike is a Darwin process whose images come and go.
type macLike struct {
	listed
	task.LoaderReader
	infos     task.Addr
	timestamp uint64
	libs      []lib
	initial   uint64 // of libs that were loaded at launch
	updating  bool   // the list is being changed
	eachRead  func()
	becomes   string // what it is called from the next question on
}

func (p *macLike) Rename() bool {
	has := p.becomes != "" && p.becomes != p.info.Name
	if has {
		p.info.Name = p.becomes
	}
	return has
}

func newMacLike(plugins ...lib) *macLike {
	p := &macLike{timestamp: 100, infos: infosAt}
	p.info = task.Info{OS: task.Darwin, PID: 7, Arch: task.AMD64, Live: true}
	p.libs = append([]lib{program, stable}, plugins...)
	return p
}

func (p *macLike) Memory() task.Memory             { return p }
func (p *macLike) Capabilities() task.Capabilities { return task.Capabilities{Loader: p} }

func (p *macLike) SetQueueOffsets(task.Addr) error { return nil }
func (p *macLike) PathAt(task.Addr) string         { return "/lib/m" }

// RegionAt knows of the program alone.
func (p *macLike) RegionAt(a task.Addr) (r task.Region, ok bool, err error) {
	for r := range p.Regions() {
		if a < r.End {
			return r, true, nil
		}
	}
	return r, false, nil
}

func (p *macLike) Loader() (task.Addr, int, error) { return p.infos, 8, nil }

func (p *macLike) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		yield(task.Region{Start: mainAt, End: mainAt + 0x1000, Prot: task.Read | task.Execute, Path: "/lib/m"}, nil)
	}
}

func (p *macLike) ReadMemory(b []byte, a task.Addr) (int, error) {
	page := make([]byte, 0x1000)
	if !p.fill(page, a&^0xfff) {
		return 0, &task.FaultError{Addr: a}
	}
	return copy(b, page[a&0xfff:]), nil
}

// fill makes the page at a.
func (p *macLike) fill(page []byte, a task.Addr) bool {
	le := binary.LittleEndian
	for i, l := range p.libs {
		switch a {
		case arrayAt:
			le.PutUint64(page[i*24:], uint64(l.load))
			le.PutUint64(page[i*24+8:], uint64(pathsAt+i*64))
		case pathsAt:
			copy(page[i*64:], "/lib/"+string(l.name))
		case l.load:
			l.header(page)
			return true
		}
	}
	if a == p.infos {
		le.PutUint32(page, 17)
		le.PutUint32(page[4:], uint32(len(p.libs)))
		if !p.updating {
			le.PutUint64(page[8:], arrayAt)
		}
		le.PutUint64(page[0x70:], p.initial)
		le.PutUint64(page[0xb8:], p.timestamp)
		if p.eachRead != nil {
			p.eachRead()
		}
	}
	return a == p.infos || a == arrayAt || a == pathsAt
}

// header encodes a Mach-O of one page: a __TEXT and a UUID, and its name in place
// of code.
func (l lib) header(page []byte) {
	le := binary.LittleEndian
	le.PutUint32(page, 0xfeedfacf)
	le.PutUint32(page[4:], 0x01000007)
	le.PutUint32(page[12:], l.kind)
	le.PutUint32(page[16:], 2)
	le.PutUint32(page[20:], 72+24)
	text := page[32:]
	le.PutUint32(text, 0x19) // LC_SEGMENT_64
	le.PutUint32(text[4:], 72)
	copy(text[8:], "__TEXT")
	le.PutUint64(text[32:], 0x1000+l.more) // vmsize
	le.PutUint64(text[48:], 0x1000)        // filesize
	le.PutUint32(text[56:], 5)
	le.PutUint32(text[60:], 5)
	id := page[32+72:]
	le.PutUint32(id, 0x1b) // LC_UUID
	le.PutUint32(id[4:], 24)
	copy(id[8:], l.id())
	for i := 0x800; i < len(page); i++ {
		page[i] = l.name
	}
}

// idAt is where a UUID stands.
func (l lib) idAt() task.Addr { return l.load + 32 + 72 + 8 }

func (l lib) id() []byte { return slices.Repeat([]byte{l.name}, 16) }

// become has other plug-ins loaded.
func (p *macLike) become(plugins ...lib) {
	p.libs = append(p.libs[:2:2], plugins...)
	p.timestamp++
}

// stood is a thread that was captured when some images were there and the list
// had a timestamp; 0: that was not read.
func stood(timestamp uint64, libs ...lib) task.Thread {
	t := task.Thread{Probe: task.StopProbe{Mark: timestamp, HasMark: timestamp != 0}}
	for _, l := range []lib{stable, libA, large} { // their places
		s := task.ProbedID{At: l.idAt()}
		for _, there := range libs {
			if there.load == l.load {
				s.ID = [16]byte(there.id())
			}
		}
		if len(libs) > 0 {
			t.Probe.IDs = append(t.Probe.IDs, s)
		}
	}
	return t
}

// names tells in which images the frames of a thread are that was captured, as
// far as that is sure.
func names(f *tracker, t task.Thread, pcs ...task.Addr) string {
	f.watch()
	f.dyld.cost = 0 // as if that were long ago
	s := &task.Snapshot{Threads: []task.Thread{t}}
	f.begin(s)
	var frames []unwind.Frame
	for _, pc := range pcs {
		frames = append(frames, unwind.Frame{PC: pc})
	}
	n, _ := f.sure(&s.Threads[0], frames, stopAtBottom)
	out := ""
	for _, fr := range frames[:n] {
		im, ok := f.images.Find(fr.PC)
		if !ok {
			out += "?"
			continue
		}
		out += im.Path[len(im.Path)-1:]
	}
	return out
}

func TestFramesAreNamedByTheImagesTheyWereCapturedWith(t *testing.T) {
	const at = 100 // the timestamp at first
	for _, tt := range []struct {
		name   string
		change func(p *macLike)
		thread task.Thread
		want   string // of a frame in each: the plug-in, the stable library, the program, nothing
	}{
		{"nothing changed", func(*macLike) {}, stood(0), "asm?"},
		{"changed after", func(p *macLike) { p.become(libB) }, stood(at), "asm?"},
		{"changed before", func(p *macLike) { p.become(libB) }, stood(at + 1), "bsm?"},
		{"changed before and after", func(p *macLike) { p.become(libB); p.become(libA) }, stood(at + 1), ""},
		{"changed, not known when", func(p *macLike) { p.become(libB) }, stood(0), ""},
		{"another seen", func(p *macLike) { p.become(libB); p.become(libA) }, stood(at+1, stable, libB), ""},
		{"seen, and gone since", func(p *macLike) { p.become(); p.become() }, stood(at+1, stable, libA), "asm"},
		{"seen, and another since", func(p *macLike) { p.become(libB) }, stood(0, stable, libA), "asm"},
		{"seen, and there again", func(p *macLike) { p.become(); p.become(libA) }, stood(at+1, stable, libA), "asm"},
		{"being changed", func(p *macLike) { p.updating = true }, stood(at), "asm?"},
	} {
		p := newMacLike(libA)
		f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
		f.dyld.reads = forgetAfter
		tt.change(p)
		if got := names(f, tt.thread, inPlugin, inStable, inMain, nowhere); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestStableFramesAreSureWhileLibrariesComeAndGo: the program always is, a library
// where it was seen.
func TestStableFramesAreSureWhileLibrariesComeAndGo(t *testing.T) {
	p := newMacLike(libA)
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	for i, there := range [][]lib{{libA}, {}, {libB}, {libB}, {libA}, {libB}, {}, {libA}} {
		p.become(there...)
		seen := stood(1, append([]lib{stable}, there...)...)
		p.become() // since
		want := "sm"
		if got := names(f, seen, inStable, inMain); got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
		if got := names(f, stood(1), inMain, inStable); got != "m" {
			t.Errorf("%d: %q without a look", i, got)
		}
	}
	if len(f.kept) > mostMaps {
		t.Errorf("%d maps are kept", len(f.kept))
	}
}

// TestAlternatingLibrariesAreNotConfused: two that are loaded at one address in
// turn, of which the list shows either by the time that it is read.
func TestAlternatingLibrariesAreNotConfused(t *testing.T) {
	p := newMacLike(libA)
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	p.become(libB)
	f.refresh() // both are known by now
	for i := range 16 {
		there, since := libA, libB
		if i&1 != 0 {
			there = libB
		}
		if i&2 != 0 {
			since = libA
		}
		p.become(there)
		seen := stood(1, stable, there)
		p.become(since)
		if got, want := names(f, seen, inPlugin, inMain), string(there.name)+"m"; got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
}

// TestOverlappingLibraries: what was seen has the place, not what is listed since.
func TestOverlappingLibraries(t *testing.T) {
	p := newMacLike(large)
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	p.become(libA)
	if got := names(f, stood(1, stable, large), inPlugin, inMain); got != "lm" {
		t.Errorf("%q", got)
	}
	p.become(large)
	if got := names(f, stood(1, stable, libA), inPlugin, inMain); got != "am" {
		t.Errorf("%q", got)
	}
}

// TestCodeOfAnotherLibraryIsNotRead: where libraries come and go, instructions
// are those of the image that the map has.
func TestCodeOfAnotherLibraryIsNotRead(t *testing.T) {
	p := newMacLike(libA)
	c := &codeMemory{live: p}
	f := newTracker(p, func(string) {}, nil, nil, new(Options), c)
	var b [4]byte
	p.become()
	names(f, stood(1), inMain)
	p.become(libA) // restless by now, and read ahead
	names(f, stood(p.timestamp), inMain)
	p.become(libB)
	if n, err := c.ReadMemory(b[:], inPlugin); n != 4 || b[0] != 'a' {
		t.Errorf("read %q of the library that was read ahead, %v", b[:n], err)
	}
	if n, err := c.ReadMemory(b[:], inStable); n != 4 || b[0] != 's' {
		t.Errorf("read %q, %v", b[:n], err)
	}
	p.libs[1].name = 'x' // in the same place
	if n, err := c.ReadMemory(b[:], inStable); n != 0 || err == nil {
		t.Errorf("read %q of another library", b[:n])
	}
	th := stood(0, stable)
	if n, _ := f.sure(&th, []unwind.Frame{{PC: inStable}}, stopAtBottom); n != 0 {
		t.Error("a frame is sure by code that could not be read")
	}
	f.dyld.reads = forgetAfter
	if got := names(f, stood(1, stable), inMain, inStable); got != "m" {
		t.Errorf("%q, of which something could not be read", got)
	}
}

// TestChangedListIsFollowedAgain: in the snapshot after a change nothing is left
// out any more.
func TestChangedListIsFollowedAgain(t *testing.T) {
	p := newMacLike(libA)
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	if w := f.watch(); w.Mark != 0 || len(w.IDs) != 0 {
		t.Errorf("looks at %+v before anything has changed", w)
	}
	p.become(libB)
	if got := names(f, stood(0), inMain, inStable); got != "m" {
		t.Errorf("before: %q", got)
	}
	w := f.watch()
	if w.Mark != infosAt+0xb8 || !slices.Contains(w.IDs, libB.idAt()) || !slices.Contains(w.IDs, stable.idAt()) || slices.Contains(w.IDs, program.idAt()) {
		t.Errorf("looks at %+v", w)
	}
	if got := names(f, stood(p.timestamp), inPlugin, inStable); got != "bs" {
		t.Errorf("after: %q", got)
	}
	if all := f.watchAll(); len(all.IDs) != 2 {
		t.Errorf("a single stop looks at %+v", all)
	}
}

// TestListThatMoves: dyld hands over to the one in the shared cache, whose list is
// elsewhere. A timestamp that was read at the old place tells nothing.
func TestListThatMoves(t *testing.T) {
	p := newMacLike(libA)
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	f.dyld.reads = forgetAfter
	f.watch()
	p.infos = movedTo
	s := &task.Snapshot{Threads: []task.Thread{stood(p.timestamp)}}
	f.begin(s)
	if n, _ := f.sure(&s.Threads[0], []unwind.Frame{{PC: inStable}}, stopAtBottom); n != 0 {
		t.Error("a frame is sure by the timestamp of a list that is none any more")
	}
	if w := f.watch(); w.Mark != movedTo+0xb8 {
		t.Errorf("reads a mark at %v", w.Mark)
	}
	if got := names(f, stood(p.timestamp), inPlugin, inStable); got != "as" {
		t.Errorf("%q", got)
	}
}

// TestListThatChangesWhileItIsRead: as long as it is not known which images were
// read, nothing is named by them.
func TestListThatChangesWhileItIsRead(t *testing.T) {
	p := newMacLike(libA)
	p.eachRead = func() { p.timestamp++ }
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	if got := names(f, stood(p.timestamp), inStable); got != "" {
		t.Errorf("%q", got)
	}
	p.eachRead = nil
	names(f, stood(0), inStable)
	if got := names(f, stood(p.timestamp), inStable, inPlugin); got != "sa" {
		t.Errorf("%q", got)
	}
}

// TestListOfAProcessThatStands: one that was stopped while dyld changed its list, or
// before dyld ran, is shown with what its mappings tell.
func TestListOfAProcessThatStands(t *testing.T) {
	for _, timestamp := range []uint64{100, 0} {
		p := newMacLike(libA)
		p.updating, p.timestamp = true, timestamp
		f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
		if got := names(f, stood(0), inMain, inPlugin); got != "m?" {
			t.Errorf("%q", got)
		}
		p.updating = false
		p.timestamp++
		if got := names(f, stood(0), inMain, inPlugin); got != "m" {
			t.Errorf("%q, of a list that has changed", got)
		}
		if got := names(f, stood(p.timestamp), inMain, inPlugin); got != "ma" {
			t.Errorf("%q, when it had", got)
		}
	}
}

// TestWalkThatEndsInUnknownCode: where the list changed, it may have ended because
// of a library that nobody knows.
func TestWalkThatEndsInUnknownCode(t *testing.T) {
	p := newMacLike(libA)
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	f.dyld.reads = forgetAfter
	frames := []unwind.Frame{{PC: inMain}}
	for _, tt := range []struct {
		stop   unwind.Reason
		change bool
		want   verdict
	}{
		{unwind.Bottom, true, asKnown}, {unwind.NotCaptured, true, asKnown},
		{unwind.BadPointer, true, remappedCode}, {unwind.BadPointer, false, asKnown},
	} {
		if tt.change {
			p.become(libB)
			f.dyld.cost = 0
		}
		s := &task.Snapshot{Threads: []task.Thread{stood(0)}}
		f.begin(s)
		th, st := &s.Threads[0], profile.Stack{Frames: frames, Stop: unwind.Stop{Reason: tt.stop}}
		if v := f.check(th, st.Frames, st.Stop); v != tt.want {
			t.Errorf("%v: verdict %d", tt, v)
		}
		if tt.want == remappedCode {
			th.Sure = f.countSure(th, &st)
			if cutUnsure(th, &st); st.Stop.Reason != unwind.Unsteady || len(st.Frames) != 1 {
				t.Errorf("cut: %+v", st)
			}
		}
	}
}

// TestListIsReadInAPartOfTheTime: while it changes with each sample.
func TestListIsReadInAPartOfTheTime(t *testing.T) {
	p := newMacLike(libA)
	f := newTracker(p, func(string) {}, nil, nil, new(Options), &codeMemory{})
	names(f, stood(0))
	for f.dyld.loads < firstLoads {
		before := f.dyld.loads
		f.dyld.cost = time.Hour
		p.become(libB)
		f.begin(&task.Snapshot{Threads: []task.Thread{stood(0, stable)}})
		if f.dyld.loads != before+1 {
			t.Fatalf("the list was not read again after %d times", before)
		}
	}
	reads := 0
	f.dyld.cost = time.Hour
	p.become(libB)
	p.eachRead = func() { reads++ }
	f.watch()
	f.begin(&task.Snapshot{Threads: []task.Thread{stood(0, stable)}})
	if f.dyld.listed.Infos.Timestamp == p.timestamp || reads != 1 {
		t.Errorf("the list was read again, by %d reads", reads)
	}
	f.single = true
	f.begin(&task.Snapshot{Threads: []task.Thread{stood(0, stable)}})
	if f.dyld.listed.Infos.Timestamp != p.timestamp {
		t.Error("the list was not read again for a single snapshot")
	}
}
