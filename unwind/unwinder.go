package unwind

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Options describes the target to an [Unwinder], beside its images.
type Options struct {
	// CodeMask has the address bits of a signed code pointer set
	// ([task.Info].CodeMask). 0: pointers are not signed.
	CodeMask uint64
	// Executable reports whether an address outside all images may be code, as a JIT
	// compiler writes it. nil: never.
	Executable func(task.Addr) bool
	// Sources are queried in order. nil: those of [Sources].
	Sources []Ranked
}

// Ranked is a source of rules and the method that its frames are reported with.
type Ranked struct {
	By     Method
	Source rule.Source
}

// Unwinder walks captured stacks. It caches rules by pc across walks. It is for one
// goroutine at a time.
type Unwinder struct {
	opts   Options
	cache  *cache
	maps   [keptMaps]*images.Map // the maps that the cache may have entries of
	oldest int                   // index in maps
	walk   walk
	spare  [2]entry // for code without an image, which is not cached
	turn   int
	probe  [8]byte // buffer for memory that was not captured
	call   [maxCall]byte
}

// New returns an unwinder with an empty cache.
func New(o Options) *Unwinder {
	if o.Sources == nil {
		o.Sources = Sources()
	}
	return &Unwinder{opts: o, cache: new(cache)}
}
