package exidx

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// file is an object.File with an index only.
type file struct {
	index object.Section
	none  bool
}

func (f *file) Arch() task.Arch                     { return task.ARM }
func (f *file) ID() []byte                          { return nil }
func (f *file) Segments() []object.Segment          { return nil }
func (f *file) HasSymbols() bool                    { return false }
func (f *file) Symbol(uint64) (object.Symbol, bool) { return object.Symbol{}, false }
func (f *file) FunctionStart(uint64) (uint64, bool) { return 0, false }
func (f *file) Close() error                        { return nil }

func (f *file) Section(k object.Kind) (object.Section, error) {
	if f.none || k != object.ExIdx {
		return object.Section{}, object.ErrNoSection
	}
	return f.index, nil
}

// bytesAt is memory that has bytes from an address on.
type bytesAt struct {
	at task.Addr
	b  []byte
}

func (m bytesAt) ReadMemory(p []byte, a task.Addr) (int, error) {
	n := 0
	if a >= m.at && a < m.at+task.Addr(len(m.b)) {
		n = copy(p, m.b[a-m.at:])
	}
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

func le(words ...uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// Where the tests' tables are, as vmaddrs; the image is slide higher.
const (
	indexAt = 0x2000
	tableAt = 0x3000
	slide   = 0x40000
)

// to is a word at a place that points to another, with bit 31 as told.
func to(at, place, bit31 uint32) uint32 { return (place-at)&(1<<31-1) | bit31<<31 }

// query asks about a vmaddr of an image that has the index and the table.
func query(index, table []byte, vmaddr uint64) rule.Query {
	f := &file{index: object.Section{VMAddr: indexAt, Data: index}}
	im := &images.Image{Placed: object.Placed{File: f, Slide: slide}}
	return rule.Query{Arch: task.ARM, Image: im, PC: im.Addr(vmaddr), Code: bytesAt{slide + tableAt, table}}
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		program []byte
		want    string
	}{
		{[]byte{0xb0}, "cfa = sp; pc = lr"},
		{nil, "cfa = sp; pc = lr"},
		{[]byte{0x00, 0xb0}, "cfa = sp + 4; pc = lr"},
		{[]byte{0x3f, 0x41, 0xb0}, "cfa = sp + 248; pc = lr"},
		{[]byte{0xa8, 0xb0, 0xff}, "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"},
		{[]byte{0xa1, 0xb0}, "cfa = sp + 8; r4 = *(cfa - 8); r5 = *(cfa - 4); pc = lr"},
		{[]byte{0x84, 0x80}, "cfa = sp + 8; r11 = *(cfa - 8); pc = *(cfa - 4)"},
		{[]byte{0x88, 0x01}, "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"},
		{[]byte{0x97, 0x84, 0x08}, "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},
		{[]byte{0x9b, 0x42, 0xa8}, "cfa = r11 - 4; r4 = *(cfa - 8); pc = *(cfa - 4)"},
		{[]byte{0x84, 0x00, 0xb1, 0x0f}, "cfa = sp + 20; pc = *(cfa - 20)"},
		{[]byte{0xb2, 0x00}, "cfa = sp + 516; pc = lr"},
		{[]byte{0xb2, 0x85, 0x01}, "cfa = sp + 1048; pc = lr"},
		{[]byte{0xb3, 0x83}, "cfa = sp + 36; pc = lr"},
		{[]byte{0xb4, 0xb5}, "cfa = sp + 4; pc = lr"},
		{[]byte{0xb8, 0xbf}, "cfa = sp + 80; pc = lr"},
		{[]byte{0xc0, 0xc5}, "cfa = sp + 56; pc = lr"},
		{[]byte{0xc6, 0xa1}, "cfa = sp + 16; pc = lr"},
		{[]byte{0xc7, 0x05}, "cfa = sp + 8; pc = lr"},
		{[]byte{0xc8, 0x02, 0xc9, 0x80}, "cfa = sp + 32; pc = lr"},
		{[]byte{0xd0, 0xd7}, "cfa = sp + 72; pc = lr"},
		// Popped from elsewhere than from below the cfa.
		{[]byte{0xa0, 0x97, 0x84, 0x00}, "cfa = fp + 4; r4 = *(sp); pc = *(cfa - 4)"},
		// The stack pointer itself, and a register that was popped before.
		{[]byte{0x86, 0x80}, "cfa = *(sp + 4); r11 = *(sp); pc = *(sp + 8)"},
		{[]byte{0x8c, 0x00}, "cfa = sp + 8; pc = *(cfa - 4)"},
		{[]byte{0x82, 0x08, 0x01, 0xa8}, "cfa = *(sp + 4) + 16; r4 = *(cfa - 8); fp = *(sp); pc = *(cfa - 4)"},
		{[]byte{0xa3, 0x97, 0x84, 0x00}, "cfa = *(sp + 12) + 4; r4 = *(sp); r5 = *(sp + 4); r6 = *(sp + 8); fp = *(sp + 12); pc = *(cfa - 4)"},
		{[]byte{0x82, 0x00, 0xa0, 0x99}, "cfa = r9; r4 = lost; pc = lr"},
	} {
		r, err := run(c.program)
		if got := r.Format(task.ARM); got != c.want || err != nil {
			t.Errorf("%x: %s, %v\nwant %s", c.program, got, err, c.want)
		}
	}
}

func TestPrograms_refused(t *testing.T) {
	if _, err := run([]byte{0x80, 0}); err != ErrCantUnwind || !errors.Is(err, rule.ErrNone) {
		t.Errorf("refused: %v", err)
	}
	large := []byte{0xb2, 0xff, 0xff, 0xff, 0x7f} // 1 GB
	for _, p := range [][]byte{
		{0x9d}, {0x9f}, {0xb1}, {0xb1, 0x10}, {0xb6}, {0xb7}, {0xc7 + 3, 0}, {0xd8}, {0xff}, large,
		{0xb2, 0x80, 0x80, 0x80, 0x80, 0x00}, {0x82, 0x00, 0xa0, 0x94},
	} {
		if r, err := run(p); !errors.Is(err, ErrMalformed) {
			t.Errorf("%x: %v, %v", p, r, err)
		}
	}
}

// TestEntries looks up what an index has in all its forms.
func TestEntries(t *testing.T) {
	table := le(
		0x8001a8b0,              // routine 0: three
		0x8101_0301, 0xa8b0b0b0, // routine 1: two and a word
		0x8200_02a8,                            // routine 2: two
		to(tableAt+16, 0x1234, 0), 0x0103_0101, // of a language: three and a word
		0x00a8b0b0,
		0x8300_0000,               // no such routine
		to(tableAt+32, 0x1234, 0), // cut off
	)
	var index []byte
	for i, second := range []uint32{
		0x8000a8b0, cantUnwind, tableAt, tableAt + 4, tableAt + 12, tableAt + 16, tableAt + 28, tableAt + 32, tableAt + 36, 0x8100a8b0,
	} {
		at := uint32(indexAt + 8*i)
		if second != cantUnwind && second>>31 == 0 {
			second = to(at+4, second, 0)
		}
		index = append(index, le(to(at, uint32(0x1000+0x10*i)|uint32(i&1), 0), second)...)
	}
	for i, want := range []string{
		"cfa = sp + 12; r4 = *(cfa - 8); pc = *(cfa - 4)", ErrCantUnwind.Error(),
		"cfa = sp + 16; r4 = *(cfa - 8); pc = *(cfa - 4)", "cfa = sp + 32; r4 = *(cfa - 8); pc = *(cfa - 4)",
		"cfa = sp + 20; r4 = *(cfa - 8); pc = *(cfa - 4)", "cfa = sp + 44; r4 = *(cfa - 8); pc = *(cfa - 4)",
		"no personality routine 3", "fault", "fault", "no personality routine 1",
	} {
		for _, vmaddr := range []uint64{0x1000 + 0x10*uint64(i), 0x100f + 0x10*uint64(i)} {
			r, err := new(Source).Rule(query(index, table, vmaddr))
			got := r.Format(task.ARM)
			if err != nil {
				got = strings.TrimPrefix(err.Error(), ErrMalformed.Error()+": ")
			}
			if fault := new(task.FaultError); errors.As(err, &fault) {
				got = "fault"
			}
			if got != want {
				t.Errorf("%#x: %s, want %s", vmaddr, got, want)
			}
		}
	}
	testEdges(t, index)
}

// testEdges asks where there is nothing to be known.
func testEdges(t *testing.T, index []byte) {
	other := query(index, nil, 0x1000)
	other.Arch = task.I386
	none := query(index, nil, 0x1000)
	none.Image.File = &file{none: true}
	short := query(index[:7], nil, 0x1000)
	for name, q := range map[string]rule.Query{"below": query(index, nil, 0xfff), "other": other, "none": none, "short": short, "nowhere": {Arch: task.ARM}} {
		if _, err := new(Source).Rule(q); err != rule.ErrNone {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, ok := new(Source).Function(&q); ok {
			t.Errorf("%s: a function", name)
		}
	}
	q := query(index, nil, 0x1019)
	if start, end, ok := new(Source).Function(&q); start != slide+0x1010 || end != slide+0x1020 || !ok {
		t.Errorf("function: %v to %v", start, end)
	}
	q = query(index, nil, 0x109f)
	if start, end, ok := new(Source).Function(&q); start != slide+0x1090 || end != slide+1<<32-1 || !ok {
		t.Errorf("the last: %v to %v", start, end)
	}
}
