package dyld

import (
	"fmt"
	"testing"
	"time"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/macho"
	"stacksnap/task"
)

// living is a process that is asked again where its list is.
type living struct {
	*target
	task.LoaderReader
	at    task.Addr
	asked int
}

func (p *living) Capabilities() task.Capabilities { return task.Capabilities{Loader: p} }
func (p *living) PathAt(task.Addr) string         { return "" }

func (p *living) Loader() (task.Addr, int, error) {
	p.asked++
	return p.at, p.pointer, nil
}

// uuid makes an image's ID of a letter.
func uuid(name byte) func(*machotest.Image) {
	return func(im *machotest.Image) {
		im.UUID = make([]byte, 16)
		for i := range im.UUID {
			im.UUID[i] = name
		}
		im.Symbols = []machotest.Symbol{{Name: "_" + string(name), Type: 0xf, Sect: 1, Value: mainBase + machotest.Text}}
	}
}

const otherAt = 0x40_0000

// alive is a live process with a program, a library and dyld.
func alive(t *testing.T) (*living, *Tracker) {
	x := newTarget(t, 8)
	x.I.Live = true
	x.image(macho.Execute, mainAt, uuid('m'))
	x.image(macho.Dylib, libAt, uuid('l'))
	x.list(mainAt, x.path("/bin/main"), libAt, x.path("/lib/l"))
	p := &living{target: x, at: infosAt}
	tr := NewTracker(p)
	tr.loader = Loader{Tries: 3}
	tr.pause = func(time.Duration) {}
	return p, tr
}

// load is Load without errors.
func load(t *testing.T, tr *Tracker) Listed {
	t.Helper()
	l, errs := tr.Load()
	if len(errs) != 0 {
		t.Error(errs)
	}
	return l
}

// TestOnlyNewImagesAreRead counts the reads of a list in which one image of many
// is new.
func TestOnlyNewImagesAreRead(t *testing.T) {
	const n = 400
	x := newTarget(t, 8)
	x.I.Live = true
	x.M.Add(arrayAt, make([]byte, 0x10000))
	x.M.Add(0x80_0000, make([]byte, 0x10000))
	x.paths = 0x80_0000
	x.image(macho.Execute, mainAt, uuid('m'))
	pairs := []task.Addr{mainAt, x.path("/bin/main")}
	for i := range n {
		at := task.Addr(0x2000_0000 + i*0x1_0000)
		x.image(macho.Dylib, at, uuid(byte(i)))
		pairs = append(pairs, at, x.path(fmt.Sprintf("/usr/lib/system/introspection/libnumber%d.dylib", i)))
	}
	x.list(pairs[:len(pairs)-2]...)
	p := &living{target: x, at: infosAt}
	tr := NewTracker(p)
	count := func() int {
		before := x.M.Reads
		if l := load(t, tr); !l.Whole {
			t.Error("not whole")
		}
		return x.M.Reads - before
	}
	// A header of each image; the head of the list three times, the list, and pages
	// of paths.
	if got := count(); got > n+4+8 {
		t.Errorf("%d reads at first", got)
	}
	// The ID of each image.
	if got := count(); got > n+4+8 {
		t.Errorf("%d reads of a list that has not changed", got)
	}
	before := load(t, tr)
	x.list(pairs...)
	x.put(0x68, 0xb8, 8, timestamp+1)
	headers := 0
	x.M.OnRead = func(a task.Addr, size int) {
		if a >= 0x2000_0000 && size > 16 {
			headers++
		}
	}
	after := load(t, tr)
	if len(after.Images) != n+1 {
		t.Errorf("%d images", len(after.Images))
	}
	// Its header, and its code and symbols ahead.
	if headers > 3 {
		t.Errorf("%d reads of images for one that is new", headers)
	}
	for i, im := range before.Images {
		if im.File != after.Images[i].File {
			t.Fatalf("%s was read again", im.Path)
		}
	}
}

// TestAnotherLibraryInTheSamePlace: by the same path, by another, and without one.
func TestAnotherLibraryInTheSamePlace(t *testing.T) {
	p, tr := alive(t)
	old := load(t, tr).Images[1]
	if sym, ok := old.File.Symbol(mainBase + machotest.Text); !ok || sym.Name != "l" {
		t.Fatal(sym)
	}
	p.image(macho.Dylib, libAt, uuid('k'))
	p.put(0x68, 0xb8, 8, timestamp+1)
	now := load(t, tr)
	im := now.Images[1]
	if sym, ok := im.File.Symbol(mainBase + machotest.Text); !ok || sym.Name != "k" || im.Path != "/lib/l" || len(now.Gone) != 0 {
		t.Errorf("%+v of %s, gone %v", sym, im.Path, now.Gone)
	}
	p.image(macho.Dylib, libAt, uuid('j'))
	p.list(mainAt, pathsAt, libAt, p.path("/lib/j"))
	p.put(0x68, 0xb8, 8, timestamp+2)
	now = load(t, tr)
	if got := now.Images[1]; got.Path != "/lib/j" || got.File == im.File || len(now.Gone) != 1 || now.Gone[0].File != im.File {
		t.Errorf("%+v, gone %v", got, now.Gone)
	}
}

// TestGoneImageComesBack: it is the one that was known.
func TestGoneImageComesBack(t *testing.T) {
	p, tr := alive(t)
	first := load(t, tr)
	p.list(mainAt, pathsAt)
	p.put(0x68, 0xb8, 8, timestamp+1)
	if l := load(t, tr); len(l.Images) != 1 || len(l.Gone) != 1 || l.Gone[0].File != first.Images[1].File {
		t.Errorf("%+v", l)
	}
	p.list(mainAt, pathsAt, libAt, pathsAt+10)
	p.put(0x68, 0xb8, 8, timestamp+2)
	if l := load(t, tr); len(l.Images) != 2 || len(l.Gone) != 0 || l.Images[1].File != first.Images[1].File {
		t.Errorf("%+v", l)
	}
}

// TestSymbolsOfAnotherLibraryAreNotRead: symbols are read when they are asked for,
// when another library may be in the place.
func TestSymbolsOfAnotherLibraryAreNotRead(t *testing.T) {
	p, tr := alive(t)
	l := load(t, tr)
	im := l.Images[1]
	p.image(macho.Dylib, libAt, uuid('k'))
	if sym, ok := im.File.Symbol(mainBase + machotest.Text); ok || !Spoiled(&im) {
		t.Errorf("%+v, spoiled %v", sym, Spoiled(&im))
	}
	p.image(macho.Dylib, libAt, uuid('l'))
	now := load(t, tr).Images[1]
	if sym, ok := now.File.Symbol(mainBase + machotest.Text); !ok || sym.Name != "l" || Spoiled(&now) {
		t.Errorf("%+v, %v", sym, ok)
	}
}

// TestSymbolsWhileTheListChanges: those of a library that has stood all the while
// are read, those of one that came since are not, unless they were read ahead.
func TestSymbolsWhileTheListChanges(t *testing.T) {
	p, tr := alive(t)
	load(t, tr)
	p.image(macho.Dylib, otherAt, uuid('o'))
	p.list(mainAt, pathsAt, libAt, pathsAt+10, otherAt, p.path("/lib/o"))
	p.put(0x68, 0xb8, 8, timestamp+1)
	l := load(t, tr)
	l.Images[2].Code.(*steady).copies = nil
	stamp := uint64(timestamp + 1)
	p.M.OnRead = func(a task.Addr, n int) {
		if a == infosAt {
			stamp++
			p.put(0x68, 0xb8, 8, stamp)
		}
	}
	for i, want := range map[int]bool{1: true, 2: false} {
		if _, ok := l.Images[i].File.Symbol(mainBase + machotest.Text); ok != want || Spoiled(&l.Images[i]) == want {
			t.Errorf("%s: %v", l.Images[i].Path, ok)
		}
	}
}

// TestWhatStaysIsReadWhileTheListChanges: dyld, and what was loaded at launch, are
// never unloaded, so that nothing else can be in their places.
func TestWhatStaysIsReadWhileTheListChanges(t *testing.T) {
	p, tr := alive(t)
	p.dyld()
	p.image(macho.Dylib, otherAt, uuid('o'))
	p.list(mainAt, pathsAt, libAt, pathsAt+10, otherAt, p.path("/lib/o"))
	p.put(0x3c, 0x70, 8, 2) // without otherAt
	l := load(t, tr)
	stamp := uint64(timestamp)
	p.M.OnRead = func(a task.Addr, n int) {
		if a == infosAt {
			stamp++
			p.put(0x68, 0xb8, 8, stamp)
		}
	}
	var b [4]byte
	for i, want := range []bool{true, true, false, true} {
		im := &l.Images[i]
		if im.Fixed != want {
			t.Errorf("%s: stays %v", im.Path, im.Fixed)
		}
		if im.Code != nil {
			_, err := im.Code.ReadMemory(b[:], im.Load)
			if want || err == nil || !Spoiled(im) {
				t.Errorf("%s: %v, spoiled %v", im.Path, err, Spoiled(im))
			}
		}
	}
}

// TestReadAhead: what comes and goes has its names when it has gone.
func TestReadAhead(t *testing.T) {
	p, tr := alive(t)
	load(t, tr)
	p.image(macho.Dylib, otherAt, uuid('o'))
	p.list(mainAt, pathsAt, otherAt, p.path("/lib/o"))
	p.put(0x68, 0xb8, 8, timestamp+1)
	im := load(t, tr).Images[1]
	p.image(macho.Dylib, otherAt, uuid('x'))
	if sym, ok := im.File.Symbol(mainBase + machotest.Text); !ok || sym.Name != "o" || Spoiled(&im) {
		t.Errorf("%+v, %v", sym, ok)
	}
}

// TestReadAheadAtOnce: where the list changes while it is read for the first time,
// an image has its names though it has gone by then.
func TestReadAheadAtOnce(t *testing.T) {
	p, tr := alive(t)
	heads := 0
	p.M.OnRead = func(a task.Addr, n int) {
		if a != infosAt {
			return
		}
		if heads++; heads == 3 { // the list took two
			p.put(0x68, 0xb8, 8, timestamp+1)
		}
	}
	im := load(t, tr).Images[1]
	p.image(macho.Dylib, libAt, uuid('x'))
	if sym, ok := im.File.Symbol(mainBase + machotest.Text); !ok || sym.Name != "l" || Spoiled(&im) {
		t.Errorf("%+v, %v", sym, ok)
	}
}

// TestListThatKeepsChanging: images are found one by one, and what is found is
// not said to be whole.
func TestListThatKeepsChanging(t *testing.T) {
	p, tr := alive(t)
	heads := 0
	p.M.OnRead = func(a task.Addr, n int) {
		if a != infosAt {
			return
		}
		if heads++; heads == 3 || heads == 7 { // a list takes two, and a group of images one
			p.put(0x68, 0xb8, 8, uint64(timestamp+heads))
		}
	}
	l := load(t, tr)
	if l.Whole || len(l.Images) != 2 || l.Images[0].Path != "/bin/main" || !l.Images[0].Fixed || l.Images[1].Fixed {
		t.Errorf("whole %v: %+v", l.Whole, l.Images)
	}
	// One that changes with each read gives an end and an error.
	p.M.OnRead = func(a task.Addr, n int) {
		heads++
		p.put(0x68, 0xb8, 8, uint64(timestamp+heads))
	}
	if l, errs := NewTracker(p).Load(); l.Whole || len(errs) == 0 {
		t.Errorf("%+v, %v", l, errs)
	}
}

// TestLaunchIsAwaited: a process that was just started has no list, and its
// loader is not told yet.
func TestLaunchIsAwaited(t *testing.T) {
	p, tr := alive(t)
	p.put(0x68, 0xb8, 8, 0)
	p.put(8, 8, 8, 0)
	p.at = 0
	pauses := 0
	tr.pause = func(time.Duration) {
		switch pauses++; pauses {
		case 3:
			p.at = infosAt
		case 6:
			p.put(0x68, 0xb8, 8, timestamp)
			p.put(8, 8, 8, arrayAt)
		}
	}
	if l := load(t, tr); len(l.Images) != 2 || !l.Whole || pauses != 6 {
		t.Errorf("%d images after %d pauses", len(l.Images), pauses)
	}
}

// TestLaunchThatDoesNotGoOn: one that was stopped before dyld ran is waited for
// only so long, once, and shown as it is.
func TestLaunchThatDoesNotGoOn(t *testing.T) {
	p, tr := alive(t)
	p.put(0x68, 0xb8, 8, 0)
	p.put(8, 8, 8, 0)
	p.R = []task.Region{{Start: mainAt, Prot: task.Read | task.Execute}}
	waited := time.Duration(0)
	tr.pause = func(d time.Duration) { waited += d }
	for range 2 {
		if l, errs := tr.Load(); waited != launchPatience || len(errs) != 1 || len(l.Images) > 0 && !l.Images[0].Main {
			t.Errorf("waited %v: %v, %v", waited, l.Images, errs)
		}
	}
}

// TestMovedList: the list is read where it is now.
func TestMovedList(t *testing.T) {
	p, tr := alive(t)
	first := load(t, tr)
	const newAt = 0x18_0000
	b := make([]byte, 0x170)
	_, _ = p.M.ReadMemory(b, infosAt)
	p.M.Add(newAt, b)
	p.M.Remove(infosAt)
	p.at = newAt
	l := load(t, tr)
	if l.Timestamp != newAt+0xb8 || first.Timestamp != infosAt+0xb8 || l.Infos.Generation() == first.Infos.Generation() || len(l.Images) != 2 {
		t.Errorf("%+v", l)
	}
}

// TestMovesWhileItIsRead: it is asked again when a read fails.
func TestMovesWhileItIsRead(t *testing.T) {
	p, _ := alive(t)
	const newAt = 0x18_0000
	b := make([]byte, 0x170)
	_, _ = p.M.ReadMemory(b, infosAt)
	p.M.OnRead = func(a task.Addr, n int) {
		if a == infosAt {
			p.M.Add(newAt, b)
			p.M.Remove(infosAt)
			p.at = newAt
		}
	}
	if g, err := ReadGeneration(p); err != nil || g != (Generation{newAt, timestamp, arrayAt, 2}) {
		t.Errorf("%+v, %v", g, err)
	}
}

// TestEndedProcess: the error of a target that has ended comes through.
func TestEndedProcess(t *testing.T) {
	p, tr := alive(t)
	load(t, tr)
	gone := ended{p}
	tr.process = gone
	if l, errs := tr.Load(); len(l.Images) != 0 || len(errs) != 1 {
		t.Errorf("%+v, %v", l, errs)
	}
}

type ended struct{ *living }

func (e ended) Capabilities() task.Capabilities { return task.Capabilities{Loader: e} }

func (ended) Loader() (task.Addr, int, error) { return 0, 0, &task.ExitedError{PID: 7} }
