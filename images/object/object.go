// Package object has the types that readers of all file formats return, so that their
// users need not know the format. Readers are images/macho and images/elf.
package object

import (
	"errors"

	"stacksnap/task"
)

// ErrNoSection is returned for a section that the file does not have, or whose bytes
// are not available.
var ErrNoSection = errors.New("no such section")

// Segment is a mapped part of a file.
type Segment struct {
	Name     string // "__TEXT"; empty for ELF
	VMAddr   uint64
	Size     uint64 // bytes in memory
	Offset   uint64 // in the file
	FileSize uint64 // bytes in the file, at most Size
	Prot     task.Prot
}

// Kind names a section by its use, independent of the format.
type Kind uint8

// The kinds of sections.
const (
	EHFrame    Kind = iota // .eh_frame, __TEXT,__eh_frame
	EHFrameHdr             // .eh_frame_hdr; ELF only
	DebugFrame             // .debug_frame, __DWARF,__debug_frame, decompressed
	UnwindInfo             // __TEXT,__unwind_info; Mach-O only
	ExIdx                  // .ARM.exidx; ELF only
	GoPCLnTab              // .gopclntab, __TEXT,__gopclntab
)

// Section is a section's bytes and address.
type Section struct {
	VMAddr uint64
	Data   []byte
}

// Symbol is a named piece of code, or a variable.
type Symbol struct {
	Name   string
	VMAddr uint64
	Size   uint64 // 0 when the file does not say
	// Public is the name by which users know the function, if Name is its library's
	// internal name: "poll" for "__poll". Else "".
	Public string
}

// File is one executable or library, read from a file or from memory.
type File interface {
	Arch() task.Arch
	// ID is LC_UUID or the GNU build-id; nil when the file has none.
	ID() []byte
	Segments() []Segment
	// Symbol returns the function that contains vmaddr.
	Symbol(vmaddr uint64) (Symbol, bool)
	// HasSymbols reports whether there is a symbol table.
	HasSymbols() bool
	Section(Kind) (Section, error)
	// FunctionStart returns the start of the function that contains vmaddr, even if
	// it has no name (LC_FUNCTION_STARTS, symbols).
	FunctionStart(vmaddr uint64) (uint64, bool)
	Close() error
}

// CodeReader is a [File] that can read the code a loader maps, byte for byte.
type CodeReader interface {
	// ReadCode reads from vmaddr, and returns how many bytes of p it could read; 0 if
	// the file has no code.
	ReadCode(p []byte, vmaddr uint64) int
}

// ThumbReporter is a [File] of 32-bit ARM that may know the instruction set of a
// function.
type ThumbReporter interface {
	// Thumb reports whether the function that contains vmaddr is Thumb code, not ARM
	// code.
	Thumb(vmaddr uint64) (thumb, known bool)
}

// DataReporter is a [File] that may know where data is between instructions.
type DataReporter interface {
	// DataInCode returns the first range of data that ends above vmaddr.
	DataInCode(vmaddr uint64) (start, end uint64, ok bool)
}

// VariableReporter is a [File] that may know the variables of the program.
type VariableReporter interface {
	// Variable returns the symbol of the variable that contains vmaddr. It may read the
	// symbol table once more.
	Variable(vmaddr uint64) (Symbol, bool)
}

// Placed is a file as a loader placed it in a process.
type Placed struct {
	Path  string
	Load  task.Addr // address of the file's first byte
	Slide uint64    // address − vmaddr, modulo 2^64
	Main  bool      // the program itself
	File  File      // nil when the file could not be read: Err says why
	IDAt  task.Addr // address in the process from which its ID can be read; 0 when not known
	Fixed bool      // it is never unloaded or replaced
	// Code, if not nil, is where to read the instructions instead of the process, in
	// which another image may be in this one's place by now.
	Code task.Memory
	// Generated: not a file that was loaded, but names for JIT-compiled code outside
	// all images. Load and Slide are 0.
	Generated bool
	Note      string // for the report: "deleted", "replaced since it was loaded"
	Err       error

	// Variant and Bundle describe a Mac program: its architecture as Apple's tools
	// name it ("arm64e"), and its identifier and versions.
	Variant string
	Bundle  Bundle
}

// Bundle is the identifier and versions of a Mac program, "" if not known.
type Bundle struct {
	ID      string // CFBundleIdentifier: "com.apple.Safari"
	Version string // CFBundleShortVersionString, the version shown to users
	Build   string // CFBundleVersion
}

// VMAddr converts an address of the target to one of the file.
func (p *Placed) VMAddr(a task.Addr) uint64 { return uint64(a) - p.Slide }

// Addr converts a vmaddr of the file to an address of the target.
func (p *Placed) Addr(vmaddr uint64) task.Addr { return task.Addr(vmaddr + p.Slide) }

// TextSegment returns the vmaddr of a Mach-O file's __TEXT; ok is false for ELF files,
// which have no such segment.
func TextSegment(f File) (vmaddr uint64, ok bool) {
	for _, s := range f.Segments() {
		if s.Name == "__TEXT" {
			return s.VMAddr, true
		}
	}
	return 0, false
}
