package macho

import (
	"cmp"
	"slices"
	"strings"

	"stacksnap/images/golang"
	"stacksnap/images/object"
)

// GoFunctions implements [object.GoFunctionFinder].
func (f *File) GoFunctions(names ...string) []object.Symbol { return f.golang().Functions(names...) }

// readGo opens Go's function table; nil if there is none. It prefers the image's own
// file, which outlives the process.
func (f *File) readGo() *golang.Table {
	s, err := f.Section(object.GoPCLnTab)
	if err != nil {
		return nil
	}
	if disk, shift := f.disk(); disk != nil && shift == 0 {
		return disk.golang()
	}
	g := golang.File{
		Arch: f.Arch(), VMAddr: s.VMAddr, Code: f.ReadCode,
		Symbols: f.named, Pointers: f.pointers(), Data: f.goData,
	}
	for i := range f.sections {
		if s := &f.sections[i]; s.Code() && !s.Stubs() {
			g.Starts = append(g.Starts, s.VMAddr)
		}
	}
	return golang.Open(s.Data, g)
}

// pointers returns the possible decodings of a stored pointer: as linked, as dyld
// left it in memory, or as a chained fix-up, whose low 36 bits are the target or its
// distance from the header (<mach-o/fixup-chains.h>).
func (f *File) pointers() []func(uint64) uint64 {
	const target = 1<<36 - 1
	text, _ := f.TextVMAddr()
	ways := []func(uint64) uint64{
		func(p uint64) uint64 { return p },
		func(p uint64) uint64 { return p & target },
		func(p uint64) uint64 { return text + p&target },
	}
	if f.slide != 0 {
		ways = append(ways, func(p uint64) uint64 { return p - f.slide })
	}
	return ways
}

// maxCgoSymbols is the maximum number of symbols searched for Go's.
const maxCgoSymbols = 4 << 10

// named returns the functions in the symbol table of a stripped file.
func (f *File) named() map[string]uint64 {
	t := f.symtab()
	if t == nil || t.functions.Len() > maxCgoSymbols {
		return nil
	}
	functions := map[string]uint64{}
	for e := range t.functions.All() {
		if raw, ok := t.names.at(e.Name); ok {
			functions[strings.TrimPrefix(raw, "_")] = e.VMAddr
		}
	}
	return functions
}

// maxVariables is the maximum size of a section searched for Go's struct moduledata,
// in bytes.
const maxVariables = 64 << 20

// goData yields the sections that may contain Go's struct moduledata: its own since
// Go 1.26, the one where it was before, and others with variables.
func (f *File) goData(yield func([]byte) bool) {
	for _, s := range f.variables() {
		if !f.cost.take(s.Size) {
			return
		}
		b, err := readAll(s.Size, func(p []byte, at uint64) (int, error) { return f.src.readSection(p, s, at) })
		if err == nil && !yield(b) {
			return
		}
	}
}

func (f *File) variables() []*Section {
	var list []*Section
	for i := range f.sections {
		if s := &f.sections[i]; strings.HasPrefix(s.Segment, "__DATA") && !s.zeroFill() && s.Size <= maxVariables {
			list = append(list, s)
		}
	}
	order := map[string]int{"__go_module": -2, "__noptrdata": -1}
	slices.SortStableFunc(list, func(a, b *Section) int { return cmp.Compare(order[a.Name], order[b.Name]) })
	return list
}
