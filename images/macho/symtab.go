package macho

import (
	"io"
	"slices"
	"strings"
	"sync"

	"stacksnap/images/object"
	"stacksnap/task"
)

// entryBytes is the size of an object.Entry, rounded up.
const entryBytes = 32

// nlist is an entry of the symbol table (struct nlist, nlist_64).
type nlist struct {
	strx  uint32
	typ   uint8
	sect  uint8
	desc  uint16
	value uint64
}

func nlistSize(is64 bool) int {
	if is64 {
		return 16
	}
	return 12
}

// defined reports whether the symbol is defined in a section: not a stab, undefined,
// absolute or an alias.
func (n *nlist) defined() bool { return n.typ&nStab == 0 && n.typ&nType == nSect && n.sect != 0 }

// local reports whether the symbol is visible only in its own file.
func (n *nlist) local() bool { return n.typ&(nExt|nPrivate) == 0 }

// rank orders symbols at one address: external, weak, private to the image,
// local.
func (n *nlist) rank() uint8 {
	switch {
	case n.typ&nExt != 0 && n.desc&nWeakDef == 0:
		return 0
	case n.typ&nExt != 0:
		return 1
	case n.typ&nPrivate != 0:
		return 2
	}
	return localRank
}

const localRank = 3

// symtab is the part of a symbol table that is kept.
type symtab struct {
	names        nameTable
	functions    *object.Table // Entry.Name is the name's offset
	localData    bool          // some data symbols are local
	locals       []uint32      // name offsets of some local functions
	objects      bool          // stabs name object files
	wanted, strx []uint32      // sorted indices of the symbols that have stubs, and their name offsets
}

// isLocal reports whether an entry's symbol is visible only in its own file.
func isLocal(e object.Entry) bool { return e.Rank == localRank }

// eachSymbol yields the entries of the symbol table with their indices, reading in
// pieces, until yield returns false. It returns false if some were not read.
func (f *File) eachSymbol(yield func(i uint32, n *nlist) bool) bool {
	return f.eachNlist(f.nlists, f.src.readLinkEdit, yield)
}

// Exported implements [object.DataFinder], by the symbol table.
func (f *File) Exported(name string) (vmaddr uint64, ok bool) {
	return f.find("_"+name, func(n *nlist) bool { return !n.local() })
}

// find returns the vmaddr of the first defined symbol that has the name and that
// wanted accepts.
func (f *File) find(name string, wanted func(*nlist) bool) (vmaddr uint64, ok bool) {
	t := f.symtab()
	if t == nil {
		return 0, false
	}
	f.eachSymbol(func(_ uint32, n *nlist) bool {
		if n.defined() && wanted(n) {
			s, named := t.names.at(n.strx)
			vmaddr, ok = n.value, named && s == name
		}
		return !ok
	})
	if !ok {
		return 0, false
	}
	return vmaddr, true
}

func (f *File) eachNlist(at place, readAt func(p []byte, offset uint64) (int, error), yield func(i uint32, n *nlist) bool) bool {
	size := uint64(nlistSize(f.is64))
	read := func(p []byte, off uint64) (int, error) { return readAt(p, at.offset+off) }
	i := uint32(0)
	return f.cost.readPieces(at.size, size, read, func(piece []byte) bool {
		var n nlist
		for ; len(piece) > 0; piece = piece[size:] {
			n.decode(piece, &f.header)
			if !yield(i, &n) {
				return false
			}
			i++
		}
		return true
	})
}

// decode decodes an entry; b is long enough.
func (n *nlist) decode(b []byte, h *header) {
	n.strx, n.typ, n.sect, n.desc = h.order.Uint32(b), b[4], b[5], h.order.Uint16(b[6:])
	if h.is64 {
		n.value = h.order.Uint64(b[8:])
	} else {
		n.value = uint64(h.order.Uint32(b[8:]))
	}
}

// readSymtab reads LC_SYMTAB; nil if there is none or part of it is unreadable: with
// half a table, code would get the names of the wrong functions.
func (f *File) readSymtab() *symtab {
	if f.nsyms == 0 {
		return nil
	}
	t := &symtab{names: nameTable{read: f.src.readLinkEdit, place: f.strings, cost: &f.cost}, wanted: f.stubSymbols()}
	t.strx = make([]uint32, 0, len(t.wanted))
	t.functions = f.functionsOf(f.nlists, f.src.readLinkEdit, func(i uint32, n *nlist, isFunction bool) {
		if len(t.strx) < len(t.wanted) && t.wanted[len(t.strx)] == i {
			t.strx = append(t.strx, n.strx)
		}
		t.objects = t.objects || n.typ == stabObject
		switch {
		case !n.defined() || !n.local():
		case !isFunction:
			t.localData = true
		case len(t.locals) < maxLocals:
			t.locals = append(t.locals, n.strx)
		}
	})
	if t.functions == nil {
		return nil
	}
	t.wanted = t.wanted[:len(t.strx)]
	return t
}

// maxLocals is how many names of local functions are examined.
const maxLocals = 64

// hasLocals reports whether there are local symbols, so that they were not stripped.
// Zig's linker names its own branches to distant functions; these remain where it
// strips the others (-x), so they do not count.
func (t *symtab) hasLocals() bool {
	return t.localData || slices.ContainsFunc(t.locals, func(strx uint32) bool {
		name, ok := t.names.at(strx)
		return ok && !strings.HasSuffix(name, "__thunk")
	})
}

// functionsOf reads the functions of a symbol table, and calls see with each entry;
// nil if some are unreadable or exceed the budget.
func (f *File) functionsOf(at place, read func(p []byte, offset uint64) (int, error), see func(i uint32, n *nlist, isFunction bool)) *object.Table {
	var functions []object.Entry
	whole := f.eachNlist(at, read, func(i uint32, n *nlist) bool {
		e, ok := f.functionEntry(n)
		see(i, n, ok)
		if ok && !f.cost.keep(entryBytes) {
			return false
		}
		if ok {
			functions = append(functions, e)
		}
		return true
	})
	if !whole {
		f.cost.drop(uint64(len(functions)) * entryBytes)
		return nil
	}
	return object.NewTable(functions, func(uint32) string { return "" })
}

// NumSymbols returns how many symbols the file claims to have.
func (f *File) NumSymbols() int { return int(f.nsyms) }

// functionEntry returns the entry of a symbol in a code section.
func (f *File) functionEntry(n *nlist) (object.Entry, bool) {
	if !n.defined() || int(n.sect) > len(f.sections) {
		return object.Entry{}, false
	}
	s := &f.sections[n.sect-1]
	at := f.instruction(n.value)
	// __mh_execute_header has the number of the first section but is below it.
	if !s.Code() || !s.Contains(at) {
		return object.Entry{}, false
	}
	return object.Entry{VMAddr: at, Name: n.strx, Section: uint16(n.sect), Rank: n.rank()}, true
}

// instruction removes the Thumb bit from a code address.
func (f *File) instruction(vmaddr uint64) uint64 {
	if f.Arch() == task.ARM {
		return vmaddr &^ 1
	}
	return vmaddr
}

// DataSymbol implements [object.DataSymbolFinder]. The symbol may be in any section.
func (f *File) DataSymbol(name string) (uint64, bool) {
	if vmaddr, ok := f.find(name, func(*nlist) bool { return true }); ok {
		return vmaddr, true
	}
	disk, shift := f.disk()
	if disk == nil {
		return 0, false
	}
	vmaddr, ok := disk.DataSymbol(name)
	return vmaddr + shift, ok
}

// SetLocals adds local symbols from another file. Apple's shared caches, except those
// of macOS, have them in a file of their own; the image has only a placeholder for
// each. Call it before any query.
func (f *File) SetLocals(nlists, names *io.SectionReader) {
	if f.is64 {
		f.locals = sync.OnceValue(func() *symtab { return f.readLocals(nlists, names) })
	}
}

// readLocals reads the local symbols from another file; nil if some are unreadable.
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
