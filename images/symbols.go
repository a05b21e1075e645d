package images

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"stacksnap/images/debugfile/binaries"
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
		f, path := placed[i].File, placed[i].Path
		if f == nil || len(f.ID()) == 0 {
			continue
		}
		_, machO := textSegment(f)
		if !from.HasSymbols(f.ID()) && !from.HasFinders(machO) {
			continue
		}
		n := &named{File: f}
		n.more = n.opened(func() (object.File, bool) { return from.Symbols(f.Arch(), f.ID(), budget) })
		n.asked = n.opened(func() (object.File, bool) { return from.Ask(machO, path, f.Arch(), f.ID(), budget) })
		placed[i].File = n
	}
	return placed
}

// named is a file with the symbols of another that has the same ID.
type named struct {
	object.File
	more   func() *moved // nil result: it could not be opened
	asked  func() *moved // what others have, for whom it may be waited long
	closed atomic.Bool
	helped atomic.Bool // others knew
}

// opened opens a file when it is first asked for.
func (n *named) opened(open func() (object.File, bool)) func() *moved {
	return sync.OnceValue(func() *moved {
		if n.closed.Load() {
			return nil
		}
		more, ok := open()
		if !ok {
			return nil
		}
		there, _ := textSegment(more)
		here, _ := textSegment(n.File)
		return &moved{more, there - here}
	})
}

// moved is a file of symbols, which is linked to another vmaddr than the image where
// that is in Apple's shared cache. A nil one has nothing.
type moved struct {
	object.File
	by uint64 // its vmaddr − that of the image, modulo 2^64
}

// textSegment returns where a Mach-O begins; ok is false of other files.
func textSegment(f object.File) (vmaddr uint64, ok bool) {
	for _, s := range f.Segments() {
		if s.Name == "__TEXT" {
			return s.VMAddr, true
		}
	}
	return 0, false
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

// Source does what [object.SourceOf] tells. Where neither file has any debugging
// information, or a part of it is missing, others are asked for it.
func (n *named) Source(vmaddr uint64) []object.Source {
	if frames := n.more().source(vmaddr); frames != nil {
		return frames
	}
	if frames := object.SourceOf(n.File, vmaddr); frames != nil || n.sourced() && object.SourceNote(n.File) == "" {
		return frames
	}
	asked := n.asked()
	if frames := asked.source(vmaddr); frames != nil {
		n.helped.Store(true)
		return frames
	}
	s, ok := asked.symbol(vmaddr)
	if !ok {
		return nil
	}
	return []object.Source{{Function: s.Name, Low: s.VMAddr, High: s.VMAddr + max(s.Size, 1)}}
}

// sourced reports whether there is debugging information, though not of every address.
func (n *named) sourced() bool {
	more := n.more()
	return object.HasSource(n.File) || more != nil && object.HasSource(more.File)
}

// ReadCode implements [object.CodeReader].
func (n *named) ReadCode(p []byte, vmaddr uint64) int {
	if f, can := n.File.(object.CodeReader); can {
		return f.ReadCode(p, vmaddr)
	}
	return 0
}

// DataInCode implements [object.DataTeller].
func (n *named) DataInCode(vmaddr uint64) (start, end uint64, ok bool) {
	if f, can := n.File.(object.DataTeller); can {
		return f.DataInCode(vmaddr)
	}
	return 0, 0, false
}

// Thumb implements [object.ThumbTeller].
func (n *named) Thumb(vmaddr uint64) (thumb, known bool) {
	if f, can := n.File.(object.ThumbTeller); can {
		return f.Thumb(vmaddr)
	}
	return false, false
}

// SourceNote does what [object.SourceNote] tells.
func (n *named) SourceNote() string {
	if n.helped.Load() {
		return ""
	}
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
	err := n.File.Close()
	for _, other := range []*moved{n.more(), n.asked()} {
		if other != nil {
			err = errors.Join(err, other.Close())
		}
	}
	return err
}
