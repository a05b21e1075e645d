package macho

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Why an object file is not used.
var (
	errNoObject    = errors.New("it is missing")
	errOtherObject = errors.New("it has changed since that was linked")
	errSeveral     = errors.New("the archive has several of that name")
	errRelative    = errors.New("the linker was told to leave out its folder")
	errDamaged     = errors.New("it cannot be read as an object file")
	errNoDebug     = errors.New("it has no debugging information")
	errManyObjects = fmt.Errorf("more than %d object files", maxObjects)
)

// debugObject is an object file with debugging information.
type debugObject struct {
	file    *File
	seed    maphash.Seed
	symbols map[uint64]uint64 // addresses by hash of the name
}

const (
	symbolBytes = 48         // cost of a symbol, for the budget
	ambiguous   = ^uint64(0) // instead of an address: several symbols have the name
)

// open opens an object file of the map. It must have the modification time in the
// map, and all the functions that the map has of it.
func (m *debugMap) open(of *mappedObject) (*debugObject, error) {
	name, _ := m.names.at(of.name)
	f, err := m.find(name, of.modified)
	if err != nil {
		return nil, err
	}
	f.Limit(m.file.cost.budget)
	o := &debugObject{file: f, seed: maphash.MakeSeed(), symbols: map[uint64]uint64{}}
	switch {
	case !f.HasSource():
		err = errNoDebug
	case !o.readSymbols():
		err = errDamaged
	case !m.hasAll(o, of):
		err = errOtherObject
	default:
		return o, nil
	}
	_ = f.Close() // read-only
	return nil, err
}

// hasAll reports whether an object has all the functions that the map has of it.
func (m *debugMap) hasAll(o *debugObject, of *mappedObject) bool {
	for _, fn := range m.functions[of.first:of.ends] {
		name, _ := m.names.at(fn.name)
		if _, ok := o.symbols[maphash.String(o.seed, name)]; !ok || !m.file.cost.take(uint64(len(name))) {
			return false
		}
	}
	return true
}

// find finds an object file: a file with this name, or a member of an archive.
func (m *debugMap) find(name string, modified uint64) (*File, error) {
	if !path.IsAbs(name) {
		return nil, errRelative
	}
	s, err := m.stores.at(name)
	if err == nil {
		if !m.isLinked(s.info.ModTime(), uint64(s.info.ModTime().Unix()), modified) {
			return nil, errOtherObject
		}
		return m.only(s.files(), s.partsErr)
	}
	i := strings.LastIndexByte(name, '(')
	if !errors.Is(err, fs.ErrNotExist) || i <= 0 || !strings.HasSuffix(name, ")") {
		return nil, reason(err)
	}
	if s, err = m.stores.at(name[:i]); err != nil {
		return nil, reason(err)
	}
	list, err := s.members(name[i+1 : len(name)-1])
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errNoObject
	}
	var parts []*io.SectionReader
	for _, l := range list {
		if m.isLinked(s.info.ModTime(), l.modified, modified) {
			parts = append(parts, l.data)
		}
	}
	if len(parts) == 0 {
		return nil, errOtherObject
	}
	return m.only(parts, nil)
}

// isLinked reports whether a file is the one that was linked. written, and seconds
// since 1970, are its modification time; want is the one in the map, 0 if an option
// made the linker leave it out. Then the file must not be newer than the linked one.
func (m *debugMap) isLinked(written time.Time, seconds, want uint64) bool {
	switch {
	case want != 0 && m.file.is64:
		return seconds == want
	case want != 0:
		return uint32(seconds) == uint32(want)
	}
	linked := m.file.modified
	if disk := m.file.onDisk(); disk != nil {
		linked = disk.modified
	}
	return !written.After(linked)
}

// only opens the one file among parts that has the linked file's architecture. bad is
// the error about unreadable parts.
func (m *debugMap) only(parts []*io.SectionReader, bad error) (*File, error) {
	var exact, same []*File
	for _, part := range parts {
		f, err := newThin(part)
		switch {
		case err != nil:
			bad = errDamaged
		case f.filetype != Object || f.cpu != m.file.cpu:
		case f.subtype&subtypeMask == m.file.subtype&subtypeMask:
			exact = append(exact, f)
		default:
			same = append(same, f)
		}
	}
	if len(exact) == 0 {
		exact = same
	}
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(exact) > 1:
		return nil, errSeveral
	case bad != nil:
		return nil, bad
	}
	return nil, ErrNoSlice
}

// reason returns why a file cannot be opened, without its name.
func reason(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errNoObject
	}
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		return inner.Err
	}
	return err
}

// readSymbols reads the addresses of the object's functions. It reports false if they
// exceed the budget.
func (o *debugObject) readSymbols() bool {
	t := o.file.symtab()
	if t == nil {
		return false
	}
	return o.file.eachSymbol(func(_ uint32, n *nlist) bool {
		e, ok := o.file.functionEntry(n)
		if !ok {
			return true
		}
		name, ok := t.names.at(n.strx)
		if !ok || !o.file.cost.take(uint64(len(name))) || !o.file.cost.keep(symbolBytes) {
			return false
		}
		h := maphash.String(o.seed, name)
		if _, twice := o.symbols[h]; twice {
			e.VMAddr = ambiguous
		}
		o.symbols[h] = e.VMAddr
		return true
	})
}

// address returns the address of the code at an offset from a symbol in the object.
func (o *debugObject) address(symbol string, offset uint64) (uint64, bool) {
	at, ok := o.symbols[maphash.String(o.seed, symbol)]
	if !ok {
		return 0, false
	}
	s, ok := o.file.SectionAt(at)
	if !ok || offset >= s.Size-(at-s.VMAddr) {
		return 0, false
	}
	return at + offset, true
}
