package elf

import (
	"debug/elf"

	"stacksnap/images/golang"
	"stacksnap/images/object"
)

// maxCgoSymbols is how many symbols are looked at for those of Go: where there
// are more, the file is not stripped.
const maxCgoSymbols = 4 << 10

// readGo opens Go's table of functions; nil when there is none, and when the file
// has all symbols, which tell where functions end, too.
func (f *File) readGo() *golang.Table {
	if f.symbols(); f.whole {
		return nil
	}
	s, err := f.Section(object.GoPCLnTab)
	if err != nil {
		return nil
	}
	g := golang.File{Arch: f.Arch(), Code: f.vm.readVM, Symbols: f.exported()}
	if at, ok := f.moduleText(); ok {
		g.Starts = append(g.Starts, at)
	}
	for _, a := range f.areas {
		g.Starts = append(g.Starts, a.start)
	}
	return golang.Open(s.Data, g)
}

// exported returns the functions that the dynamic symbols name.
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

// moduleText returns what Go's linker says of where its code starts, which in a
// position-independent file is the addend of a relocation.
func (f *File) moduleText() (uint64, bool) {
	s := f.elf.Section(".go.module")
	if s == nil {
		return 0, false
	}
	b, err := f.data(s)
	if err != nil {
		return 0, false
	}
	text := golang.ModuleText(b)
	f.eachData(isRelocations, func(rel *elf.Section, b []byte) {
		const size = 24 // struct Elf64_Rela
		for ; rel.Type == elf.SHT_RELA && f.is64() && len(b) >= size; b = b[size:] {
			if uintN(b, 8) == s.Addr+golang.ModuleTextOffset {
				text = uintN(b[16:], 8)
			}
		}
	})
	return text, text != 0
}
