package macho

import (
	"slices"

	"stacksnap/task"
)

const (
	maxStarts  = 32 << 20 // bytes of LC_FUNCTION_STARTS; a function takes at least one
	startBytes = 8        // cost of a start kept
)

// readStarts reads LC_FUNCTION_STARTS: ULEB128 distances, the first from the start of
// __TEXT, terminated by a 0. On ARM the lowest bit of a start marks Thumb code. It
// returns nil if there is none or it is unreadable.
func (f *File) readStarts() []uint64 {
	at, ok := f.TextVMAddr()
	if !ok || f.functionStarts.size == 0 || f.functionStarts.size > maxStarts {
		return nil
	}
	b, err := f.cost.readKept(f.functionStarts.size, func(p []byte, pos uint64) (int, error) {
		return f.src.readLinkEdit(p, f.functionStarts.offset+pos)
	})
	if err != nil {
		return nil
	}
	defer f.cost.drop(uint64(len(b)))
	var starts []uint64
	for len(b) > 0 {
		var delta uint64
		delta, b = uleb(b)
		if delta == 0 || at+delta < at {
			break
		}
		if !f.cost.keep(startBytes) {
			f.cost.drop(uint64(len(starts)) * startBytes)
			return nil
		}
		at += delta
		starts = append(starts, at)
	}
	return slices.Clip(starts)
}

// uleb decodes a ULEB128 number; 0 if it is cut off or exceeds 64 bits.
func uleb(b []byte) (v uint64, rest []byte) {
	for i := 0; i < len(b) && i < 10; i++ {
		v |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return v, b[i+1:]
		}
	}
	return 0, nil
}

// FunctionStart implements [object.File]. It uses LC_FUNCTION_STARTS, else the
// symbols, else Go's table. Every stub is a function of its own.
func (f *File) FunctionStart(vmaddr uint64) (uint64, bool) {
	vmaddr = f.instruction(vmaddr)
	i := f.sectionIndex(vmaddr)
	if i < 0 {
		return 0, false
	}
	if s := &f.sections[i]; s.Stubs() {
		return vmaddr - (vmaddr-s.VMAddr)%s.StubSize(), true
	}
	if len(f.starts()) > 0 {
		return f.listedStart(vmaddr, i)
	}
	if f.ownSymbols() {
		if sym, ok := f.symtab().pick(vmaddr, i, false); ok && f.owns(&sym, vmaddr) {
			return sym.VMAddr, true
		}
	} else if disk, shift := f.disk(); disk != nil {
		start, ok := disk.FunctionStart(vmaddr - shift)
		return start + shift, ok
	}
	if !f.stripped() {
		return 0, false
	}
	sym, ok := f.golang().Symbol(vmaddr)
	return sym.VMAddr, ok
}

// listedStart returns the start, in LC_FUNCTION_STARTS, of the function that contains
// vmaddr, in the i-th section.
func (f *File) listedStart(vmaddr uint64, i int) (uint64, bool) {
	listed, ok := f.listed(vmaddr, i)
	return f.instruction(listed), ok
}

// listed is like listedStart, but does not clear the Thumb bit.
func (f *File) listed(vmaddr uint64, i int) (uint64, bool) {
	starts := f.starts()
	last := vmaddr
	if f.Arch() == task.ARM {
		last |= 1
	}
	n, found := slices.BinarySearch(starts, last)
	if !found {
		n--
	}
	if n < 0 || starts[n] < f.sections[i].VMAddr {
		return 0, false
	}
	return starts[n], true
}

// Thumb implements [object.ThumbReporter] by LC_FUNCTION_STARTS.
func (f *File) Thumb(vmaddr uint64) (thumb, known bool) {
	i := f.sectionIndex(vmaddr)
	if i < 0 || f.sections[i].Stubs() {
		return false, false
	}
	listed, ok := f.listed(vmaddr, i)
	return listed&1 != 0, ok
}
