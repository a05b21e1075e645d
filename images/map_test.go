package images

import (
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
)

// fakeFile has segments, and symbols at the vmaddrs of its map.
type fakeFile struct {
	object.File
	segments []object.Segment
	symbols  map[uint64]string
	closed   int
}

func (f *fakeFile) Segments() []object.Segment { return f.segments }

func (f *fakeFile) FunctionStart(vmaddr uint64) (uint64, bool) { return vmaddr &^ 0xff, vmaddr < 0x400 }

func (f *fakeFile) Close() error { f.closed++; return nil }

func (f *fakeFile) Symbol(vmaddr uint64) (object.Symbol, bool) {
	for at, name := range f.symbols {
		if vmaddr >= at && vmaddr < at+0x10 {
			return object.Symbol{Name: name, VMAddr: at, Size: 0x10}, true
		}
	}
	return object.Symbol{}, false
}

func segment(name string, vmaddr, size uint64) object.Segment {
	return object.Segment{Name: name, VMAddr: vmaddr, Size: size, Prot: task.Read | task.Execute}
}

func TestFindLooksIntoEachRange(t *testing.T) {
	low := &fakeFile{segments: []object.Segment{
		{Name: "__PAGEZERO", VMAddr: 0, Size: 1 << 32},
		segment("__TEXT", 0x1000, 0x1000), segment("__DATA", 0x9000, 0x1000), segment("__LINKEDIT", 0x2000, 1<<40),
	}}
	high := &fakeFile{segments: []object.Segment{segment("__TEXT", 0, 0x1000)}}
	m := NewMap([]object.Placed{
		{Path: "/lib/low", Load: 0x11000, Slide: 0x10000, File: low, Main: true},
		{Path: "/lib/high", Load: 0x14000, Slide: 0x14000, File: high},
		{Path: "/lib/unreadable", Load: 0x30000},
	})
	for _, c := range []struct {
		at   task.Addr
		name string
	}{
		{0x10fff, ""}, {0x11000, "low"}, {0x11fff, "low"}, {0x12000, ""},
		{0x14000, "high"}, {0x14fff, "high"}, {0x15000, ""}, {0x19000, "low"}, {0x1a000, ""},
		{0, ""}, {^task.Addr(0), ""}, {0x30000, ""},
	} {
		im, ok := m.Find(c.at)
		if ok != (c.name != "") || ok && im.Name() != c.name {
			t.Errorf("Find(%v) = %v, %v; want %q", c.at, im, ok, c.name)
		}
	}
	if main := m.Main(); main == nil || main.End() != 0x1a000 {
		t.Errorf("Main() = %+v", main)
	}
	if err := m.Close(); err != nil || low.closed != 1 || high.closed != 1 {
		t.Errorf("Close: %v, %d, %d", err, low.closed, high.closed)
	}
}

func TestOverlappingImagesKeepWhatNoneAfterThemClaims(t *testing.T) {
	big := &fakeFile{segments: []object.Segment{segment("", 0, 0x3000)}}
	small := &fakeFile{segments: []object.Segment{segment("", 0, 0x1000)}}
	m := NewMap([]object.Placed{
		{Path: "big", Load: 0x1000, Slide: 0x1000, File: big},
		{Path: "small", Load: 0x2000, Slide: 0x2000, File: small},
	})
	if im, ok := m.Find(0x2800); !ok || im.Name() != "small" {
		t.Errorf("Find in the overlap = %v, %v", im, ok)
	}
	if im, ok := m.Find(0x1800); !ok || im.Name() != "big" {
		t.Errorf("Find before the overlap = %v, %v", im, ok)
	}
}

func TestLocateTellsInstructionsFromReturnAddresses(t *testing.T) {
	f := &fakeFile{
		segments: []object.Segment{segment("", 0, 0x1000)},
		symbols:  map[uint64]string{0x100: "first", 0x110: "_ZN6second4callEv", 0x120: "read@@GLIBC_2.2.5", 0x130: "read@plt"},
	}
	m := NewMap([]object.Placed{{Path: "/x", Load: 0x5000, Slide: 0x5000, File: f}})
	for _, c := range []struct {
		at       task.Addr
		isReturn bool
		function string
		offset   uint64
	}{
		{0x5110, false, "second::call()", 0},
		{0x5110, true, "first", 0x10}, // the call was the last instruction of first
		{0x5128, false, "read", 8},
		{0x5138, false, "read@plt", 8},
		{0x5200, false, "", 0x200},
		{0x9000, false, "", 0},
		{0, true, "", 0},
	} {
		loc := m.Locate(c.at, c.isReturn)
		if loc.Function != c.function || loc.Offset != c.offset {
			t.Errorf("Locate(%v, %v) = %q + %#x, want %q + %#x", c.at, c.isReturn, loc.Function, loc.Offset, c.function, c.offset)
		}
	}
}
