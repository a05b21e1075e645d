package images

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"stacksnap/images/binaries"
	"stacksnap/images/object"
)

// WithSymbols has the images take symbols from the binaries whose ID agrees, when they
// are first asked for, and keeps the images that there is nothing for as they are. The
// budget bounds what the binaries cost together; it may be nil.
func WithSymbols(placed []object.Placed, from *binaries.Index, budget *object.Budget) []object.Placed {
	if from == nil {
		return placed
	}
	for i := range placed {
		if f := placed[i].File; f != nil && from.HasSymbols(f.ID()) {
			placed[i].File = newNamed(f, func() (object.File, bool) { return from.Symbols(f.Arch(), f.ID(), budget) })
		}
	}
	return placed
}

// named is a file with the symbols of another that has the same ID.
type named struct {
	object.File
	more   func() *moved // nil result: it could not be opened
	closed atomic.Bool
}

func newNamed(f object.File, open func() (object.File, bool)) *named {
	n := &named{File: f}
	n.more = sync.OnceValue(func() *moved {
		if n.closed.Load() {
			return nil
		}
		more, ok := open()
		if !ok {
			return nil
		}
		return &moved{more, textOf(more) - textOf(f)}
	})
	return n
}

// moved is a file of symbols, which is linked to another vmaddr than the image where
// that is in Apple's shared cache. A nil one has nothing.
type moved struct {
	object.File
	by uint64 // its vmaddr − that of the image, modulo 2^64
}

// textOf returns where a Mach-O begins, 0 of other files.
func textOf(f object.File) uint64 {
	for _, s := range f.Segments() {
		if s.Name == "__TEXT" {
			return s.VMAddr
		}
	}
	return 0
}

func (m *moved) symbol(vmaddr uint64) (object.Symbol, bool) {
	if m == nil {
		return object.Symbol{}, false
	}
	s, ok := m.File.Symbol(vmaddr + m.by)
	s.VMAddr -= m.by
	return s, ok
}

func (m *moved) functionStart(vmaddr uint64) (uint64, bool) {
	if m == nil {
		return 0, false
	}
	start, ok := m.File.FunctionStart(vmaddr + m.by)
	return start - m.by, ok
}

func (m *moved) source(vmaddr uint64) []object.Source {
	if m == nil {
		return nil
	}
	frames := slices.Clone(object.SourceOf(m.File, vmaddr+m.by))
	for i := range frames {
		if f := &frames[i]; f.High != 0 {
			f.Low, f.High = f.Low-m.by, f.High-m.by
		}
	}
	return frames
}

// Symbol implements [object.File]: the file with the symbol table knows all that
// the other may know a part of, but for the stubs where that has no code.
func (n *named) Symbol(vmaddr uint64) (object.Symbol, bool) {
	if s, ok := n.more().symbol(vmaddr); ok {
		return s, true
	}
	return n.File.Symbol(vmaddr)
}

// HasSymbols implements [object.File].
func (n *named) HasSymbols() bool {
	if n.File.HasSymbols() {
		return true
	}
	more := n.more()
	return more != nil && more.HasSymbols()
}

// FunctionStart implements [object.File].
func (n *named) FunctionStart(vmaddr uint64) (uint64, bool) {
	if start, ok := n.File.FunctionStart(vmaddr); ok {
		return start, true
	}
	return n.more().functionStart(vmaddr)
}

// Section implements [object.File]. A table for debuggers may have gone with the
// symbols.
func (n *named) Section(k object.Kind) (object.Section, error) {
	s, err := n.File.Section(k)
	if k == object.DebugFrame && errors.Is(err, object.ErrNoSection) {
		if more := n.more(); more != nil {
			return more.Section(k)
		}
	}
	return s, err
}

// Source does what [object.SourceOf] tells.
func (n *named) Source(vmaddr uint64) []object.Source {
	if frames := n.more().source(vmaddr); frames != nil {
		return frames
	}
	return object.SourceOf(n.File, vmaddr)
}

// ReadCode implements [object.CodeReader].
func (n *named) ReadCode(p []byte, vmaddr uint64) int {
	if f, can := n.File.(object.CodeReader); can {
		return f.ReadCode(p, vmaddr)
	}
	return 0
}

// SourceNote does what [object.SourceNote] tells.
func (n *named) SourceNote() string {
	note := ""
	if more := n.more(); more != nil {
		note = object.SourceNote(more.File)
	}
	return cmp.Or(note, object.SourceNote(n.File))
}

// DataSymbol returns where a variable is, if the file can tell.
func (n *named) DataSymbol(name string) (vmaddr uint64, ok bool) {
	if f, can := n.File.(interface{ DataSymbol(string) (uint64, bool) }); can {
		return f.DataSymbol(name)
	}
	return 0, false
}

// Close implements [object.File]. Nothing is asked of the file any more.
func (n *named) Close() error {
	n.closed.Store(true)
	if more := n.more(); more != nil {
		return errors.Join(n.File.Close(), more.Close())
	}
	return n.File.Close()
}
