package macho

import (
	"strings"

	"stacksnap/images/code"
	"stacksnap/images/object"
)

// redacted is the name of local symbols whose real names were removed from a shared
// cache.
const redacted = "<redacted>"

// HasSymbols implements [object.File]. It reports whether there is a symbol of code.
func (f *File) HasSymbols() bool {
	if f.ownSymbols() {
		return true
	}
	disk, _ := f.disk()
	return disk != nil && disk.HasSymbols()
}

func (f *File) ownSymbols() bool {
	t := f.symtab()
	return t != nil && t.functions.Len() > 0
}

// disk returns the image's own file, nil if there is none, and the offset from its
// vmaddrs to the image's: they differ in the shared cache.
func (f *File) disk() (disk *File, shift uint64) {
	disk = f.onDisk()
	if disk == nil {
		return nil, 0
	}
	here, _ := f.TextVMAddr()
	there, _ := disk.TextVMAddr()
	return disk, here - there
}

// Symbol implements [object.File]. It returns the nearest symbol at or below vmaddr
// in the same section, unless a function in LC_FUNCTION_STARTS starts between the
// two; then an Objective-C method is named by its class metadata. A stub with a
// symbol table entry is named "DYLD-STUB$$malloc", one without by its instructions,
// "objc_msgSend$count".
func (f *File) Symbol(vmaddr uint64) (object.Symbol, bool) {
	vmaddr = f.instruction(vmaddr)
	i := f.sectionIndex(vmaddr)
	if i < 0 {
		return object.Symbol{}, false
	}
	if s := &f.sections[i]; s.Stubs() {
		return f.stub(s, vmaddr)
	}
	if sym, ok := f.tableSymbol(vmaddr, i); ok {
		return sym, true
	}
	switch f.sections[i].Name {
	case "__objc_stubs":
		return f.selectorStub(vmaddr, i)
	case "__stub_helper":
		return f.stubHelper(vmaddr, i)
	}
	return f.method(vmaddr, i)
}

// tableSymbol looks up vmaddr, in the i-th section, in the symbol table, in the table
// of the file on disk, or in Go's table.
func (f *File) tableSymbol(vmaddr uint64, i int) (object.Symbol, bool) {
	own := f.ownSymbols()
	var taken object.Symbol // a function whose name was removed, if found
	if own {
		var ok bool
		if taken, ok = f.ownSymbol(vmaddr, i); ok {
			return taken, true
		}
	}
	if sym, ok := f.localSymbol(vmaddr, i); own || ok {
		return sym, ok && sym.VMAddr >= taken.VMAddr
	}
	if disk, shift := f.disk(); disk != nil {
		sym, ok := disk.Symbol(vmaddr - shift)
		sym.VMAddr += shift
		return sym, ok
	}
	return f.golang().Symbol(vmaddr)
}

// ownSymbol looks up vmaddr, in the i-th section, in the symbol table. An assembler
// label names a function only if it has no better name.
func (f *File) ownSymbol(vmaddr uint64, i int) (object.Symbol, bool) {
	if sym, ok := f.nearest(f.symtab(), vmaddr, i); sym.Name != "" {
		return sym, ok
	}
	if f.stripped() {
		return f.golang().Symbol(vmaddr)
	}
	return object.Symbol{}, false
}

// nearest looks up vmaddr in a table. For a function whose name was removed it
// returns the symbol and false.
func (f *File) nearest(t *symtab, vmaddr uint64, i int) (object.Symbol, bool) {
	start, _ := f.listedStart(vmaddr, i) // 0: not known
	for _, labels := range []bool{false, true} {
		sym, ok := t.pick(vmaddr, i, labels)
		if ok && sym.VMAddr >= start && f.owns(&sym, vmaddr) {
			return sym, sym.Name != redacted
		}
	}
	return object.Symbol{}, false
}

// stripped reports whether local functions may be missing: there is no local symbol,
// not even of data, and no list of function starts.
func (f *File) stripped() bool {
	t := f.symtab()
	return len(f.starts()) == 0 && (t == nil || !t.hasLocals())
}

// owns reports whether vmaddr is in the function of the nearest symbol below it. In a
// stripped file, functions without a symbol may follow that one. Go's table and
// Objective-C's class metadata list their own; for others, control flow must reach
// vmaddr.
func (f *File) owns(sym *object.Symbol, vmaddr uint64) bool {
	if !f.stripped() || vmaddr == sym.VMAddr {
		return true
	}
	if g, ok := f.golang().Symbol(vmaddr); ok {
		return g.VMAddr <= sym.VMAddr
	}
	if method, ok := f.methods().Start(vmaddr); ok && method > sym.VMAddr {
		return false
	}
	return code.Reaches(f.Arch(), f.ReadCode, sym.VMAddr, vmaddr)
}

func (t *symtab) pick(vmaddr uint64, i int, labels bool) (object.Symbol, bool) {
	var name string
	e, ok := t.functions.Pick(vmaddr, uint16(i+1), func(e object.Entry) bool {
		raw, _ := t.names.at(e.Name)
		if name = strings.TrimPrefix(raw, "_"); name == "" {
			name = redacted // something starts here, whatever its name
		}
		return !isHeader(raw) && (labels || !isLocal(e) || !isLabel(raw))
	})
	return object.Symbol{Name: name, VMAddr: e.VMAddr}, ok
}

// isHeader reports whether the symbol is one that linkers define for the Mach-O
// header.
func isHeader(raw string) bool {
	return strings.HasPrefix(raw, "__mh_") && strings.HasSuffix(raw, "_header")
}

// isLabel reports whether a compiler uses the name for a place that is no function:
// ltmp12, l_.str, LBB0_1, L_end. Names of Go have no leading underscore either, but a
// dot: log.Print.
func isLabel(raw string) bool {
	if digits, ok := strings.CutPrefix(raw, "ltmp"); ok {
		return strings.Trim(digits, "0123456789") == ""
	}
	if strings.HasPrefix(raw, "l_") || strings.HasPrefix(raw, "L_") {
		return true
	}
	return strings.HasPrefix(raw, "L") && !strings.Contains(raw, ".")
}
