package elf

import (
	"cmp"
	"debug/elf"
	"io"
	"iter"
	"slices"

	"stacksnap/images/golang"
	"stacksnap/images/object"
)

// maxCgoSymbols is the maximum number of dynamic symbols searched for Go's. A file
// with more is not stripped.
const maxCgoSymbols = 4 << 10

// readGo opens Go's function table; nil when there is none.
func (f *File) readGo() *golang.Table {
	s, err := f.Section(object.GoPCLnTab)
	if err != nil {
		return nil
	}
	g := golang.File{
		Arch: f.Arch(), VMAddr: s.VMAddr, Code: f.vm.readVM, Symbols: f.exported, Data: f.goData,
	}
	for _, a := range f.areas {
		g.Starts = append(g.Starts, a.start)
	}
	return golang.Open(f.relocatedTable(s), g)
}

// goSymbol returns the function that contains vmaddr by Go's table, unless the
// symbols have all functions.
func (f *File) goSymbol(vmaddr uint64) (object.Symbol, bool) {
	if f.symbols(); f.whole {
		return object.Symbol{}, false
	}
	return f.golang().Symbol(vmaddr)
}

// GoFunctions implements [object.GoFunctionFinder].
func (f *File) GoFunctions(names ...string) []object.Symbol { return f.golang().Functions(names...) }

// exported returns the functions in the dynamic symbol table.
func (f *File) exported() map[string]uint64 {
	t := f.dynamicSymbols()
	if t == nil || t.len() > maxCgoSymbols {
		return nil
	}
	functions := map[string]uint64{}
	for i := range t.len() {
		if s := t.at(i); f.isFunction(t, &s) {
			functions[t.name(s.name)] = s.value
		}
	}
	return functions
}

// relocatedTable returns Go's table with its addresses. Before Go 1.18,
// position-independent programs have them only as relocations.
func (f *File) relocatedTable(s object.Section) []byte {
	for _, sec := range f.elf.Sections {
		if sec.Flags&elf.SHF_WRITE == 0 || s.VMAddr < sec.Addr || s.VMAddr-sec.Addr >= sec.Size {
			continue
		}
		if !f.budget.Keep(uint64(len(s.Data))) {
			return nil
		}
		b := slices.Clone(s.Data)
		f.relocate(b, s.VMAddr)
		return b
	}
	return s.Data
}

// hiddenTable finds Go's table within other data, where other linkers than Go's put
// it in position-independent programs before Go 1.26.
func (f *File) hiddenTable() (object.Section, error) {
	const alignment = 32
	s := f.elf.Section(".data.rel.ro")
	if s == nil || f.elf.Section(".go.buildinfo") == nil && f.elf.Section(".note.go.buildid") == nil {
		return object.Section{}, object.ErrNoSection
	}
	b, err := f.data(s)
	if err != nil {
		return object.Section{}, err
	}
	for at := int(-s.Addr % alignment); at < len(b); at += alignment {
		if golang.IsTable(b[at:]) {
			return object.Section{VMAddr: s.Addr + uint64(at), Data: b[at:]}, nil
		}
	}
	f.budget.Return(uint64(len(b)))
	return object.Section{}, object.ErrNoSection
}

// maxVariables is the maximum size of a section searched for Go's struct moduledata,
// in bytes.
const maxVariables = 64 << 20

// goData yields the sections that may contain Go's struct moduledata: its own since
// Go 1.26, the one where it was before, and the other writable ones.
func (f *File) goData(yield func([]byte) bool) {
	for _, s := range f.variables() {
		if !f.budget.Read(s.FileSize) {
			return
		}
		b := make([]byte, s.FileSize)
		if _, err := s.ReadAt(b, 0); err != nil {
			continue
		}
		f.relocate(b, s.Addr)
		if !yield(b) {
			return
		}
	}
}

var _ iter.Seq[[]byte] = (*File)(nil).goData

func (f *File) variables() []*elf.Section {
	const variables = elf.SHF_ALLOC | elf.SHF_WRITE
	var list []*elf.Section
	for _, s := range f.elf.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&variables == variables && s.FileSize <= maxVariables && f.holds(s) && s.ReaderAt != nil {
			list = append(list, s)
		}
	}
	order := map[string]int{".go.module": -2, ".noptrdata": -1}
	slices.SortStableFunc(list, func(a, b *elf.Section) int { return cmp.Compare(order[a.Name], order[b.Name]) })
	return list
}

// relocate applies the relocations without a symbol to a part of the file. It skips
// those with implicit addends, whose values are in the file already.
func (f *File) relocate(part []byte, vmaddr uint64) {
	for _, s := range f.elf.Sections {
		if isRelocations(s) && s.Type == elf.SHT_RELA && f.is64() && f.holds(s) && f.budget.Read(s.FileSize) {
			relocateBy(s.Open(), part, vmaddr)
		}
	}
}

// relocateBy applies one section of struct Elf64_Rela: r_offset, r_info with the
// symbol in its upper half, and r_addend.
func relocateBy(r io.Reader, part []byte, vmaddr uint64) {
	const entry, piece = 24, 24 << 10 // bytes
	b := make([]byte, piece)
	for n := piece; n == piece; {
		n, _ = io.ReadFull(r, b)
		for e := b[:n]; len(e) >= entry; e = e[entry:] {
			at := uintN(e, 8) - vmaddr
			if symbol := uintN(e[12:], 4); symbol == 0 && at < uint64(len(part)) && uint64(len(part))-at >= 8 {
				copy(part[at:], e[16:entry])
			}
		}
	}
}
