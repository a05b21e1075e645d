// Package elf reads ELF files (System V gABI, chapters 4 and 5) and finds those that
// a Linux process has mapped. It reads the file on disk if that is certainly the one
// that was loaded, otherwise the target's memory.
package elf

import (
	"cmp"
	"debug/elf"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"stacksnap/images/dwarf"
	"stacksnap/images/golang"
	"stacksnap/images/object"
	"stacksnap/task"
)

// File is an ELF file. Symbols and sections are read on demand. It is safe for
// concurrent use.
type File struct {
	elf    *elf.File // headers; without sections if read from memory
	vm     vmReader  // mapped parts, by vmaddr
	closer io.Closer // nil: nothing to close
	size   int64     // of the file in bytes
	ids    ids
	areas  []area         // code, by start
	budget *object.Budget // shared with other files; may be nil

	// For the report; name may be "".
	name    string
	leftOut *object.LeftOut // shared with the files that belong to this one

	// findDebug finds the separate debug file; nil: none is looked for.
	findDebug func(*File) *File
	related   *related // nil: files that belong to this one are not looked for
	debug     func() *File
	source    func() *dwarf.Data
	closed    atomic.Bool

	variableTable func() *object.Table

	// Set if the file is shared; guarded by opened.mu.
	opened *Opened
	key    openedKey
	users  int

	symbols  func() *object.Table
	stubs    func() *object.Table // PLT entries
	golang   func() *golang.Table // nil result: none
	frames   func() *frameIndex   // finds the function at an address by call frame information
	whole    bool                 // symbols has all functions, not only the exported ones
	sections [object.GoPCLnTab + 1]func() (object.Section, error)
}

var (
	_ object.File             = (*File)(nil)
	_ object.CodeReader       = (*File)(nil)
	_ object.VariableReporter = (*File)(nil)
	_ object.DataFinder       = (*File)(nil)
	_ object.SymbolFinder     = (*File)(nil)
)

// area is a part of a file with code: an executable section, or an executable segment
// if the sections are unknown. Its index in File.areas is the section number of its
// symbols.
type area struct{ start, end uint64 }

// NewFile reads the headers of an ELF file of the given size in bytes. The File keeps
// r, and closes it if it is an io.Closer.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	e, err := parseHeaders(r, size)
	if err != nil {
		return nil, err
	}
	f := newFile(e, fileVM{e}, size)
	f.closer, _ = r.(io.Closer)
	f.ids = fileIDs(e)
	return f, nil
}

func newFile(e *elf.File, vm vmReader, size int64) *File {
	f := &File{elf: e, vm: vm, size: size, areas: codeAreas(e), leftOut: new(object.LeftOut)}
	f.debug = sync.OnceValue(f.openDebug)
	f.source = sync.OnceValue(f.readSource)
	f.symbols = sync.OnceValue(f.readSymbols)
	f.variableTable = sync.OnceValue(f.readVariables)
	f.stubs = sync.OnceValue(f.readStubs)
	f.golang = sync.OnceValue(f.readGo)
	f.frames = sync.OnceValue(f.readFrameIndex)
	for kind := range f.sections {
		f.sections[kind] = sync.OnceValues(func() (object.Section, error) {
			return f.readSection(object.Kind(kind))
		})
	}
	return f
}

// codeAreas returns the executable sections, or else segments, sorted by start.
func codeAreas(e *elf.File) []area {
	var areas []area
	for _, s := range e.Sections {
		const code = elf.SHF_ALLOC | elf.SHF_EXECINSTR
		if s.Flags&code == code && s.Addr+s.Size > s.Addr {
			areas = append(areas, area{s.Addr, s.Addr + s.Size})
		}
	}
	if len(areas) == 0 {
		for _, p := range e.Progs {
			if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && p.Vaddr+p.Memsz > p.Vaddr {
				areas = append(areas, area{p.Vaddr, p.Vaddr + p.Memsz})
			}
		}
	}
	slices.SortFunc(areas, func(a, b area) int { return cmp.Compare(a.start, b.start) })
	return areas[:min(len(areas), maxAreas)]
}

// maxAreas is the number of values of object.Entry's Section.
const maxAreas = 1 << 16

// area returns the index of the code area that contains vmaddr.
func (f *File) area(vmaddr uint64) (uint16, bool) {
	i, found := slices.BinarySearchFunc(f.areas, vmaddr, func(a area, v uint64) int { return cmp.Compare(a.start, v) })
	if !found {
		i--
	}
	if i < 0 || vmaddr >= f.areas[i].end {
		return 0, false
	}
	return uint16(i), true
}

// Arch returns the architecture, or task.UnknownArch if it is not supported.
func (f *File) Arch() task.Arch { return task.ArchOfELF(uint16(f.elf.Machine)) }

// ID returns the GNU build-id, nil when the file has none.
func (f *File) ID() []byte { return f.ids.gnu }

// Segments returns the PT_LOAD segments in the file's order.
func (f *File) Segments() []object.Segment {
	var segments []object.Segment
	for _, p := range f.elf.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		segments = append(segments, object.Segment{
			VMAddr: p.Vaddr, Size: p.Memsz, Offset: p.Off,
			FileSize: min(p.Filesz, p.Memsz), Prot: protOf(p.Flags),
		})
	}
	return segments
}

func protOf(flags elf.ProgFlag) (prot task.Prot) {
	if flags&elf.PF_R != 0 {
		prot |= task.Read
	}
	if flags&elf.PF_W != 0 {
		prot |= task.Write
	}
	if flags&elf.PF_X != 0 {
		prot |= task.Execute
	}
	return prot
}

// Symbol returns the function that contains vmaddr, by the symbols, or else by Go's
// function table. A stub of the procedure linkage table is named "NAME@plt".
func (f *File) Symbol(vmaddr uint64) (object.Symbol, bool) {
	area, ok := f.area(vmaddr)
	if !ok {
		return object.Symbol{}, false
	}
	if s, ok := f.symbols().Symbol(vmaddr, area); ok && f.owns(s.VMAddr, s.Size, vmaddr) {
		s.Public = publicName(&s, f.symbols().At(s.VMAddr, area))
		return s, true
	}
	if s, ok := f.goSymbol(vmaddr); ok {
		return s, true
	}
	if !f.inStubs(vmaddr) {
		return object.Symbol{}, false
	}
	return f.stubs().Symbol(vmaddr, area)
}

// ReadCode implements [object.CodeReader] for files on disk. It reads code and
// read-only data.
func (f *File) ReadCode(p []byte, vmaddr uint64) int {
	if _, onDisk := f.vm.(fileVM); !onDisk {
		return 0
	}
	for _, s := range f.elf.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_W == 0 && vmaddr >= s.Vaddr && vmaddr-s.Vaddr < s.Filesz {
			n, _ := s.ReadAt(p, int64(vmaddr-s.Vaddr))
			return n
		}
	}
	return 0
}

// HasSymbols reports whether any function has a name.
func (f *File) HasSymbols() bool { return f.symbols().Len() > 0 }

// Limit sets the budget. Call it before any query.
func (f *File) Limit(b *object.Budget) { f.budget = b }

// HasCode reports whether the file has its code, unlike a debug file that was split
// off another.
func (f *File) HasCode() bool {
	code := len(f.elf.Sections) == 0
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			if s.Type == elf.SHT_NOBITS {
				return false
			}
			code = true
		}
	}
	return code
}

// NumSymbols returns how many symbols the file claims to have in .symtab.
func (f *File) NumSymbols() int {
	s := f.elf.SectionByType(elf.SHT_SYMTAB)
	if s == nil || s.Entsize == 0 {
		return 0
	}
	return int(min(s.Size/s.Entsize, math.MaxInt32))
}

// FunctionStart returns the start of the function that contains vmaddr.
func (f *File) FunctionStart(vmaddr uint64) (uint64, bool) {
	area, ok := f.area(vmaddr)
	if !ok {
		return 0, false
	}
	if e, ok := f.symbols().Find(vmaddr, area); ok && f.owns(e.VMAddr, e.Size, vmaddr) {
		return e.VMAddr, true
	}
	s, ok := f.goSymbol(vmaddr)
	return s.VMAddr, ok
}

// Section returns a section's bytes, or object.ErrNoSection.
func (f *File) Section(kind object.Kind) (object.Section, error) {
	if int(kind) >= len(f.sections) {
		return object.Section{}, object.ErrNoSection
	}
	return f.sections[kind]()
}

// openDebug returns the separate debug file, nil when there is none.
func (f *File) openDebug() *File {
	if f.findDebug == nil {
		return nil
	}
	return f.findDebug(f)
}

// Close closes the underlying files, unless another user shares them. The caller must
// not use f afterwards.
func (f *File) Close() error {
	if !f.opened.leave(f) {
		return nil
	}
	f.findDebug = nil
	f.closed.Store(true)
	if d := f.debug(); d != nil {
		_ = d.Close() // read-only
	}
	f.related.close()
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
