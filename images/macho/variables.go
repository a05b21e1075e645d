package macho

import (
	"cmp"
	"slices"
	"strings"

	"stacksnap/images/object"
)

// Variable implements [object.VariableReporter]. The symbol table has no sizes: a variable
// ends where the next symbol of its section begins. If local symbols were stripped, so that
// one may be missing in between, only the address of a symbol itself has a name.
func (f *File) Variable(vmaddr uint64) (object.Symbol, bool) {
	if sym, ok := f.ownVariable(vmaddr); ok {
		return sym, true
	}
	if d := f.dsym(); d != nil {
		here, _ := f.TextVMAddr()
		there, _ := d.TextVMAddr()
		sym, ok := d.Variable(vmaddr - here + there)
		sym.VMAddr += here - there
		return sym, ok
	}
	disk, shift := f.disk()
	if disk == nil {
		return object.Symbol{}, false
	}
	sym, ok := disk.Variable(vmaddr - shift)
	sym.VMAddr += shift
	return sym, ok
}

// ownVariable looks up vmaddr in the symbol table.
func (f *File) ownVariable(vmaddr uint64) (object.Symbol, bool) {
	t, i := f.symtab(), f.sectionIndex(vmaddr)
	if t == nil || i < 0 || f.sections[i].Code() {
		return object.Symbol{}, false
	}
	sym, ok := f.variableTable().Variable(vmaddr, uint16(i+1))
	if !ok || sym.Name == redacted || vmaddr != sym.VMAddr && !t.hasLocals() {
		return object.Symbol{}, false
	}
	return sym, true
}

// readVariables reads the symbols of the sections without code; empty if some are
// unreadable.
func (f *File) readVariables() *object.Table {
	var list []object.Entry
	whole := f.eachVariable(func(n *nlist) bool {
		list = append(list, object.Entry{VMAddr: n.value, Name: n.strx, Section: uint16(n.sect), Rank: n.rank()})
		return f.cost.keep(entryBytes)
	})
	if !whole {
		f.cost.drop(uint64(len(list)) * entryBytes)
		list = nil
	}
	f.sizeVariables(list)
	names := f.symtab()
	return object.NewTable(list, func(strx uint32) string {
		raw, _ := names.names.at(strx)
		return cmp.Or(strings.TrimPrefix(raw, "_"), redacted)
	})
}

// sizeVariables sets the size of each entry: up to the next one, or to the end of its
// section.
func (f *File) sizeVariables(list []object.Entry) {
	slices.SortFunc(list, func(a, b object.Entry) int {
		return cmp.Or(cmp.Compare(a.Section, b.Section), cmp.Compare(a.VMAddr, b.VMAddr))
	})
	var above uint64
	for i, e := range slices.Backward(list) {
		s := &f.sections[e.Section-1]
		switch {
		case i+1 == len(list) || list[i+1].Section != e.Section:
			above = s.VMAddr + s.Size
		case list[i+1].VMAddr != e.VMAddr:
			above = list[i+1].VMAddr
		}
		list[i].Size = above - e.VMAddr
	}
}

// SymbolsOf implements [object.SymbolFinder]. What the symbol table lacks is looked up in
// the dSYM, and in the file of an image in memory.
func (f *File) SymbolsOf(names ...string) []object.Symbol {
	found := f.ownSymbolsOf(names)
	here, _ := f.TextVMAddr()
	for _, other := range []func() *File{f.dsym, f.onDisk} {
		if !slices.ContainsFunc(found, isMissing) {
			break
		}
		if o := other(); o != nil {
			there, _ := o.TextVMAddr()
			addMissing(found, o.SymbolsOf(names...), here-there)
		}
	}
	return found
}

func isMissing(s object.Symbol) bool { return s.Name == "" }

// addMissing fills in the symbols that found lacks from others, whose addresses are
// lower by shift.
func addMissing(found, others []object.Symbol, shift uint64) {
	for i, s := range others {
		if isMissing(found[i]) && !isMissing(s) {
			s.VMAddr += shift
			found[i] = s
		}
	}
}

// ownSymbolsOf looks up variables in the symbol table, and keeps nothing of it. Names
// in the table have an underscore before those of C, and before those of Go in a
// plugin (cmd/link/internal/ld/macho.go).
func (f *File) ownSymbolsOf(names []string) []object.Symbol {
	found := make([]object.Symbol, len(names))
	t := f.symtab()
	if t == nil {
		return found
	}
	sections := make([]uint8, len(names))
	f.eachVariable(func(n *nlist) bool {
		raw, _ := t.names.at(n.strx)
		i := slices.Index(names, raw)
		if i < 0 {
			i = slices.Index(names, strings.TrimPrefix(raw, "_"))
		}
		if i >= 0 && isMissing(found[i]) {
			found[i], sections[i] = object.Symbol{Name: names[i], VMAddr: n.value}, n.sect
		}
		return true
	})
	f.sizeSymbols(found, sections)
	return found
}

// sizeSymbols sets the size of each symbol found: up to the next one of its section,
// or to the section's end. If local symbols were stripped, that may be too far.
func (f *File) sizeSymbols(found []object.Symbol, sections []uint8) {
	for i := range found {
		if !isMissing(found[i]) {
			s := &f.sections[sections[i]-1]
			found[i].Size = s.VMAddr + s.Size - found[i].VMAddr
		}
	}
	f.eachVariable(func(n *nlist) bool {
		for i := range found {
			if n.sect == sections[i] && n.value > found[i].VMAddr {
				found[i].Size = min(found[i].Size, n.value-found[i].VMAddr)
			}
		}
		return true
	})
}

// eachVariable yields the symbols of the sections without code, until yield returns false. It
// returns false if some were not read.
func (f *File) eachVariable(yield func(n *nlist) bool) bool {
	return f.eachSymbol(func(_ uint32, n *nlist) bool {
		if !n.defined() || int(n.sect) > len(f.sections) {
			return true
		}
		if s := &f.sections[n.sect-1]; s.Code() || !s.Contains(n.value) {
			return true
		}
		return yield(n)
	})
}
