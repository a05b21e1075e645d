package elf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"

	"stacksnap/images/object"
	"stacksnap/task"
)

const (
	maxSymbolName  = 64 << 10 // bytes; C++ templates reach some thousands
	maxSymbolBytes = 64 << 20 // bytes of a symbol table read from memory
	maxSymtab      = 1 << 29  // bytes of one read in pieces
	entryBytes     = 32       // size of an object.Entry, rounded up
)

// symbolTable is a .symtab or .dynsym with its names.
type symbolTable struct {
	raw      []byte // Elf64_Sym or Elf32_Sym; nil if read in pieces
	pieces   func() io.Reader
	size     uint64 // bytes
	is64     bool
	names    io.ReaderAt    // the string table
	sections []*elf.Section // by section number; nil if unknown
}

// symbol is a decoded entry.
type symbol struct {
	name    uint32 // offset in the string table
	info    uint8
	section elf.SectionIndex
	value   uint64
	size    uint64
}

func (s *symbol) kind() elf.SymType { return elf.ST_TYPE(s.info) }

func (t *symbolTable) entrySize() int {
	if t.is64 {
		return elf.Sym64Size
	}
	return elf.Sym32Size
}

func (t *symbolTable) len() int { return len(t.raw) / t.entrySize() }

// at decodes entry i, 0 ≤ i < len.
func (t *symbolTable) at(i int) symbol {
	le := binary.LittleEndian
	if t.is64 {
		b := t.raw[i*elf.Sym64Size:][:elf.Sym64Size]
		return symbol{le.Uint32(b), b[4], elf.SectionIndex(le.Uint16(b[6:])), le.Uint64(b[8:]), le.Uint64(b[16:])}
	}
	b := t.raw[i*elf.Sym32Size:][:elf.Sym32Size]
	return symbol{le.Uint32(b), b[12], elf.SectionIndex(le.Uint16(b[14:])), uint64(le.Uint32(b[4:])), uint64(le.Uint32(b[8:]))}
}

// pieceEntries is how many symbols are read at once: 24 KB, and the next ones into the same pages.
// mostRoom is for how many entries room is made before it is known how many are functions.
const (
	pieceEntries = 1 << 10
	mostRoom     = 4 << 10
)

// each yields the symbols until yield returns false. It returns false if some could
// not be read.
func (t *symbolTable) each(budget *object.Budget, yield func(*symbol) bool) bool {
	if t.pieces == nil {
		return t.eachIn(yield)
	}
	r := t.pieces()
	piece := symbolTable{is64: t.is64}
	buffer := make([]byte, min(uint64(pieceEntries*t.entrySize()), t.size))
	for left := t.size / uint64(t.entrySize()) * uint64(t.entrySize()); left > 0; left -= uint64(len(piece.raw)) {
		piece.raw = buffer[:min(left, uint64(len(buffer)))]
		if !budget.Read(uint64(len(piece.raw))) {
			return false
		}
		if _, err := io.ReadFull(r, piece.raw); err != nil || !piece.eachIn(yield) {
			return false
		}
	}
	return true
}

func (t *symbolTable) eachIn(yield func(*symbol) bool) bool {
	var s symbol // shared by all calls, as it escapes
	for i := range t.len() {
		if s = t.at(i); !yield(&s) {
			return false
		}
	}
	return true
}

// name reads the name at an offset; "" if there is none.
func (t *symbolTable) name(offset uint32) string {
	var chunk [256]byte
	var s []byte
	for len(s) < maxSymbolName {
		n, _ := t.names.ReadAt(chunk[:], int64(offset)+int64(len(s)))
		if end := bytes.IndexByte(chunk[:n], 0); end >= 0 {
			return string(append(s, chunk[:end]...))
		}
		if n < len(chunk) {
			break
		}
		s = append(s, chunk[:n]...)
	}
	return ""
}

// dynamicNames marks name offsets of the second table in an object.Entry; string
// tables are smaller.
const dynamicNames = 1 << 31

// readSymbols merges the functions of .symtab and .dynsym. Without a .symtab it uses
// the separate debug file's or .gnu_debugdata. Of the symbols at one address a global
// one wins, then a weak one, then a local one; among equals the first in the tables'
// order. That is eu-stack's choice (elfutils dwfl_module_addrsym.c); gdb prefers
// whichever its sort left last, often the one with fewer underscores.
func (f *File) readSymbols() *object.Table {
	static, all := f.anyStaticSymbols()
	t, whole := f.merge(static, all, f.functions())
	f.whole = whole
	return t
}

// entryOf makes the table entry for a symbol. It reports false to leave the symbol
// out.
type entryOf func(*symbolTable, *symbol) (object.Entry, bool)

// merge makes a table of static, the full symbol table, which may be nil, and of
// .dynsym. If all is true and static is the larger one, it includes .dynsym, which is
// then not read. whole reports whether the table has all symbols of static.
func (f *File) merge(static *symbolTable, all bool, entry entryOf) (t *object.Table, whole bool) {
	var entries []object.Entry
	if static != nil {
		if entries, whole = f.appendEntries(entries, static, 0, entry); !whole {
			static = nil
		}
	}
	var dynamic *symbolTable
	if s := f.elf.SectionByType(elf.SHT_DYNSYM); static == nil || !all || s != nil && s.FileSize > static.size {
		dynamic = f.dynamicSymbols() // a larger .symtab includes .dynsym
	}
	if dynamic != nil {
		entries, _ = f.appendEntries(entries, dynamic, dynamicNames, entry)
	}
	return object.NewTable(entries, func(name uint32) string {
		if name&dynamicNames != 0 {
			return dynamic.name(name &^ dynamicNames)
		}
		return static.name(name)
	}), whole
}

// anyStaticSymbols returns the full symbol table, nil if there is none. all reports
// that the table includes .dynsym if it is larger than that.
func (f *File) anyStaticSymbols() (t *symbolTable, all bool) {
	if t := f.fullSymbols(); t != nil {
		return t, true
	}
	if m := f.readMini(); m != nil {
		return m.staticSymbols(), false
	}
	return nil, false
}

// fullSymbols returns .symtab or that of the debug file, nil if there is none.
func (f *File) fullSymbols() *symbolTable {
	if t := f.staticSymbols(); t != nil {
		return t
	}
	if d := f.debug(); d != nil {
		return d.staticSymbols()
	}
	return nil
}

// dynamicSymbols returns .dynsym, nil when there is none.
func (f *File) dynamicSymbols() *symbolTable {
	if len(f.elf.Sections) == 0 {
		return f.mappedSymbols()
	}
	return f.symbolsInPieces(elf.SHT_DYNSYM)
}

// symbolSection reads the first symbol table of a type; nil and no error if there is
// none.
func (f *File) symbolSection(kind elf.SectionType) (*symbolTable, error) {
	s, t := f.findSymbols(kind)
	if t == nil {
		return nil, nil
	}
	var err error
	t.raw, err = f.data(s)
	t.size = uint64(len(t.raw))
	return t, err
}

// staticSymbols returns .symtab.
func (f *File) staticSymbols() *symbolTable { return f.symbolsInPieces(elf.SHT_SYMTAB) }

// symbolsInPieces returns the first symbol table of a type, to be read in pieces,
// because it may be far larger than what is kept of it. It is nil if there is no
// readable one.
func (f *File) symbolsInPieces(kind elf.SectionType) *symbolTable {
	s, t := f.findSymbols(kind)
	if t == nil || s.Size > maxSymtab || s.Flags&elf.SHF_COMPRESSED == 0 && !f.holds(s) {
		return nil
	}
	t.size = s.Size
	t.pieces = func() io.Reader { return s.Open() }
	return t
}

// findSymbols finds a symbol table and its names.
func (f *File) findSymbols(kind elf.SectionType) (*elf.Section, *symbolTable) {
	s := f.elf.SectionByType(kind)
	if s == nil || int(s.Link) >= len(f.elf.Sections) {
		return nil, nil
	}
	names := f.elf.Sections[s.Link]
	if names.Type != elf.SHT_STRTAB || names.ReaderAt == nil {
		return nil, nil
	}
	return s, &symbolTable{is64: f.is64(), names: &namePages{table: names.ReaderAt}, sections: f.elf.Sections}
}

func (f *File) is64() bool { return f.elf.Class == elf.ELFCLASS64 }

// appendEntries appends the entries of a table, with marked names. It appends none if
// the table is unreadable in part or exceeds the budget: with half a table, addresses
// would get the names of the wrong symbols.
func (f *File) appendEntries(dst []object.Entry, t *symbolTable, mark uint32, entry entryOf) (all []object.Entry, whole bool) {
	before := len(dst)
	dst = slices.Grow(dst, min(mostRoom, int(t.size/uint64(t.entrySize()))))
	whole = t.each(f.budget, func(s *symbol) bool {
		e, ok := entry(t, s)
		if !ok {
			return true
		}
		if !f.budget.Keep(entryBytes) {
			return false
		}
		e.Name |= mark
		dst = append(dst, e)
		return true
	})
	if !whole {
		f.budget.Return(uint64(len(dst)-before) * entryBytes)
		dst = slices.Clip(dst[:before:before])
	}
	return dst, whole
}

// functions returns the entryOf for functions.
func (f *File) functions() entryOf {
	thumb := f.Arch() == task.ARM
	mapping := thumb || f.Arch() == task.ARM64
	return func(t *symbolTable, s *symbol) (object.Entry, bool) {
		if !f.isFunction(t, s) || mapping && s.kind() == elf.STT_NOTYPE && isMappingSymbol(t.name(s.name)) {
			return object.Entry{}, false
		}
		if thumb && s.kind() != elf.STT_NOTYPE {
			s.value &^= 1 // bit 0 is the instruction set (AAELF32, "Symbol Values")
		}
		area, ok := f.area(s.value)
		return object.Entry{VMAddr: s.value, Size: s.size, Name: s.name, Section: area, Rank: rank(s)}, ok
	}
}

// isFunction reports whether a symbol may name code: a function, an indirect
// function, or an untyped label of assembly in a code section.
func (f *File) isFunction(t *symbolTable, s *symbol) bool {
	if !s.isDefined() {
		return false
	}
	switch s.kind() {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		return true
	case elf.STT_NOTYPE:
		return t.inItsSection(s)
	}
	return false
}

// isDefined reports whether a symbol has a name and is defined in a section.
func (s *symbol) isDefined() bool {
	return s.name != 0 && s.name < dynamicNames && s.section != elf.SHN_UNDEF &&
		(s.section < elf.SHN_LORESERVE || s.section == elf.SHN_XINDEX)
}

// inItsSection reports whether a label is within its section. Those that linkers put
// at a section's end, such as etext, are not.
func (t *symbolTable) inItsSection(s *symbol) bool {
	if int(s.section) >= len(t.sections) {
		return t.sections == nil
	}
	sec := t.sections[s.section]
	return s.value >= sec.Addr && s.value-sec.Addr < sec.Size
}

// isMappingSymbol reports whether a symbol marks a switch between code and data
// (AAELF64, "Mapping symbols"): $x, $d, $a, $t, with or without a suffix after a dot.
func isMappingSymbol(name string) bool {
	if len(name) < 2 || name[0] != '$' || len(name) > 2 && name[2] != '.' {
		return false
	}
	return name[1] == 'x' || name[1] == 'd' || name[1] == 'a' || name[1] == 't'
}

// rankLocal is the rank of local symbols with a size.
const rankLocal = 2

// rank orders the symbols at one address: those with a size first, then by binding.
func rank(s *symbol) uint8 {
	r := uint8(3)
	switch elf.ST_BIND(s.info) {
	case elf.STB_GLOBAL:
		r = 0
	case elf.STB_WEAK:
		r = 1
	case elf.STB_LOCAL:
		r = rankLocal
	}
	if s.size == 0 {
		r += 4
	}
	return r
}
