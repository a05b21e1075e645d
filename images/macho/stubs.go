package macho

import (
	"slices"
	"strings"

	"stacksnap/images/object"
)

// maxIndirect is the maximum number of entries in the indirect symbol table. The
// largest known programs have some thousands.
const maxIndirect = 1 << 20

// stub names the stub that contains vmaddr as Apple's tools do. The k-th stub of a
// section belongs to entry Reserved1 + k of the indirect symbol table, which is an
// index into the symbol table.
func (f *File) stub(s *Section, vmaddr uint64) (object.Symbol, bool) {
	k := (vmaddr - s.VMAddr) / s.StubSize()
	sym := object.Symbol{VMAddr: s.VMAddr + k*s.StubSize(), Size: s.StubSize()}
	name, ok := f.indirectName(uint64(s.Reserved1) + k)
	if !ok {
		disk, _ := f.disk()
		if disk == nil {
			return sym, false
		}
		// Both have the same load commands, so the same indices.
		if name, ok = disk.indirectName(uint64(s.Reserved1) + k); !ok {
			return sym, false
		}
	}
	sym.Name = "DYLD-STUB$$" + strings.TrimPrefix(name, "_")
	return sym, true
}

// indirectName returns the symbol name of an entry of the indirect symbol table.
func (f *File) indirectName(i uint64) (string, bool) {
	t, table := f.symtab(), f.indirects()
	if t == nil || i >= uint64(len(table)/4) {
		return "", false
	}
	index := f.order.Uint32(table[4*i:])
	n, found := slices.BinarySearch(t.wanted, index)
	if !found || index&(indirectLocal|indirectAbs) != 0 {
		return "", false
	}
	name, ok := t.names.at(t.strx[n])
	return name, ok && name != "" && name != redacted
}

// stubSymbols returns the indices of the symbols that have stubs, sorted; nil if that
// exceeds the budget.
func (f *File) stubSymbols() []uint32 {
	table := f.indirects()
	const cost = 8 // bytes: an index, and later the name's offset
	if !f.cost.keep(uint64(len(table) / 4 * cost)) {
		return nil
	}
	wanted := make([]uint32, 0, len(table)/4)
	for i := range len(table) / 4 {
		if index := f.order.Uint32(table[4*i:]); index&(indirectLocal|indirectAbs) == 0 {
			wanted = append(wanted, index)
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// readIndirects reads the indirect symbol table; nil if there is none or it is
// unreadable.
func (f *File) readIndirects() []byte {
	if f.indirect.size > 4*maxIndirect {
		return nil
	}
	table, err := f.cost.readKept(f.indirect.size, func(p []byte, at uint64) (int, error) {
		return f.src.readLinkEdit(p, f.indirect.offset+at)
	})
	if err != nil {
		return nil
	}
	return table
}
