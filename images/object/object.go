// Package object is the vocabulary in which every file format answers: the
// readers of images/macho and images/elf return these types, so that what
// stands above them does not know the format.
package object

import (
	"errors"

	"stacksnap/task"
)

// ErrNoSection is returned for a section that the file does not have, or whose
// bytes cannot be had.
var ErrNoSection = errors.New("no such section")

// Segment is one mapped part of a file.
type Segment struct {
	Name     string // "__TEXT"; empty for ELF
	VMAddr   uint64
	Size     uint64 // bytes in memory
	Offset   uint64 // in the file
	FileSize uint64 // bytes in the file, at most Size
	Prot     task.Prot
}

// Kind names a section by its use, whatever a format calls it.
type Kind uint8

// The sections that are asked for.
const (
	EHFrame    Kind = iota // .eh_frame, __TEXT,__eh_frame
	EHFrameHdr             // .eh_frame_hdr; ELF only
	DebugFrame             // .debug_frame, __DWARF,__debug_frame, decompressed
	UnwindInfo             // __TEXT,__unwind_info; Mach-O only
	ExIdx                  // .ARM.exidx; ELF only
	GoPCLnTab              // .gopclntab, __TEXT,__gopclntab
)

// Section is a section's bytes and where they belong.
type Section struct {
	VMAddr uint64
	Data   []byte
}

// Symbol is a named piece of code.
type Symbol struct {
	Name   string
	VMAddr uint64
	Size   uint64 // 0 when the file does not say
	// Public is another name of the same function that its users know, where Name is
	// one for its library's own use: "poll" for "__poll". Empty: there is none.
	Public string
}

// File is one executable or library, read from a file or from memory.
type File interface {
	Arch() task.Arch
	// ID is LC_UUID or the GNU build-id; nil when the file has none.
	ID() []byte
	Segments() []Segment
	// Symbol returns the function that vmaddr is in.
	Symbol(vmaddr uint64) (Symbol, bool)
	// HasSymbols reports whether there is a symbol table at all.
	HasSymbols() bool
	Section(Kind) (Section, error)
	// FunctionStart returns the start of the function that vmaddr is in, where the
	// file tells without a name (LC_FUNCTION_STARTS, symbols).
	FunctionStart(vmaddr uint64) (uint64, bool)
	Close() error
}

// CodeReader is a [File] that has the code which a loader maps, byte for byte, and may
// have data that is mapped so.
type CodeReader interface {
	// ReadCode reads from vmaddr on, and returns how much of p there is; 0 where the
	// file has no code.
	ReadCode(p []byte, vmaddr uint64) int
}

// ThumbTeller is a [File] of ARM that may know of which instruction set a function is.
type ThumbTeller interface {
	// Thumb reports whether the function that vmaddr is in is Thumb code, not ARM code.
	Thumb(vmaddr uint64) (thumb, known bool)
}

// DataTeller is a [File] that may know what is data between its instructions.
type DataTeller interface {
	// DataInCode returns the first range of data that ends above vmaddr.
	DataInCode(vmaddr uint64) (start, end uint64, ok bool)
}

// Placed is one file as a loader placed it in a process.
type Placed struct {
	Path  string
	Load  task.Addr // where the file's first byte is mapped
	Slide uint64    // address − vmaddr, modulo 2^64
	Main  bool      // the program itself
	File  File      // nil when nothing could be read of it: Err says why
	IDAt  task.Addr // where its ID can be read in the process; 0 when that is not known
	Fixed bool      // it is never unloaded, nor anything else loaded in its place
	// Code is by what its instructions are to be read, where another image may stand
	// in its place by then; nil: the process's memory.
	Code task.Memory
	// Generated: it is no file that was loaded, but names code that a compiler made at
	// run time, where no image is. It has no place of its own: Load and Slide are 0.
	Generated bool
	Note      string // what a reader should know: "deleted", "replaced since it was loaded"
	Err       error

	// Of a Mac program itself: its architecture as Apple's tools name it ("arm64e"),
	// and what its maker calls it.
	Variant string
	Bundle  Bundle
}

// Bundle is what a Mac program's maker calls it. What is not known is empty.
type Bundle struct {
	ID      string // CFBundleIdentifier: "com.apple.Safari"
	Version string // CFBundleShortVersionString, for people
	Build   string // CFBundleVersion
}

// VMAddr turns an address in the target into one of the file.
func (p *Placed) VMAddr(a task.Addr) uint64 { return uint64(a) - p.Slide }

// Addr turns a vmaddr of the file into an address in the target.
func (p *Placed) Addr(vmaddr uint64) task.Addr { return task.Addr(vmaddr + p.Slide) }
