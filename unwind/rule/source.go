package rule

import (
	"errors"

	"stacksnap/images"
	"stacksnap/task"
)

// ErrNone is returned by a source that has no rule for a pc. It is no failure: the
// next source is queried.
var ErrNone = errors.New("no unwind information covers the address")

// Source provides rules. It is used by many goroutines at once.
type Source interface {
	// Rule returns how to unwind from q.PC. The error is ErrNone where the source
	// does not cover the pc, and another where it does but its data is unusable.
	Rule(q Query) (Rule, error)
}

// Query is a request for the rule at a pc.
type Query struct {
	Arch task.Arch
	// Image contains PC; nil for code outside all files (JIT).
	Image *images.Image
	// PC is the address to look up: with First, the instruction that was about to run
	// when the thread stopped or the signal came; otherwise the last byte of the call
	// that the frame is in, its return address − 1.
	PC task.Addr
	// First: the function may be at any instruction, in its prologue or epilogue too.
	// Otherwise it is in a call.
	First bool
	// Code reads the target's code and read-only data. It is never nil.
	Code task.Memory
}

// VMAddr returns PC as an address of Image's file. Image must not be nil.
func (q *Query) VMAddr() uint64 { return q.Image.VMAddr(q.PC) }
