// Package task is the vocabulary of stacksnap: it defines processes, threads, registers and
// copied stacks, independent of their source. A live Mach task, a live Linux process, a core
// file and a recording all implement [Process]; everything above this package works on the
// [Snapshot] that [Take] makes.
package task

import (
	"iter"
	"time"
)

// Process is a target: a live one, or one that was saved.
//
// A Process is used only from the goroutine that opened it, because a live Linux target answers
// only to the thread that attached. Between Suspend and resume only Threads, Capture, Memory's
// reads and the [MapReader] are used, and none of these allocates.
type Process interface {
	Info() Info
	// Capabilities returns what else the process can do. A Process that wraps another one passes
	// on the capabilities that it does not change.
	Capabilities() Capabilities
	Memory() Memory
	// Regions lists the target's mappings, lowest address first. They have no paths if the
	// process has a [LoaderReader].
	Regions() iter.Seq2[Region, error]
	// Threads lists the threads. The slice is valid until the next call.
	Threads() ([]ThreadID, error)
	// Describe fills in the thread's facts: name, queue, state, CPU time. Its error is
	// ErrThreadGone or nil. A fact that the system does not report is left empty.
	Describe(ThreadID, *Thread) error
	// Suspend stops every thread, or those that the options select. The target runs again once
	// resume has been called, or when this program has died.
	Suspend(StopOptions) (resume func() error, err error)
	// Capture copies a stopped thread's registers and the used part of its stack into
	// t.Buffer(), up to its capacity, and sets t.Stacks to that one range.
	Capture(ThreadID, *Thread) error
	// Close detaches from the target, which runs again whatever happened before.
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
	OSVersion  string // in a person's words: "macOS 14.5 (23F79)"
	ParentPID  int
	ParentName string
	Start      time.Time // when the process was started
	Command    Command
	Folder     string // its working directory, in the target's own view
	User       *User  // nil: not known
	Group      *Group // nil: it belongs to no known manager
	Machine    Machine
	Footprint  Footprint
	Crash      *Crash  // what ended a process that was saved when it crashed; nil: nothing, or not known
	Tracer     *Tracer // the process that held it stopped when it was opened; nil: none
	PageSize   int
	// CodeMask selects the bits of a signed code pointer that belong to the address.
	CodeMask uint64
	// LoaderInfo is where the loader describes what it has loaded: on Darwin the
	// dyld_all_image_infos, whose layout is 32- or 64-bit as LoaderPointerSize says.
	LoaderInfo        Addr
	LoaderPointerSize int
	// Translated means that Rosetta runs an x86_64 program. The kernel shows only its
	// translated arm64 state.
	Translated bool
	// Live means that the target was running while it was read.
	Live bool
	// SavedImages are the images that a saved process lists besides its memory. Problems say
	// what is wrong with its file; each affects only the part that it names.
	SavedImages []SavedImage
	Problems    []error
}

// SavedImage is an image that a saved process lists besides its memory. It is used where the
// loader's own list, or an image's header, was not saved.
type SavedImage struct {
	Path     string
	ID       []byte // LC_UUID or build-id; nil when not known
	Load     Addr   // address of the file's first byte; 0 when not known
	Slide    uint64 // if HasSlide: address − vmaddr, modulo 2^64
	HasSlide bool
	Main     bool // the program itself
	// Segments say where the loader put each segment; empty when all have the same slide.
	Segments []SavedSegment
}

// SavedSegment is where the loader put a segment of a [SavedImage], by the segment's name in the
// file.
type SavedSegment struct {
	Name string
	Addr Addr
}

// Prot is the access that a mapping permits.
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
	// For a mapped file: its path as the target sees it, the file offset of Start, and the
	// file's device and inode. Special mappings have a name in brackets as their path.
	Path        string
	Offset      uint64
	Dev, Inode  uint64
	PathDeleted bool // the file was unlinked or replaced
}
