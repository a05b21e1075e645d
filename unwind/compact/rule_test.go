package compact

import (
	"encoding/binary"
	"errors"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// bytesAt is memory that has bytes from an address on.
type bytesAt struct {
	at task.Addr
	b  []byte
}

func (m bytesAt) ReadMemory(p []byte, a task.Addr) (int, error) {
	if a < m.at || a >= m.at+task.Addr(len(m.b)) {
		return 0, &task.FaultError{Addr: a}
	}
	return copy(p, m.b[a-m.at:]), nil
}

func TestRules(t *testing.T) {
	// push rbp; mov rsp, rbp; … and sub $0x1238, rsp at 0x20
	text := append([]byte{0x55, 0x48, 0x89, 0xe5}, make([]byte, 28)...)
	text = append(text, 0x48, 0x81, 0xec, 0x38, 0x12, 0, 0)
	for _, c := range []struct {
		arch     task.Arch
		encoding Encoding
		offset   uint32
		want     string
	}{
		{task.ARM64, 0x04000000, 64, "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},
		{task.ARM64, 0x54000105, 64, "cfa = fp + 16; fp = *(cfa - 16); r19 = *(cfa - 24); r20 = *(cfa - 32); r23 = *(cfa - 40); r24 = *(cfa - 48); pc = *(cfa - 8)"},
		{task.ARM64, 0x02003000, 64, "cfa = sp + 48; pc = lr"},
		{task.ARM64, 0x02002001, 64, "cfa = sp + 32; r19 = *(cfa - 8); r20 = *(cfa - 16); pc = lr"},
		{task.ARM64, 0, 64, "cfa = sp; pc = lr"},
		{task.AMD64, 0x01000000, 64, "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},
		{task.AMD64, 0x01030161, 64, "cfa = fp + 16; fp = *(cfa - 16); r3 = *(cfa - 40); r14 = *(cfa - 32); r15 = *(cfa - 24); pc = *(cfa - 8)"},
		{task.AMD64, 0x02020000, 64, "cfa = sp + 16; pc = *(cfa - 8)"},
		{task.AMD64, 0x02060804, 64, "cfa = sp + 48; r3 = *(cfa - 24); fp = *(cfa - 16); pc = *(cfa - 8)"},
		{task.AMD64, 0x03232000, 64, "cfa = sp + 4672; pc = *(cfa - 8)"},
		{task.AMD64, 0, 64, "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},
		{task.AMD64, 0, 1, "cfa = sp + 16; pc = *(cfa - 8)"},
		{task.AMD64, 0, 0, "cfa = sp + 8; pc = *(cfa - 8)"},
		{task.I386, 0x01010021, 64, "cfa = fp + 8; fp = *(cfa - 8); r3 = *(cfa - 12); r7 = *(cfa - 8); pc = *(cfa - 4)"},
		{task.I386, 0x02030400, 64, "cfa = sp + 12; r3 = *(cfa - 8); pc = *(cfa - 4)"},
	} {
		f := function{encoding: c.encoding, offset: c.offset, first: true, start: 0x1000, code: bytesAt{0x1000, text}}
		r, err := f.rule(c.arch)
		if err != nil || r.Format(c.arch) != c.want {
			t.Errorf("%v %#08x: %s, %v\nwant %s", c.arch, uint32(c.encoding), r.Format(c.arch), err, c.want)
		}
	}
}

func TestNoRule(t *testing.T) {
	for _, c := range []struct {
		arch     task.Arch
		encoding Encoding
		first    bool
		want     error
	}{
		{task.ARM64, 0x03000010, true, ErrDWARF},
		{task.AMD64, 0x04000010, true, ErrDWARF},
		{task.ARM64, 0x02000000, false, ErrInCall},
		{task.ARM64, 0, false, ErrNoInfo},
		{task.AMD64, 0, false, ErrNoInfo},
		{task.ARM64, 0x0f000000, true, ErrEncoding},
		{task.AMD64, 0x01000007, true, ErrEncoding},
		{task.AMD64, 0x02001c00, true, ErrEncoding}, // seven registers
		{task.AMD64, 0x02010400, true, ErrEncoding}, // no room for one
		{task.AMD64, 0x030103ff, true, ErrEncoding}, // no sub there
		{task.ARM, 0x04000000, true, rule.ErrNone},
	} {
		f := function{encoding: c.encoding, first: c.first, offset: 64, start: 0x1000, code: bytesAt{0x1000, make([]byte, 64)}}
		if _, err := f.rule(c.arch); !errors.Is(err, c.want) {
			t.Errorf("%v %#08x: %v, want %v", c.arch, uint32(c.encoding), err, c.want)
		}
	}
}

// TestPermutation encodes every order of every number of registers, as the
// header describes it, and wants it back.
func TestPermutation(t *testing.T) {
	for n := range 7 {
		permute(nil, n, func(order []uint8) {
			got, count, err := permutation(n, encodePermutation(order))
			if err != nil || count != n || string(got[:n]) != string(order) {
				t.Fatalf("%v: %v, %d, %v", order, got, count, err)
			}
		})
	}
}

func permute(order []uint8, n int, visit func([]uint8)) {
	if n == 0 {
		visit(order)
		return
	}
	for r := uint8(1); r <= 6; r++ {
		if !containsByte(order, r) {
			permute(append(order[:len(order):len(order)], r), n-1, visit)
		}
	}
}

func containsByte(b []uint8, x uint8) bool {
	for _, y := range b {
		if x == y {
			return true
		}
	}
	return false
}

// encodePermutation is the sum of the header's formulas: each register, less
// one and less those before it that are smaller, times the ways to go on.
func encodePermutation(order []uint8) uint32 {
	code := uint32(0)
	for i, r := range order {
		digit := uint32(r) - 1
		for _, before := range order[:i] {
			if before < r {
				digit--
			}
		}
		weight := uint32(1)
		for j := i + 1; j < len(order); j++ {
			weight *= uint32(6 - j)
		}
		code += digit * weight
	}
	return code
}

// file is an image's file that has nothing but an __unwind_info.
type file struct {
	object.File
	info []byte
}

func (f *file) Section(k object.Kind) (object.Section, error) {
	if k != object.UnwindInfo || f.info == nil {
		return object.Section{}, object.ErrNoSection
	}
	return object.Section{Data: f.info}, nil
}

func (f *file) FunctionStart(uint64) (uint64, bool) { return 0, false }

// small is a table with a compressed page for [0x1000, 0x2000) and a regular
// one for [0x2000, 0x3000).
func small() []byte {
	var b []byte
	for _, w := range []uint32{
		1, 28, 1, 0, 0, 32, 3, // header: one common encoding at 28, three index entries at 32
		0x04000001,
		0x1000, 68, 0, 0x2000, 92, 0, 0x3000, 0, 0,
		3, 2<<16 | 12, 1<<16 | 20, 0, 1<<24 | 0x10, 0x02000000, // compressed, entries at +12, one encoding at +20
		2, 2<<16 | 8, 0x2000, 0x04000000, 0x2800, 0,
	} {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func TestSource(t *testing.T) {
	var s Source
	im := &images.Image{Placed: object.Placed{Load: 0x100000000, File: &file{info: small()}}}
	for _, c := range []struct {
		off  task.Addr
		want string
		err  error
	}{
		{0xfff, "", rule.ErrNone},
		{0x1000, "cfa = fp + 16; fp = *(cfa - 16); r19 = *(cfa - 24); r20 = *(cfa - 32); pc = *(cfa - 8)", nil},
		{0x1010, "cfa = sp; pc = lr", nil},
		{0x1fff, "cfa = sp; pc = lr", nil},
		{0x2000, "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)", nil},
		{0x2800, "cfa = sp; pc = lr", nil},
		{0x3000, "", rule.ErrNone},
		{1 << 33, "", rule.ErrNone},
	} {
		r, err := s.Rule(rule.Query{Arch: task.ARM64, Image: im, PC: im.Load + c.off, First: true})
		if !errors.Is(err, c.err) || err == nil && r.Format(task.ARM64) != c.want {
			t.Errorf("%v: %v, %v", c.off, r.Format(task.ARM64), err)
		}
	}
	if start, end, ok := s.Function(&rule.Query{Image: im, PC: im.Load + 0x1011}); !ok || start != im.Load+0x1010 || end != im.Load+0x2000 {
		t.Errorf("function %v to %v, %v", start, end, ok)
	}
	bare := &images.Image{Placed: object.Placed{File: &file{}}}
	if _, err := s.Rule(rule.Query{Image: bare}); err != rule.ErrNone {
		t.Errorf("no section: %v", err)
	}
}

// TestFDE: of AMD64 the encodings of small's frames are of DWARF's mode.
func TestFDE(t *testing.T) {
	im := &images.Image{Placed: object.Placed{Load: 0x100000000, File: &file{info: small()}}}
	for off, want := range map[task.Addr]int{0xfff: 0, 0x1000: 1, 0x100f: 1, 0x1010: 0, 0x2000: 0} {
		got, ok := new(Source).FDE(&rule.Query{Arch: task.AMD64, Image: im, PC: im.Load + off})
		if ok != (want != 0) || ok && got != want {
			t.Errorf("%v: %d, %v", off, got, ok)
		}
	}
}

func BenchmarkRule(b *testing.B) {
	var s Source
	im := &images.Image{Placed: object.Placed{Load: 0x100000000, File: &file{info: small()}}}
	q := rule.Query{Arch: task.ARM64, Image: im, PC: im.Load + 0x1004, First: true}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Rule(q); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add(small(), uint32(0x1010), []byte{0x55, 0x48, 0x89, 0xe5})
	f.Add([]byte{1, 0, 0, 0}, uint32(0), []byte{})
	f.Fuzz(func(t *testing.T, data []byte, off uint32, text []byte) {
		table, err := Parse(data)
		if err != nil {
			return
		}
		n := 0
		for range table.All() {
			if n++; n > 1<<16 {
				break
			}
		}
		e, err := table.Lookup(off)
		if err == nil && (off < e.Start || off >= e.End) {
			t.Fatalf("%#x is not in %x", off, e)
		}
		for _, a := range []task.Arch{task.ARM64, task.AMD64, task.I386} {
			g := function{encoding: e.Encoding, start: 0x1000, offset: off - e.Start, first: true, code: bytesAt{0x1000, text}}
			if r, err := g.rule(a); err == nil && !r.Valid() {
				t.Fatalf("%v: invalid rule from %x", a, e.Encoding)
			}
		}
	})
}
