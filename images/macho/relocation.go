package macho

import (
	"stacksnap/images/dwarf"
)

// relocationBytes is the size of a relocation_info, <mach-o/reloc.h>.
const relocationBytes = 8

// relocation is a relocation against a symbol. The section's bytes do not include the
// symbol's address yet.
type relocation struct {
	at       uint32 // offset in the section
	size     uint8  // in bytes
	subtract bool   // subtract the symbol's address instead of adding it
	symbol   uint32
}

// debugSectionReader opens a section of debugging information. In an object file,
// references to sections already contain the address in the object; only those to
// symbols have to be relocated.
func (f *File) debugSectionReader(s *Section) dwarf.Section {
	r := &sectionReader{f, s}
	if f.filetype != Object || s.relocations.size == 0 {
		return r
	}
	list, ok := f.symbolRelocations(s)
	if !ok || s.Size > maxSectionData {
		return nil
	}
	if len(list) == 0 {
		return r
	}
	values, ok := f.symbolValues(list)
	if !ok {
		return nil
	}
	b, err := f.cost.readKept(s.Size, func(p []byte, at uint64) (int, error) { return f.src.readSection(p, s, at) })
	if err != nil {
		return nil
	}
	for _, l := range list {
		f.relocate(b, l, values[l.symbol])
	}
	return dwarf.Bytes(b)
}

// symbolRelocations returns the relocations of a section against symbols. It reports
// false if some are unreadable.
func (f *File) symbolRelocations(s *Section) (list []relocation, ok bool) {
	read := func(p []byte, at uint64) (int, error) { return f.src.readLinkEdit(p, s.relocations.offset+at) }
	ok = f.cost.readPieces(s.relocations.size, relocationBytes, read, func(piece []byte) bool {
		for ; len(piece) > 0; piece = piece[relocationBytes:] {
			at, info := f.order.Uint32(piece), f.order.Uint32(piece[4:])
			if l, is := f.symbolRelocation(at, info); is {
				if !f.cost.keep(relocationBytes) {
					return false
				}
				list = append(list, l)
			}
		}
		return true
	})
	return list, ok
}

// Types of relocations that add or subtract an address, and bits of their fields
// (<mach-o/reloc.h>, <mach-o/x86_64/reloc.h>, <mach-o/arm64/reloc.h>).
const (
	relocScattered    = 0x80000000 // in the address, in 32-bit files: against a section
	relocExtern       = 1 << 27
	relocUnsigned     = 0
	relocSubtractX86  = 5
	relocSubtractARM  = 1
	relocSymbolNumber = 1<<24 - 1
)

func (f *File) symbolRelocation(at, info uint32) (relocation, bool) {
	kind, subtract := info>>28, uint32(relocSubtractX86)
	if f.cpu == cpuARM64 {
		subtract = relocSubtractARM
	}
	if info&relocExtern == 0 || !f.is64 && at&relocScattered != 0 || kind != relocUnsigned && kind != subtract {
		return relocation{}, false
	}
	return relocation{at, 1 << (info >> 25 & 3), kind == subtract, info & relocSymbolNumber}, true
}

// symbolValues returns the addresses of the symbols in relocations, 0 for those that
// are not in the file.
func (f *File) symbolValues(list []relocation) (map[uint32]uint64, bool) {
	values := map[uint32]uint64{}
	for _, l := range list {
		values[l.symbol] = 0
	}
	ok := f.eachSymbol(func(i uint32, n *nlist) bool {
		if _, wanted := values[i]; wanted && n.defined() {
			values[i] = n.value
		}
		return true
	})
	return values, ok
}

// relocate adds value to a number in a section, or subtracts it.
func (f *File) relocate(b []byte, l relocation, value uint64) {
	if uint64(l.at)+uint64(l.size) > uint64(len(b)) {
		return
	}
	if l.subtract {
		value = -value
	}
	field := b[l.at:][:l.size]
	switch l.size {
	case 8:
		f.order.PutUint64(field, f.order.Uint64(field)+value)
	case 4:
		f.order.PutUint32(field, f.order.Uint32(field)+uint32(value))
	}
}
