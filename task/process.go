// Package task is the vocabulary of stacksnap: what a process, a thread, its
// registers and its copied stack are, whoever supplies them. A live Mach task,
// a live Linux process, a core file and a recording all implement [Process];
// everything above this package works on the [Snapshot] that [Take] makes.
package task

import (
	"iter"
	"time"
)

// Process is a target: a live one, or one that was saved.
//
// A Process is used from the goroutine that opened it, because a live Linux
// target answers only to the thread that attached. Between Suspend and resume
// only Threads and Capture are called, memory is read and a [MapReader] asked, and
// none of these allocates.
type Process interface {
	Info() Info
	// Capabilities are what it can do besides. One that wraps another process passes on
	// what it does not change.
	Capabilities() Capabilities
	Memory() Memory
	// Regions lists the target's mappings, lowest address first; those of one with a
	// [LoaderReader] without paths.
	Regions() iter.Seq2[Region, error]
	// Threads lists the threads. The slice is valid until the next call.
	Threads() ([]ThreadID, error)
	// Describe fills the thread's facts: name, queue, state, CPU time. Its error is
	// ErrThreadGone or nil; a fact the system does not tell is left empty.
	Describe(ThreadID, *Thread) error
	// Suspend stops every thread, or those that the options choose. The target runs on when resume
	// has been called, or when this process has died.
	Suspend(StopOptions) (resume func() error, err error)
	// Capture copies a stopped thread's registers and the used part of its stack
	// into t.Buffer(), at most its capacity, and makes t.Stacks that one range.
	Capture(ThreadID, *Thread) error
	// Close lets go of the target, which runs on, whatever happened before.
	Close() error
}

// OS is the operating system of a target, which decides how its images are
// found and what its files look like.
type OS uint8

// The systems whose processes can be read.
const (
	UnknownOS OS = iota
	Darwin
	Linux
)

// Info is what is known of a process as a whole. Unknown facts are zero.
type Info struct {
	PID        int
	Name       string
	Path       string // of the executable, in the target's own view
	Arch       Arch
	OS         OS
	OSVersion  string // as a person would write it: "macOS 14.5 (23F79)"
	ParentPID  int
	ParentName string
	Start      time.Time // when the process was started
	Command    Command
	Folder     string // its working folder, in the target's own view
	User       *User  // nil: not known
	Group      *Group // nil: of no manager that is known
	Machine    Machine
	Footprint  Footprint
	Crash      *Crash  // what ended it, of one that was saved then; nil: nothing, or that is not known
	Tracer     *Tracer // that held it stopped when it was opened; nil: none
	PageSize   int
	// CodeMask has the bits that belong to the address in a signed code pointer.
	CodeMask uint64
	// LoaderInfo is where the loader describes what it has loaded: on Darwin the
	// dyld_all_image_infos, of 32- or 64-bit layout as LoaderPointerSize says.
	LoaderInfo        Addr
	LoaderPointerSize int
	// Translated: an x86_64 program run by Rosetta, of which the kernel shows the
	// translated arm64 state.
	Translated bool
	// Live: the target was running while it was read.
	Live bool
	// SavedImages are those that a saved process lists beside its memory. Problems say
	// what is wrong with its file; each affects only what it names.
	SavedImages []SavedImage
	Problems    []error
}

// SavedImage is an image that a saved process lists beside its memory: what is
// left to go by where the loader's own list, or an image's header, was not
// saved.
type SavedImage struct {
	Path     string
	ID       []byte // LC_UUID or build-id; nil when not known
	Load     Addr   // of the file's first byte; 0 when not known
	Slide    uint64 // with HasSlide: address − vmaddr, modulo 2^64
	HasSlide bool
	Main     bool // the program itself
	// Segments are where the loader put each, by its name in the file; empty when
	// all of them have the same slide.
	Segments []SavedSegment
}

// SavedSegment is a segment's place in the target.
type SavedSegment struct {
	Name string
	Addr Addr
}

// Prot is what a mapping permits.
type Prot uint8

// The permissions of a mapping.
const (
	Read Prot = 1 << iota
	Write
	Execute
)

// Region is one mapping of the target: [Start, End).
type Region struct {
	Start, End Addr
	Prot       Prot
	Shared     bool
	// Of a mapped file: its path as the target sees it, the offset of Start in it,
	// and its device and inode. Special mappings have a name in brackets.
	Path        string
	Offset      uint64
	Dev, Inode  uint64
	PathDeleted bool // the file was unlinked or replaced
}
