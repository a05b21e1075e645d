package macho

import (
	"strings"

	"stacksnap/images/code"
	"stacksnap/images/object"
)

// redacted is the name that stands in shared caches for local symbols which
// were taken out: a function is there, and its name is not.
const redacted = "<redacted>"

// HasSymbols implements [object.File]: whether a symbol of code is there.
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

// disk returns the image's own file, nil when there is none, and what takes a
// vmaddr of it to one of the image: the two differ in the shared cache.
func (f *File) disk() (disk *File, shift uint64) {
	disk = f.onDisk()
	if disk == nil {
		return nil, 0
	}
	here, _ := f.TextVMAddr()
	there, _ := disk.TextVMAddr()
	return disk, here - there
}

// Symbol implements [object.File]: the nearest symbol at or below vmaddr in the same
// section. If LC_FUNCTION_STARTS has a function that begins between the two, that symbol
// is another function's and is not returned; a method of Objective-C is then named from
// the metadata of its class. A stub that the symbol table names is called
// "DYLD-STUB$$malloc". One that no table names is named after what its instructions do,
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

// tableSymbol looks vmaddr, which lies in the i-th section, up in the symbol table,
// that of the file on the disk, or Go's table.
func (f *File) tableSymbol(vmaddr uint64, i int) (object.Symbol, bool) {
	own := f.ownSymbols()
	var taken object.Symbol // the function whose name was taken out, if there is one
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

// ownSymbol looks vmaddr, which lies in the i-th section, up in the symbol
// table. Assembler labels are taken for the name of a function only when it has
// no better one.
func (f *File) ownSymbol(vmaddr uint64, i int) (object.Symbol, bool) {
	if sym, ok := f.nearest(f.symtab(), vmaddr, i); sym.Name != "" {
		return sym, ok
	}
	if f.stripped() {
		return f.golang().Symbol(vmaddr)
	}
	return object.Symbol{}, false
}

// nearest looks vmaddr up in a table. Of a function whose name was taken out it says
// that it is there, and false.
func (f *File) nearest(t *symtab, vmaddr uint64, i int) (object.Symbol, bool) {
	start, _ := f.listedStart(vmaddr, i) // 0 where nothing is known
	for _, labels := range []bool{false, true} {
		sym, ok := t.pick(vmaddr, i, labels)
		if ok && sym.VMAddr >= start && f.owns(&sym, vmaddr) {
			return sym, sym.Name != redacted
		}
	}
	return object.Symbol{}, false
}

// stripped reports whether functions may be missing that no other file needs: there
// is no symbol, of data either, that only this file knows, nor a list of function starts.
func (f *File) stripped() bool {
	t := f.symtab()
	return len(f.starts()) == 0 && (t == nil || !t.hasLocals())
}

// owns reports whether vmaddr is in the function of the nearest symbol below it.
// In a stripped file functions without a symbol may follow that: Go's table tells
// of Go's, the class metadata of Objective-C's methods; of others what control reaches.
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
			name = redacted // something begins here, whatever it is called
		}
		return !isHeader(raw) && (labels || !isLocal(e) || !isLabel(raw))
	})
	return object.Symbol{Name: name, VMAddr: e.VMAddr}, ok
}

// isHeader recognises the names that linkers give the Mach-O header.
func isHeader(raw string) bool {
	return strings.HasPrefix(raw, "__mh_") && strings.HasSuffix(raw, "_header")
}

// isLabel recognises the names of compilers for places that are no functions:
// ltmp12, l_.str, LBB0_1, L_end. The names of Go begin with no underscore either
// but have a dot: log.Print.
func isLabel(raw string) bool {
	if digits, ok := strings.CutPrefix(raw, "ltmp"); ok {
		return strings.Trim(digits, "0123456789") == ""
	}
	if strings.HasPrefix(raw, "l_") || strings.HasPrefix(raw, "L_") {
		return true
	}
	return strings.HasPrefix(raw, "L") && !strings.Contains(raw, ".")
}
