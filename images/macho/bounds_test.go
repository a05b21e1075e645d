package macho

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"stacksnap/images/object"
)

// segment64 is the body of a segment_command_64 of vmaddr 0 and offset 0.
func segment64(size, fileSize uint64, sections uint32) *cursor {
	le := binary.LittleEndian
	b := make([]byte, 16, 64)
	for _, v := range []uint64{0, size, 0, fileSize, 0} {
		b = le.AppendUint64(b, v)
	}
	b = le.AppendUint32(b, sections)
	return &cursor{data: append(b, make([]byte, 4+80*sections)...), order: le}
}

// TestBoundsOfCommands, each by one.
func TestBoundsOfCommands(t *testing.T) {
	h := func(sizeofcmds uint32) []byte {
		b := binary.LittleEndian.AppendUint32(nil, magic64)
		b = append(b, make([]byte, headerSize64-4)...)
		binary.LittleEndian.PutUint32(b[20:], sizeofcmds)
		return b
	}
	if _, err := parseHeader(h(maxCommands)); err != nil {
		t.Error(err)
	}
	if _, err := parseHeader(h(maxCommands + 1)); err == nil {
		t.Error("more load commands than there may be")
	}
	for before, ok := range map[int]bool{maxSections - 1: true, maxSections: false} {
		cmds := commands{sections: make([]Section, before)}
		if err := cmds.readSegment(segment64(0, 0, 1), true); (err == nil) != ok {
			t.Errorf("behind %d sections: %v", before, err)
		}
	}
	var cmds commands
	if err := cmds.readSegment(segment64(8, 9, 0), true); err != nil || cmds.segments[0].FileSize != 8 {
		t.Errorf("%+v, %v", cmds.segments, err)
	}
}

// TestBoundsOfSlices: as many as there may be, and none beyond the end of the file.
func TestBoundsOfSlices(t *testing.T) {
	for n, ok := range map[uint32]bool{maxSlices: true, maxSlices + 1: false} {
		b := binary.BigEndian.AppendUint32(nil, magicFat)
		b = append(binary.BigEndian.AppendUint32(b, n), make([]byte, 20*(maxSlices+1))...)
		if _, err := thinFiles(bytes.NewReader(b), int64(len(b))); (err == nil) != ok {
			t.Errorf("%d slices: %v", n, err)
		}
	}
	for length, want := range map[uint32]int{90: 1, 91: 0} {
		b := make([]byte, 100)
		binary.BigEndian.PutUint32(b[16:], 10)
		binary.BigEndian.PutUint32(b[20:], length)
		if parts, err := fatSlices(bytes.NewReader(b), 100, 1, false, binary.BigEndian); err != nil || len(parts) != want {
			t.Errorf("%d bytes from 10 on: %d slices, %v", length, len(parts), err)
		}
	}
}

// TestStartsDoNotWrap around the end of the address space.
func TestStartsDoNotWrap(t *testing.T) {
	im := synthetic(nil, true, cpuARM64)
	im.Starts = startsOf(0x10, ^uint64(7))
	file := im.Encode()
	f, err := NewFile(bytes.NewReader(file), int64(len(file)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.starts(); len(got) != 1 || got[0] != base+0x10 {
		t.Errorf("%#x", got)
	}
}

// TestLongNames are read up to a bound.
func TestLongNames(t *testing.T) {
	for length, ok := range map[int]bool{maxName - 1: true, maxName: false} {
		names := strings.Repeat("x", length) + "\x00"
		table := nameTable{place: place{size: uint64(len(names))}, cost: new(cost), read: func(p []byte, at uint64) (int, error) {
			return copy(p, names[at:]), nil
		}}
		if name, got := table.at(0); got != ok || ok && len(name) != length {
			t.Errorf("a name of %d bytes: %d, %v", length, len(name), got)
		}
	}
}

// TestManyNamePages are forgotten once there are too many.
func TestManyNamePages(t *testing.T) {
	table := nameTable{place: place{size: 2 * namePage}, cost: new(cost), pages: map[uint64][]byte{}, read: func(p []byte, _ uint64) (int, error) {
		return len(p), nil
	}}
	for i := range uint64(maxNamePages - 1) {
		table.pages[i+2] = nil
	}
	for page, want := range []int{maxNamePages, 1} {
		if table.page(uint64(page)); len(table.pages) != want {
			t.Errorf("%d pages, want %d", len(table.pages), want)
		}
	}
}

// TestOffsetsDoNotWrap: what lies before __LINKEDIT, or passes the largest offset, is
// nowhere.
func TestOffsetsDoNotWrap(t *testing.T) {
	const all = ^uint64(0)
	m := memorySource{mem: &emptiness{}, linkedit: object.Segment{VMAddr: 0x1000, Offset: 0x100, FileSize: all}}
	var b [4]byte
	if n, err := m.readLinkEdit(b[:], 0x80); !errors.Is(err, errNotMapped) {
		t.Errorf("%d bytes before __LINKEDIT, %v", n, err)
	}
	if n, err := m.readLinkEdit(b[:], 0x100); n != len(b) || err != nil {
		t.Errorf("%d bytes of __LINKEDIT, %v", n, err)
	}
	file := synthetic(nil, true, cpuARM64).Encode()
	f, err := NewFile(bytes.NewReader(file), int64(len(file)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	src := f.src.(*fileSource)
	src.segments = []object.Segment{{Offset: all - 7, FileSize: all}}
	if n, err := src.readVM(b[:], 16); !errors.Is(err, errNotMapped) {
		t.Errorf("%d bytes behind the largest offset, %v", n, err)
	}
}

// TestPiecesAreBounded, begin small, and are all there is.
func TestPiecesAreBounded(t *testing.T) {
	const size, entry = 2_000_000, 16
	at, largest := 0, 0
	read := func(p []byte, pos uint64) (int, error) {
		if pos != uint64(at) {
			t.Fatalf("read at %d, want %d", pos, at)
		}
		return len(p), nil
	}
	all := new(cost).readPieces(size, entry, read, func(p []byte) bool {
		if at == 0 && len(p) > 1<<12 {
			t.Errorf("the first piece has %d bytes", len(p))
		}
		at, largest = at+len(p), max(largest, len(p))
		return true
	})
	if !all || at != size || largest > 1<<19 {
		t.Errorf("%v: %d bytes, %d at once", all, at, largest)
	}
}
