package macho

import (
	"cmp"
	"slices"
	"strings"

	"stacksnap/images/golang"
	"stacksnap/images/object"
)

// readGo opens Go's table of functions; nil when there is none. That of the image's
// own file is read where there is one, which is there when the process is not.
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

// pointers are the ways to take a stored pointer to what it stands for: as linked, as
// dyld has left it in memory, or in the form of a chained fix-up, whose low 36 bits are
// the target or its distance from the header (<mach-o/fixup-chains.h>).
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

// maxCgoSymbols is how many symbols are looked at for those of Go.
const maxCgoSymbols = 4 << 10

// named returns the functions that the symbols of a stripped file name.
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

// maxVariables bounds a section in which Go's struct moduledata is looked for.
const maxVariables = 64 << 20

// goData gives the sections that may have Go's struct moduledata: the one that is for
// it alone since Go 1.26, the one where it was before, and others of variables.
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
