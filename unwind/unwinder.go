package unwind

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Options says what an [Unwinder] must know of its target beside the images.
type Options struct {
	// CodeMask has the bits that belong to the address in a signed code pointer
	// ([task.Info].CodeMask); 0: pointers are not signed.
	CodeMask uint64
	// Executable reports whether code that no image holds may be at an address, as a
	// JIT compiler writes it; nil: never.
	Executable func(task.Addr) bool
	// Sources are asked in this order; nil: those of [Sources].
	Sources []Ranked
}

// Ranked is a source of rules with the name of the method that it is.
type Ranked struct {
	By     Method
	Source rule.Source
}

// Unwinder walks captured stacks. It keeps rules by pc from one walk to the
// next, and is used by one goroutine at a time; see [Unwinder.Clone].
type Unwinder struct {
	opts   Options
	cache  *cache
	maps   [keptMaps]*images.Map // those of which the cache may have entries
	oldest int                   // of maps
	walk   walk
	spare  [2]entry // of code without an image, which is not cached
	turn   int
	probe  [8]byte // of memory that was not captured
	call   [maxCall]byte
}

// New makes an unwinder.
func New(o Options) *Unwinder {
	if o.Sources == nil {
		o.Sources = Sources()
	}
	return &Unwinder{opts: o, cache: new(cache)}
}

// Clone makes an unwinder for another goroutine, with the same sources and a
// cache of its own.
func (u *Unwinder) Clone() *Unwinder { return New(u.opts) }
