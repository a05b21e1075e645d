package rule

import (
	"errors"

	"stacksnap/images"
	"stacksnap/task"
)

// ErrNone is returned by a source that has nothing to say about a pc: not a
// fault, the next source is asked.
var ErrNone = errors.New("no unwind information covers the address")

// Source is one place that rules come from. It is used by many goroutines at
// once; what it keeps of an image it makes once, when first asked.
type Source interface {
	// Rule tells how to leave the function at q.PC. Its error is ErrNone where the
	// source does not cover the pc, anything else where it does but is not usable.
	Rule(q Query) (Rule, error)
}

// Query is a question for a rule.
type Query struct {
	Arch task.Arch
	// Image is the image that PC is in; nil for code that no file holds (JIT).
	Image *images.Image
	// PC is the address to look up: of the instruction that was about to run when
	// the thread stopped or the signal came (First), else of the last byte of the
	// call that the frame is in: its return address − 1.
	PC task.Addr
	// First: the function may stand anywhere, in its prologue or epilogue too.
	// Otherwise it stands in a call.
	First bool
	// Code reads the target's code and read-only data. It is never nil.
	Code task.Memory
}

// VMAddr returns PC in the numbering of Image, which must not be nil.
func (q *Query) VMAddr() uint64 { return q.Image.VMAddr(q.PC) }
