package golang

import (
	"encoding/binary"
	"slices"

	"stacksnap/images/code"
	"stacksnap/images/code/x86"
	"stacksnap/task"
)

// File is what must be known of a file besides its table.
type File struct {
	Arch task.Arch
	Code code.Reader
	// Starts are vmaddrs at which Go's code may start: the linker's symbol
	// runtime.text, which a stripped file has no more, and before which C code stands
	// where another linker had the last word.
	Starts []uint64
	// Symbols are functions that the file's own symbols name; cgo has some.
	Symbols map[string]uint64
}

// Bounds of the proof that code starts at an address.
const (
	maxStarts   = 16 // that are tried
	maxProbes   = 64 // functions, spread over the table
	maxProbe    = 1 << 10
	wantedCalls = 8
)

// Open reads the table and finds where its functions are, which it tells only
// relative to where they start. A start is believed when the calls in the code
// there go to functions of the table. Nil: there is no table, or no such start.
func Open(data []byte, f File) *Table {
	t, err := parse(data)
	if err != nil || t.count == 0 {
		return nil
	}
	candidates := append(slices.Clone(f.Starts), t.header)
	for i := 0; i < t.count && len(f.Symbols) > 0 && len(candidates) < maxStarts; i++ {
		if at, ok := f.Symbols[t.name(i)]; ok {
			candidates = append(candidates, at-t.start(i))
		}
	}
	for _, text := range candidates[:min(len(candidates), maxStarts)] {
		if text != 0 && text+t.size() > text && t.fits(text, &f) {
			t.text = text
			return t
		}
	}
	return nil
}

// fits tells whether the functions lie behind text.
func (t *Table) fits(text uint64, f *File) bool {
	right, wrong := 0, 0
	for probe := range maxProbes {
		i := probe * t.count / maxProbes
		from, to := t.start(i), t.start(i+1)
		if to <= from {
			continue
		}
		b := make([]byte, min(to-from, maxProbe))
		n, _ := f.Code(b, text+from)
		for _, target := range calls(f.Arch, b[:n], from) {
			if target >= t.size() {
				continue // of C
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

// calls lists where the direct calls in code go that starts at a distance.
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

// ModuleTextOffset is where struct moduledata (runtime/symtab.go), which has a
// section of its own since Go 1.26, has the field text: behind a pointer, six
// slices and three words.
const ModuleTextOffset = 8 + 6*24 + 3*8

// ModuleText returns where the linker says in that section that code starts; 0
// when it does not. In a file it may be as a relocation wants it.
func ModuleText(module []byte) uint64 {
	if len(module) < ModuleTextOffset+8 {
		return 0
	}
	return binary.LittleEndian.Uint64(module[ModuleTextOffset:])
}
