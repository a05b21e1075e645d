package macho

import (
	"io"
	"sync"

	"stacksnap/images/object"
)

// SetLocals adds local symbols from another file. Apple's shared caches, except those
// of macOS, have them in a file of their own; the image has only a placeholder for
// each. Call it before any query.
func (f *File) SetLocals(nlists, names *io.SectionReader) {
	if f.is64 {
		f.locals = sync.OnceValue(func() *symtab { return f.readLocals(nlists, names) })
	}
}

// readLocals reads such symbols; nil if some are unreadable.
func (f *File) readLocals(nlists, names *io.SectionReader) *symtab {
	from := func(r *io.SectionReader) func([]byte, uint64) (int, error) {
		return func(p []byte, offset uint64) (int, error) { return r.ReadAt(p, int64(offset)) }
	}
	t := &symtab{names: nameTable{read: from(names), place: place{0, uint64(names.Size())}, cost: &f.cost}}
	t.functions = f.functionsOf(place{0, uint64(nlists.Size())}, from(nlists), func(uint32, *nlist, bool) {})
	if t.functions == nil {
		return nil
	}
	return t
}

// localSymbol looks up vmaddr, in the i-th section, in the symbols from another file.
func (f *File) localSymbol(vmaddr uint64, i int) (object.Symbol, bool) {
	if t := f.locals(); t != nil {
		return f.nearest(t, vmaddr, i)
	}
	return object.Symbol{}, false
}
