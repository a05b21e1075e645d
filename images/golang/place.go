package golang

import (
	"encoding/binary"
	"iter"

	"stacksnap/images/code"
	"stacksnap/images/code/x86"
	"stacksnap/task"
)

// File describes the file that contains a table.
type File struct {
	Arch task.Arch
	// VMAddr is the table's address.
	VMAddr uint64
	// Code reads what is mapped from the file, code or not.
	Code code.Reader
	// Starts are candidates for the start of Go's code: the linker's symbol
	// runtime.text, which a stripped file lacks, and which C code may precede if
	// another linker was used.
	Starts []uint64
	// Symbols returns functions in the file's own symbol table; cgo has some. It may
	// be nil.
	Symbols func() map[string]uint64
	// Pointers are the possible conversions of a stored pointer to a vmaddr. None: a
	// pointer is a vmaddr.
	Pointers []func(uint64) uint64
	// Data are the parts of the file with variables, relocated, .go.module first. One
	// of them contains Go's struct moduledata. It may be nil.
	Data iter.Seq[[]byte]
}

// Limits of the check that code starts at an address.
const (
	maxStarts   = 32 // starts tried
	maxProbes   = 64 // functions, spread over the table
	maxProbe    = 1 << 10
	wantedCalls = 8
)

// Open reads the table and finds the start of its code, which since Go 1.18 the table
// does not say. A start is accepted if calls in the code there go to functions of the
// table, or if moduledata has it. Open returns nil if there is no table, or no start
// is accepted.
func Open(data []byte, f File) *Table {
	if len(f.Pointers) == 0 {
		f.Pointers = []func(uint64) uint64{func(p uint64) uint64 { return p }}
	}
	t, err := newTable(data, f)
	if err != nil || t.count == 0 {
		return nil
	}
	if t.version < go118 {
		return t.placed()
	}
	if t.startsAt(t.headerStarts()) || t.startsAt(f.Starts) || t.startsInModule() || t.startsAt(t.symbolStarts()) {
		return t
	}
	return nil
}

// placed finds the conversion of pointers with which the functions of an older table
// are in the code. It returns nil if there is none.
func (t *Table) placed() *Table {
	for _, p := range t.of.Pointers {
		if t.pointer = p; t.fits(0) {
			return t
		}
	}
	return nil
}

// headerStarts returns the starts of code by the header.
func (t *Table) headerStarts() []uint64 {
	if t.text == 0 {
		return nil
	}
	var list []uint64
	for _, p := range t.of.Pointers {
		list = append(list, p(t.text))
	}
	return list
}

// symbolStarts returns candidates for the start of code: those that put a function of
// the table where the file's own symbol of the same name is.
func (t *Table) symbolStarts() []uint64 {
	if t.of.Symbols == nil {
		return nil
	}
	symbols := t.of.Symbols()
	var list []uint64
	for i := 0; i < t.count && len(symbols) > 0 && len(list) < maxStarts; i++ {
		f := t.begun(i)
		if at, ok := symbols[f.name()]; ok {
			list = append(list, at-f.start)
		}
	}
	return list
}

// startsAt sets base to the first of starts that fits. It reports false if none does.
func (t *Table) startsAt(starts []uint64) bool {
	for _, start := range starts[:min(len(starts), maxStarts)] {
		if start != 0 && start+t.size() > start && t.fits(start) {
			t.base = start
			return true
		}
	}
	return false
}

// startsInModule sets base to the start in moduledata.
func (t *Table) startsInModule() bool {
	m := t.module()
	if m == nil || m.text == 0 || m.text+t.size() < m.text || !t.readable(m.text) {
		return false
	}
	t.base = m.text
	return true
}

// fits reports whether the table's functions are at start.
func (t *Table) fits(start uint64) bool {
	if t.of.Arch != task.AMD64 && t.of.Arch != task.ARM64 {
		return t.readable(start)
	}
	right, wrong := 0, 0
	for probe := range maxProbes {
		i := probe * t.count / maxProbes
		from, to := t.start(i), t.start(i+1)
		if to <= from {
			continue
		}
		b := make([]byte, min(to-from, maxProbe))
		n, _ := t.of.Code(b, start+from)
		for _, target := range calls(t.of.Arch, b[:n], from) {
			if target < t.start(0) || target >= t.size() {
				continue // C code
			}
			if j := t.at(target); j >= 0 && t.start(j) == target {
				right++
			} else {
				wrong++
			}
		}
	}
	return right >= min(wantedCalls, t.count) && right > 10*wrong
}

// readable reports whether sample functions are in the file, in ascending order.
func (t *Table) readable(start uint64) bool {
	var b [1]byte
	last := uint64(0)
	for probe := range maxProbes {
		at := t.start(probe * t.count / maxProbes)
		if n, _ := t.of.Code(b[:], start+at); n == 0 || at < last {
			return false
		}
		last = at
	}
	return t.size() > last
}

// calls returns the targets of direct calls in the code b, which starts at distance
// at.
func calls(a task.Arch, b []byte, at uint64) []uint64 {
	var targets []uint64
	switch a {
	case task.AMD64:
		var i x86.Inst
		for off := uint32(0); i.Decode(b, off); off += i.Size {
			if i.Op == 0xe8 {
				targets = append(targets, at+uint64(off)+uint64(i.Size)+uint64(i.Imm))
			}
		}
	case task.ARM64:
		for off := 0; off+4 <= len(b); off += 4 {
			if ins := binary.LittleEndian.Uint32(b[off:]); ins>>26 == 0x25 {
				targets = append(targets, at+uint64(off)+uint64(int64(int32(ins<<6))>>4))
			}
		}
	}
	return targets
}
