package dyld

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

// churning is a process that exchanges a library before each read of its memory
// that is made while it runs: by another in the same place, whose path stands
// where that of the first did.
type churning struct {
	*living
	there    byte   // its name
	libs     []byte // the names of those that are there in turn
	files    map[byte][]byte
	turn     int
	path     task.Addr // of the library
	onePath  bool      // of all of them
	standing bool
	stops    []time.Duration
	refuse   error
}

// named is a library with an ID, a path and a symbol of one name.
func named(name byte) *machotest.Image {
	im := &machotest.Image{Is64: true, CPU: 0x01000007, Type: uint32(macho.Dylib), Base: mainBase}
	uuid(name)(im)
	return im
}

// neverRests makes one: with the program and a library that were loaded at
// launch, and dyld.
func neverRests(t *testing.T) (*churning, *Tracker) {
	l, tr := alive(t)
	l.dyld()
	p := &churning{living: l, there: 'a', libs: []byte("abbabaabb"), files: map[byte][]byte{}}
	for _, name := range []byte("abx") {
		p.files[name] = named(name).Encode()
	}
	p.path = l.path("/lib/?")
	l.M.Map(t, p.files['a'], otherAt)
	l.list(mainAt, pathsAt, libAt, pathsAt+10, otherAt, p.path)
	l.put(0x3c, 0x70, 8, 2)
	l.M.OnRead = func(task.Addr, int) {
		if !p.standing {
			p.exchange()
		}
	}
	tr.process = p
	tr.StopBy(p.suspend, func(d time.Duration) { p.stops = append(p.stops, d) })
	return p, tr
}

// exchange has the next library in the place.
func (p *churning) exchange() {
	p.turn++
	name := p.libs[p.turn%len(p.libs)]
	for at, b := range p.files[name] {
		if b != p.files[p.there][at] {
			p.M.PutByte(otherAt+task.Addr(at), b)
		}
	}
	p.there = name
	if !p.onePath {
		p.M.PutByte(p.path+5, name)
	}
	p.put(0x68, 0xb8, 8, uint64(timestamp+p.turn))
}

func (p *churning) suspend() (func() error, error) {
	if p.refuse != nil {
		return nil, p.refuse
	}
	if p.standing {
		panic("stopped twice")
	}
	p.standing = true
	return func() error { p.standing = false; return nil }, nil
}

// TestListThatNeverRests: what stays is placed, and of the others that one which
// was there in a stop.
func TestListThatNeverRests(t *testing.T) {
	p, tr := neverRests(t)
	seen := map[string]bool{}
	for i := range 20 {
		l := load(t, tr)
		if len(l.Images) != 4 || l.Whole {
			t.Fatalf("%d images, whole %v", len(l.Images), l.Whole)
		}
		for i, want := range []string{"/bin/main", "/lib/l", "", "/usr/lib/dyld"} {
			if im := &l.Images[i]; want != "" && (im.Path != want || !im.Fixed || im.Err != nil) || want == "" && im.Fixed {
				t.Errorf("image %d: %+v", i, im)
			}
		}
		if !l.Images[0].Main {
			t.Error("which is the program is not known")
		}
		for _, im := range append(l.Images[2:3:3], l.Gone...) {
			seen[im.Path] = true
			if !bytes.Equal(im.File.ID(), bytes.Repeat([]byte(im.Path[5:]), 16)) {
				t.Errorf("%s has the ID %q", im.Path, im.File.ID())
			}
		}
		p.turn += i // else the same one is always there after so many reads
	}
	if len(seen) != 2 || !seen["/lib/a"] || !seen["/lib/b"] {
		t.Errorf("saw %v", seen)
	}
	if len(p.stops) != 20 || p.standing {
		t.Errorf("%d stops, standing %v", len(p.stops), p.standing)
	}
}

// TestOnePathThatNeverRests: the libraries are known by their IDs alone.
func TestOnePathThatNeverRests(t *testing.T) {
	p, tr := neverRests(t)
	p.onePath = true
	p.M.PutByte(p.path+5, 'a')
	seen := map[byte]bool{}
	for i := range 20 {
		var there byte
		tr.StopBy(func() (func() error, error) { there = p.there; return p.suspend() }, tr.stopped)
		im := load(t, tr).Images[2]
		if id := im.File.ID()[0]; id != there {
			t.Errorf("%c is taken for %c", there, id)
		}
		seen[there] = true
		p.turn += i
	}
	if len(seen) != 2 {
		t.Errorf("saw %v", seen)
	}
}

// TestConstant: what is written to is not as it is in the file.
func TestConstant(t *testing.T) {
	for s, want := range map[object.Segment]bool{
		{Name: "__TEXT", Prot: task.Read | task.Execute}:              true,
		{Name: "__LINKEDIT", Prot: task.Read}:                         true,
		{Name: "__TEXT", Prot: task.Read | task.Write | task.Execute}: false,
		{Name: "__DATA", Prot: task.Read | task.Write}:                false,
		{Name: "__DATA_CONST", Prot: task.Read}:                       false,
		{Name: "__LINKEDIT"}:                                          false,
	} {
		if isConstant(&s) != want {
			t.Errorf("%+v: %v", s, !want)
		}
	}
}

// TestNamesOfWhatNeverRests: they come from the library's own file, whatever is in
// its place by then; where that cannot be had there are none.
func TestNamesOfWhatNeverRests(t *testing.T) {
	for _, c := range []struct {
		name string
		file func(b []byte) []byte // of the library's own; nil: there is none
		want bool
	}{
		{"its file", func(b []byte) []byte { return b }, true},
		{"none", nil, false},
		{"one that was stripped since", func(b []byte) []byte {
			im := named('a')
			im.Symbols = nil
			return im.Encode()
		}, false},
	} {
		p, tr := neverRests(t)
		p.libs = []byte("axbxaxxb") // there while the process stands, or not
		tr.loader.Open = func(path string, want macho.Want) (*macho.File, error) {
			if c.file == nil || !strings.HasPrefix(path, "/lib/") || len(want.ID) == 0 || want.ID[0] != 'a' {
				return nil, fs.ErrNotExist
			}
			b := c.file(named('a').Encode())
			return macho.NewFile(bytes.NewReader(b), int64(len(b)), want)
		}
		found := false
		for range 8 {
			l := load(t, tr)
			for _, im := range append(l.Images[2:3:3], l.Gone...) {
				sym, ok := im.File.Symbol(mainBase + machotest.Text)
				if ok && sym.Name != im.Path[5:] {
					t.Errorf("%s: %s is said to be in %s", c.name, sym.Name, im.Path)
				}
				if im.Path == "/lib/a" {
					found = true
					if ok != c.want || Spoiled(&im) == c.want {
						t.Errorf("%s: found %v, spoiled %v", c.name, ok, Spoiled(&im))
					}
				}
			}
			p.turn++
		}
		if !found {
			t.Errorf("%s: it was never seen", c.name)
		}
	}
}

// TestCalmAtFirst: what was read while nothing changed has its names from its file,
// too, and sections, when something does.
func TestCalmAtFirst(t *testing.T) {
	p, tr := neverRests(t)
	exchange := p.M.OnRead
	p.M.OnRead = nil
	opened := 0
	tr.loader.Open = func(path string, want macho.Want) (*macho.File, error) {
		opened++
		b := p.files['a']
		return macho.NewFile(bytes.NewReader(b), int64(len(b)), want)
	}
	im := load(t, tr).Images[2]
	if opened > 0 {
		t.Error("a file was opened that nothing needs")
	}
	p.M.OnRead = exchange
	f := im.File.(*macho.File)
	if s, err := f.SectionData("", "__text"); err != nil || len(s.Data) != machotest.TextSize {
		t.Errorf("%d bytes of code, %v", len(s.Data), err)
	}
	if sym, ok := f.Symbol(mainBase + machotest.Text); !ok || sym.Name != "a" || Spoiled(&im) || opened != 1 {
		t.Errorf("%+v, spoiled %v, opened %d times", sym, Spoiled(&im), opened)
	}
}

// TestRestlessWithoutAStop: a process that is not to be stopped, or cannot be.
// What stays is placed where the list can be read between two changes.
func TestRestlessWithoutAStop(t *testing.T) {
	for _, refused := range []bool{true, false} {
		p, tr := neverRests(t)
		if p.refuse = errors.New("no"); !refused {
			tr.stop = nil
		}
		if l, errs := tr.Load(); len(l.Images) > 0 || len(errs) == 0 || len(p.stops) > 0 {
			t.Errorf("%d images of a list that was never read, %v, %d stops", len(l.Images), errs, len(p.stops))
		}
		p.M.OnRead = func(a task.Addr, _ int) {
			if a == otherAt {
				p.exchange()
			}
		}
		l, errs := tr.Load()
		if len(l.Images) != 3 || len(errs) != 1 || !errors.Is(errs[0], errMoving) {
			t.Errorf("%d images, %v", len(l.Images), errs)
		}
		for _, im := range l.Images {
			if !im.Fixed {
				t.Errorf("%s was read while it changed", im.Path)
			}
		}
	}
}

// TestStopsWhileTheListIsNull: dyld is in the middle of a change.
func TestStopsWhileTheListIsNull(t *testing.T) {
	for _, null := range []int{2, maxStops} {
		p, tr := neverRests(t)
		p.M.OnRead = nil
		p.put(0x8, 0x8, 8, 0)
		tr.StopBy(func() (func() error, error) {
			resume, err := p.suspend()
			if p.put(0x8, 0x8, 8, arrayAt); len(p.stops) < null {
				p.put(0x8, 0x8, 8, 0)
			}
			return resume, err
		}, tr.stopped)
		l, errs := tr.Load()
		if null < maxStops && (len(l.Images) != 4 || len(errs) > 0 || len(p.stops) != null+1 || l.Whole) {
			t.Errorf("%d images, %v, %d stops, whole %v", len(l.Images), errs, len(p.stops), l.Whole)
		}
		if null == maxStops && (len(errs) == 0 || len(p.stops) != maxStops) {
			t.Errorf("%v, %d stops", errs, len(p.stops))
		}
	}
}

// TestManyAtOnce: no stop shows more than a few images; those that are not known
// come first, and then the others.
func TestManyAtOnce(t *testing.T) {
	const n = 20
	p, tr := neverRests(t)
	pairs := []task.Addr{mainAt, pathsAt, libAt, pathsAt + 10}
	for i := range n {
		at := task.Addr(0x2000_0000 + i*0x1_0000)
		p.image(macho.Dylib, at, uuid(byte('A'+i)))
		pairs = append(pairs, at, p.living.path(fmt.Sprintf("/lib/%c", 'A'+i)))
	}
	p.list(append(pairs, otherAt, p.path)...)
	l := load(t, tr)
	if len(l.Images) != n+4 {
		t.Errorf("%d images", len(l.Images))
	}
	if len(p.stops) != 1+n/maxShown {
		t.Errorf("%d stops", len(p.stops))
	}
	for _, im := range l.Images[2 : 2+n] {
		if im.File == nil || im.File.ID()[0] != im.Path[5] {
			t.Errorf("%+v", im)
		}
	}
	// More than there is room for.
	for i := range 3 * spareShown {
		pairs = append(pairs, task.Addr(0x2000_0000+i%n*0x1_0000), pathsAt)
	}
	first := true
	tr.StopBy(func() (func() error, error) {
		if first {
			p.list(pairs[:200]...)
			first = false
		}
		return p.suspend()
	}, tr.stopped)
	if l := load(t, tr); len(l.Images) != n+3 {
		t.Errorf("%d images of a list that grew", len(l.Images))
	}
}

// TestNothingIsMadeInAStop: no memory is allocated in it, and nothing is read of
// what is not understood.
func TestNothingIsMadeInAStop(t *testing.T) {
	p, tr := neverRests(t)
	p.standing = true
	r := &reading{Tracker: tr, found: map[entry]*image{}}
	s := r.newStoppedList()
	if n := testing.AllocsPerRun(20, func() { s.shown = s.shown[:0]; s.copy() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(s.shown) != 1 || s.listed != 3 {
		t.Errorf("%d of %d entries are shown", len(s.shown), s.listed)
	}
	for name, spoil := range map[string]func(){
		"a huge count":  func() { p.put(0x4, 0x4, 4, 1<<31) },
		"a wild array":  func() { p.put(0x8, 0x8, 8, 0xdead0000) },
		"no list":       func() { p.at = 0xdead0000 },
		"huge commands": func() { p.M.Put(otherAt+sizeofcmdsAt, 4, 1<<30) },
		"an endless path": func() {
			p.M.Add(0x50_0000, bytes.Repeat([]byte{'x'}, shownPath))
			p.M.Put(arrayAt+2*24+8, 8, 0x50_0000)
		},
		"no path":   func() { p.M.Put(arrayAt+2*24+8, 8, 0xdead0000) },
		"no header": func() { p.M.Put(arrayAt+2*24, 8, 0xdead0000) },
	} {
		p, tr = neverRests(t)
		p.standing = true
		spoil()
		r := &reading{Tracker: tr, found: map[entry]*image{}}
		s := r.newStoppedList()
		if s.copy(); s.listed > 0 {
			p.M.OnRead = nil
			r.take(s)
		}
		for e := range r.found {
			if e.load == otherAt {
				t.Errorf("%s: took %+v", name, r.found[e].Placed)
			}
		}
	}
}
