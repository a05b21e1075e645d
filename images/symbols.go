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

// WithSymbols makes the images take missing symbols, on first use, from the binaries
// with the same ID. The budget limits the cost of all binaries together; it may be
// nil.
func WithSymbols(placed []object.Placed, from *binaries.Index, budget *object.Budget) []object.Placed {
	if from == nil {
		return placed
	}
	for i := range placed {
		f, path := placed[i].File, placed[i].Path
		if f == nil || len(f.ID()) == 0 {
			continue
		}
		_, machO := object.TextSegment(f)
		if !from.HasSymbols(f.ID()) && !from.HasFinders(machO) {
			continue
		}
		n := &named{File: f}
		n.more = n.opened(func() (object.File, bool) { return from.Symbols(f.Arch(), f.ID(), budget) })
		n.asked = n.opened(func() (object.File, bool) { return from.FindSymbols(machO, path, f.Arch(), f.ID(), budget) })
		placed[i].File = n
	}
	return placed
}

// named is a file with the symbols of another file that has the same ID.
type named struct {
	object.File
	more   func() *moved // nil result: the file could not be opened
	asked  func() *moved // files from finders, which may take long
	closed atomic.Bool
	helped atomic.Bool // finders had debugging information
}

// opened returns a function that opens the file on first use.
func (n *named) opened(open func() (object.File, bool)) func() *moved {
	return sync.OnceValue(func() *moved {
		if n.closed.Load() {
			return nil
		}
		more, ok := open()
		if !ok {
			return nil
		}
		there, _ := object.TextSegment(more)
		here, _ := object.TextSegment(n.File)
		return &moved{more, there - here}
	})
}

// moved is a file with symbols. It may be linked to another vmaddr than the image, if
// that is in Apple's shared cache. A nil one has no symbols.
type moved struct {
	object.File
	by uint64 // its vmaddr − the image's, modulo 2^64
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

func (m *moved) variable(vmaddr uint64) (object.Symbol, bool) {
	if m == nil {
		return object.Symbol{}, false
	}
	f, can := m.File.(object.VariableReporter)
	if !can {
		return object.Symbol{}, false
	}
	s, ok := f.Variable(vmaddr + m.by)
	s.VMAddr -= m.by
	return s, ok
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

// Symbol implements [object.File]. The file with the symbol table comes first; the
// image's own symbols are a subset of it, but for stubs.
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

// Section implements [object.File]. Strip may have removed .debug_frame with the
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

// Source implements the method that [object.SourceOf] calls. If neither file has
// debugging information for vmaddr, it queries the finders.
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

// sourced reports whether either file has debugging information.
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

// DataInCode implements [object.DataReporter].
func (n *named) DataInCode(vmaddr uint64) (start, end uint64, ok bool) {
	if f, can := n.File.(object.DataReporter); can {
		return f.DataInCode(vmaddr)
	}
	return 0, 0, false
}

// Thumb implements [object.ThumbReporter].
func (n *named) Thumb(vmaddr uint64) (thumb, known bool) {
	if f, can := n.File.(object.ThumbReporter); can {
		return f.Thumb(vmaddr)
	}
	return false, false
}

// SourceNote implements the method that [object.SourceNote] calls.
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

// SectionRange implements [object.DataFinder].
func (n *named) SectionRange(name string) (vmaddr, size uint64, ok bool) {
	if f, can := n.File.(object.DataFinder); can {
		return f.SectionRange(name)
	}
	return 0, 0, false
}

// Exported implements [object.DataFinder].
func (n *named) Exported(name string) (vmaddr uint64, ok bool) {
	if f, can := n.File.(object.DataFinder); can {
		return f.Exported(name)
	}
	return 0, false
}

// DataSymbol implements [object.DataSymbolFinder].
func (n *named) DataSymbol(name string) (vmaddr uint64, ok bool) {
	if f, can := n.File.(object.DataSymbolFinder); can {
		return f.DataSymbol(name)
	}
	return 0, false
}

// SymbolsOf implements [object.SymbolFinder].
func (n *named) SymbolsOf(names ...string) []object.Symbol {
	found := object.SymbolsOf(n.File, names...)
	if more := n.more(); more != nil && !slices.ContainsFunc(found, func(s object.Symbol) bool { return s.Name != "" }) {
		found = object.SymbolsOf(more.File, names...)
		for i := range found {
			if found[i].Name != "" {
				found[i].VMAddr -= more.by
			}
		}
	}
	return found
}

// GoFunctions implements [object.GoFunctionFinder].
func (n *named) GoFunctions(names ...string) []object.Symbol {
	return object.GoFunctions(n.File, names...)
}

// Variable implements [object.VariableReporter].
func (n *named) Variable(vmaddr uint64) (object.Symbol, bool) {
	if s, ok := n.more().variable(vmaddr); ok {
		return s, true
	}
	if f, can := n.File.(object.VariableReporter); can {
		return f.Variable(vmaddr)
	}
	return object.Symbol{}, false
}

// Close implements [object.File].
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
