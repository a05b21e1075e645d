package images

import (
	"errors"

	"stacksnap/images/binaries"
	"stacksnap/images/object"
)

// WithSymbols has the images take symbols from the binaries whose ID agrees, and
// keeps the images that there is nothing for as they are. The budget bounds what
// the binaries cost together; it may be nil.
func WithSymbols(placed []object.Placed, from *binaries.Index, budget *object.Budget) []object.Placed {
	if from == nil {
		return placed
	}
	for i := range placed {
		f := placed[i].File
		if f == nil {
			continue
		}
		if more, ok := from.Symbols(f.Arch(), f.ID(), budget); ok {
			placed[i].File = &named{f, more}
		}
	}
	return placed
}

// named is a file with the symbols of another that has the same ID.
type named struct {
	object.File
	more object.File
}

// Symbol implements [object.File]: the file with the symbol table knows all that
// the other may know a part of, but for the stubs where that has no code.
func (n *named) Symbol(vmaddr uint64) (object.Symbol, bool) {
	if s, ok := n.more.Symbol(vmaddr); ok {
		return s, true
	}
	return n.File.Symbol(vmaddr)
}

// HasSymbols implements [object.File].
func (n *named) HasSymbols() bool { return n.File.HasSymbols() || n.more.HasSymbols() }

// FunctionStart implements [object.File].
func (n *named) FunctionStart(vmaddr uint64) (uint64, bool) {
	if start, ok := n.File.FunctionStart(vmaddr); ok {
		return start, true
	}
	return n.more.FunctionStart(vmaddr)
}

// Section implements [object.File]. A table for debuggers may have gone with the
// symbols.
func (n *named) Section(k object.Kind) (object.Section, error) {
	s, err := n.File.Section(k)
	if k == object.DebugFrame && errors.Is(err, object.ErrNoSection) {
		return n.more.Section(k)
	}
	return s, err
}

// Source does what [object.SourceOf] tells.
func (n *named) Source(vmaddr uint64) []object.Source {
	if frames := object.SourceOf(n.more, vmaddr); frames != nil {
		return frames
	}
	return object.SourceOf(n.File, vmaddr)
}

// DataSymbol returns where a variable is, if the file can tell.
func (n *named) DataSymbol(name string) (vmaddr uint64, ok bool) {
	if f, can := n.File.(interface{ DataSymbol(string) (uint64, bool) }); can {
		return f.DataSymbol(name)
	}
	return 0, false
}

// Close implements [object.File].
func (n *named) Close() error { return errors.Join(n.File.Close(), n.more.Close()) }
