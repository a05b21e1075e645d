package macho

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// maxSymbols bounds a symbol table. The largest known programs have some two
// million.
const maxSymbols = 8 << 20

// nlist is one entry of the symbol table (struct nlist, nlist_64).
type nlist struct {
	strx  uint32
	typ   uint8
	sect  uint8
	desc  uint16
	value uint64
}

func nlistSize(is64 bool) int {
	if is64 {
		return 16
	}
	return 12
}

// defined tells whether the symbol is one of a section: not a stab, undefined,
// absolute or a name for another symbol.
func (n *nlist) defined() bool { return n.typ&nStab == 0 && n.typ&nType == nSect && n.sect != 0 }

// local tells whether the symbol is known in its own file only.
func (n *nlist) local() bool { return n.typ&(nExt|nPrivate) == 0 }

// rank orders symbols at one address: external, weak, private to the image,
// local.
func (n *nlist) rank() uint8 {
	switch {
	case n.typ&nExt != 0 && n.desc&nWeakDef == 0:
		return 0
	case n.typ&nExt != 0:
		return 1
	case n.typ&nPrivate != 0:
		return 2
	}
	return 3
}

// symtab is a symbol table.
type symtab struct {
	header    *header
	raw       []byte // the nlists
	names     nameTable
	functions *object.Table // Entry.Name is the index of the nlist
}

func (t *symtab) count() int { return len(t.raw) / nlistSize(t.header.is64) }

// nlist returns the i-th entry, zero when there is none.
func (t *symtab) nlist(i uint32) nlist {
	size := nlistSize(t.header.is64)
	if uint64(i) >= uint64(t.count()) {
		return nlist{}
	}
	c := cursor{data: t.raw[int(i)*size:][:size], order: t.header.order}
	return nlist{strx: c.u32(), typ: c.u8(), sect: c.u8(), desc: c.u16(), value: c.word(t.header.is64)}
}

// readSymtab reads LC_SYMTAB; nil when there is none or it cannot be read.
func (f *File) readSymtab() *symtab {
	if f.nsyms == 0 || f.nsyms > maxSymbols {
		return nil
	}
	raw, err := readAll(f.nlists.size, func(p []byte, at uint64) (int, error) {
		return f.src.readLinkEdit(p, f.nlists.offset+at)
	})
	if err != nil {
		return nil
	}
	t := &symtab{header: &f.header, raw: raw, names: nameTable{read: f.src.readLinkEdit, place: f.strings}}
	t.functions = object.NewTable(f.functionEntries(t), func(uint32) string { return "" })
	return t
}

// functionEntries lists the symbols that stand in sections of code.
func (f *File) functionEntries(t *symtab) []object.Entry {
	var entries []object.Entry
	for i := range uint32(t.count()) {
		n := t.nlist(i)
		if !n.defined() || int(n.sect) > len(f.sections) {
			continue
		}
		s := &f.sections[n.sect-1]
		at := f.instruction(n.value)
		// __mh_execute_header has the number of the first section and lies below it.
		if !s.Code() || !s.Contains(at) {
			continue
		}
		entries = append(entries, object.Entry{VMAddr: at, Name: i, Section: uint16(n.sect), Rank: n.rank()})
	}
	return entries
}

// instruction takes the Thumb bit off an address of code.
func (f *File) instruction(vmaddr uint64) uint64 {
	if f.Arch() == task.ARM {
		return vmaddr &^ 1
	}
	return vmaddr
}

// DataSymbol returns the vmaddr of the symbol of exactly this name, as the
// symbol table has it: with the underscore that C names get. It may be of any
// section.
func (f *File) DataSymbol(name string) (uint64, bool) {
	if t := f.symtab(); t != nil {
		for i := range uint32(t.count()) {
			n := t.nlist(i)
			if !n.defined() {
				continue
			}
			if s, ok := t.names.at(n.strx); ok && s == name {
				return n.value, true
			}
		}
	}
	disk, shift := f.disk()
	if disk == nil {
		return 0, false
	}
	vmaddr, ok := disk.DataSymbol(name)
	return vmaddr + shift, ok
}
