// Package elf reads ELF files (System V gABI, chapters 4 and 5) and finds those
// that a Linux process has mapped: from disk where the file there is proved to
// be the one that was loaded, from the target's memory otherwise.
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

// File is one ELF file. Symbols and sections are read when they are first asked
// for. It is safe for concurrent use.
type File struct {
	elf    *elf.File // headers; no sections when it was read from memory
	vm     vmReader  // the mapped parts by vmaddr
	closer io.Closer // nil: nothing to close
	size   int64     // of the file, in bytes
	ids    ids
	areas  []area         // where code is, by start
	budget *object.Budget // what it may cost together with others; may be nil

	// For the report; the name may be empty.
	name    string
	leftOut *object.LeftOut // shared with the files that belong to this one

	// findDebug finds the file's separate debug file; nil: nowhere to look.
	findDebug func(*File) *File
	related   *related // nil: nowhere to look for the files that belong to it
	debug     func() *File
	source    func() *dwarf.Data
	closed    atomic.Bool

	// Where others use it, too: guarded by opened.mu.
	opened *Opened
	key    openedKey
	users  int

	symbols  func() *object.Table
	stubs    func() *object.Table // PLT entries
	golang   func() *golang.Table // nil: none
	frames   func() *frameIndex   // which function call frame information puts an address in
	whole    bool                 // symbols has all functions, not only those that others may use
	sections [object.GoPCLnTab + 1]func() (object.Section, error)
}

var (
	_ object.File       = (*File)(nil)
	_ object.CodeReader = (*File)(nil)
)

// area is a part of a file that holds code: an executable section, or an
// executable segment where the sections are not known. Its index in File.areas
// is the section number of the symbols in it.
type area struct{ start, end uint64 }

// NewFile reads the headers of an ELF file of the given size in bytes. The
// returned File keeps r, and closes it when it is an io.Closer.
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

// codeAreas lists the executable sections, or else segments, by start.
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

// maxAreas is what an object.Entry can number.
const maxAreas = 1 << 16

// area returns the number of the code area that vmaddr is in.
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

// Arch returns the architecture, task.UnknownArch when it is none of ours.
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

// Symbol returns the function that vmaddr is in, where no symbol tells by the
// table that Go's linker makes; a stub of the procedure linkage table is named
// "NAME@plt".
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

// ReadCode implements [object.CodeReader], of files that are read from the disk. It has
// the data that is not written, too.
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

// Limit has the file share a budget. It is called before anything is asked.
func (f *File) Limit(b *object.Budget) { f.budget = b }

// HasCode reports whether the file has its code, which a debug file that was split
// off another has not.
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

// NumSymbols returns how many symbols the file itself claims to have in the table of
// all functions, which is not there for others to call them.
func (f *File) NumSymbols() int {
	s := f.elf.SectionByType(elf.SHT_SYMTAB)
	if s == nil || s.Entsize == 0 {
		return 0
	}
	return int(min(s.Size/s.Entsize, math.MaxInt32))
}

// FunctionStart returns where the function that vmaddr is in starts.
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

// Close closes the underlying files, if there are any and nobody else uses them.
// Nothing is asked of the File any more by who closes it.
func (f *File) Close() error {
	if !f.opened.leave(f) {
		return nil
	}
	f.findDebug = nil
	f.closed.Store(true)
	if d := f.debug(); d != nil {
		_ = d.Close() // it was only read
	}
	f.related.close()
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
