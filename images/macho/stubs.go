package macho

import (
	"strings"

	"stacksnap/images/object"
)

// stub names the stub that vmaddr is in as Apple's tools do. The k-th stub of a
// section belongs to entry Reserved1 + k of the indirect symbol table, which
// holds an index into the symbol table.
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

// indirectName returns the name of the symbol of an entry of the indirect symbol
// table.
func (f *File) indirectName(i uint64) (string, bool) {
	t, table := f.symtab(), f.indirects()
	if t == nil || i >= uint64(len(table)/4) {
		return "", false
	}
	index := f.order.Uint32(table[4*i:])
	if index&(indirectLocal|indirectAbs) != 0 || uint64(index) >= uint64(t.count()) {
		return "", false
	}
	name, ok := t.names.at(t.nlist(index).strx)
	return name, ok && name != "" && name != redacted
}

// readIndirects reads the indirect symbol table; nil when there is none or it
// cannot be read.
func (f *File) readIndirects() []byte {
	if f.indirect.size > 4*maxSymbols {
		return nil
	}
	table, err := readAll(f.indirect.size, func(p []byte, at uint64) (int, error) {
		return f.src.readLinkEdit(p, f.indirect.offset+at)
	})
	if err != nil {
		return nil
	}
	return table
}
