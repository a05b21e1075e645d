package macho

import (
	"io"
	"sync"

	"stacksnap/images/object"
)

// SetLocals gives symbols that the image itself has not, in whose place its table says
// that they were taken out: those of no other image's use, of which Apple's shared
// caches for other systems than macOS have a file of their own. It is called before
// anything is asked.
func (f *File) SetLocals(nlists, names *io.SectionReader) {
	if f.is64 {
		f.locals = sync.OnceValue(func() *symtab { return f.readLocals(nlists, names) })
	}
}

// readLocals reads such symbols; nil when they cannot be read whole.
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

// localSymbol looks vmaddr, which lies in the i-th section, up in symbols that the image
// itself has not.
func (f *File) localSymbol(vmaddr uint64, i int) (object.Symbol, bool) {
	if t := f.locals(); t != nil {
		return f.nearest(t, vmaddr, i)
	}
	return object.Symbol{}, false
}
