// Package macho reads Mach-O executables and libraries, from files and from the
// memory of a process. (<mach-o/loader.h>, <mach-o/nlist.h>, <mach-o/fat.h>)
package macho

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"stacksnap/images/dwarf"
	"stacksnap/images/golang"
	"stacksnap/images/objc"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/regular"
)

// File is a Mach-O file of one architecture. It implements [object.File] and is as
// safe for concurrent use as what it reads from.
//
// The header and the load commands are read at once, everything else on demand. What
// was read stays available, whatever happens to the process or the file.
type File struct {
	header
	commands
	src     source
	slide   uint64     // of an image in memory: load address − vmaddr of __TEXT
	closer  io.Closer  // nil: nothing to close
	closing sync.Mutex // guards closer; separate from mu, because a read under mu may need the file
	raw     []byte     // load commands of an image in memory outside the shared cache
	cache   task.Addr  // start of the shared cache that an image in memory is in; 0: not known

	symtab     func() *symtab   // nil result: none
	locals     func() *symtab   // from another file, see SetLocals
	indirects  func() []byte    // indirect symbol table
	starts     func() []uint64  // function starts, sorted
	dataRanges func() []vmRange // data between instructions, sorted
	onDisk     func() *File     // nil result: none
	golang     func() *golang.Table
	pointer    func() pointerFunc
	methods    func() *objc.Table // Objective-C methods; nil result: none

	variableTable func() *object.Table // what the symbol table names besides code

	path     string // where a dSYM may be; "": none is looked for
	name     string // for the report; may be ""
	leftOut  object.LeftOut
	modified time.Time
	dsym     func() *File
	debugMap func() *debugMap // nil result: none
	source   func() *dwarf.Data
	closed   atomic.Bool

	cost cost

	mu   sync.Mutex
	data map[int][]byte // section bytes by index
}

var (
	_ object.File             = (*File)(nil)
	_ object.DataFinder       = (*File)(nil)
	_ object.DataSymbolFinder = (*File)(nil)
	_ object.SymbolFinder     = (*File)(nil)
)

// Open opens the wanted slice of a file, which must be a regular file.
func Open(path string, want Want) (*File, error) {
	r, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := NewFile(r, info.Size(), want)
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.closer, f.modified = r, info.ModTime()
	return f, nil
}

// NewFile reads the wanted slice of a fat or thin file of size bytes. r must stay
// open as long as the File is used.
func NewFile(r io.ReaderAt, size int64, want Want) (*File, error) {
	parts, err := thinFiles(r, size)
	if err != nil {
		return nil, err
	}
	return choose(parts, want)
}

func newThin(r *io.SectionReader) (*File, error) {
	src := &fileSource{r: r}
	b := make([]byte, headerSize64)
	n, _ := src.readLinkEdit(b, 0)
	h, err := parseHeader(b[:n])
	if err != nil {
		return nil, err
	}
	b, err = readAll(uint64(h.sizeofcmds), func(p []byte, at uint64) (int, error) {
		return src.readLinkEdit(p, uint64(h.size())+at)
	})
	if err != nil {
		return nil, fmt.Errorf("load commands: %w", err)
	}
	cmds, err := parseCommands(&h, b)
	if err != nil {
		return nil, err
	}
	src.segments = cmds.segments
	return newFile(h, cmds, src), nil
}

func newFile(h header, cmds commands, src source) *File {
	f := &File{header: h, commands: cmds, src: src}
	f.symtab = sync.OnceValue(f.readSymtab)
	f.variableTable = sync.OnceValue(f.readVariables)
	f.indirects = sync.OnceValue(f.readIndirects)
	f.starts = sync.OnceValue(f.readStarts)
	f.dataRanges = sync.OnceValue(f.readDataInCode)
	f.golang = sync.OnceValue(f.readGo)
	f.pointer = sync.OnceValue(f.readPointers)
	f.methods = sync.OnceValue(f.readMethods)
	f.dsym = sync.OnceValue(f.findDSYM)
	f.debugMap = sync.OnceValue(f.readDebugMap)
	f.source = sync.OnceValue(f.readSource)
	f.onDisk = func() *File { return nil }
	f.locals = func() *symtab { return nil }
	return f
}

// Close closes the files opened for f. The caller must not use f afterwards.
func (f *File) Close() error {
	f.closed.Store(true)
	f.path = ""
	if d := f.dsym(); d != nil {
		_ = d.Close() // read-only
	}
	if m := f.debugMap(); m != nil {
		m.close()
	}
	f.mu.Lock()
	f.cost.end()
	f.mu.Unlock()
	f.closing.Lock()
	defer f.closing.Unlock()
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Arch implements [object.File].
func (f *File) Arch() task.Arch { return task.ArchOfMachO(f.cpu) }

// Variant returns the architecture as Apple's tools name it, including relevant
// subtypes: "arm64e", "x86_64h", "armv7s".
func (f *File) Variant() string { return variantOf(f.cpu, f.subtype) }

// Type returns the file type.
func (f *File) Type() FileType { return f.filetype }

// InSharedCache reports whether the image is part of dyld's shared cache.
func (f *File) InSharedCache() bool { return f.flags&flagInSharedCache != 0 }

// ID returns the 16 bytes of LC_UUID, nil if there is none.
func (f *File) ID() []byte { return f.uuid }

// IDOffset returns the offset of the ID from the header, in the file and in memory; 0
// if there is none.
func (f *File) IDOffset() uint64 { return f.uuidAt }

// Segments implements [object.File].
func (f *File) Segments() []object.Segment { return f.segments }

// Build returns the platform and the SDK that the file was built for.
func (f *File) Build() Build { return f.build }

// InstallName returns the name and the current version of a dylib (LC_ID_DYLIB); ""
// if it has none.
func (f *File) InstallName() (string, Version) { return f.installName, f.currentVersion }

// DylinkerName returns dyld's name for itself (LC_ID_DYLINKER).
func (f *File) DylinkerName() string { return f.dylinker }

// TextVMAddr returns the vmaddr of the Mach-O header.
func (f *File) TextVMAddr() (uint64, bool) {
	s, ok := f.text()
	return s.VMAddr, ok
}

// Slide returns load address − vmaddr, modulo 2^64, of an image in memory; 0 for a
// file.
func (f *File) Slide() uint64 { return f.slide }

// ReadCode reads the bytes at vmaddr. At the end of the segment or of readable memory
// it returns fewer and an error.
func (f *File) ReadCode(p []byte, vmaddr uint64) (int, error) {
	n, err := f.src.readVM(p, vmaddr)
	if n < len(p) && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
