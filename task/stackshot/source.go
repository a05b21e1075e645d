package stackshot

import (
	"errors"

	"stacksnap/task"
)

// ErrNoSource says that a system takes no stackshots.
var ErrNoSource = errors.New("this system takes no stackshots for other programs than its own")

// Whom a [Source] can be of, besides a process.
const (
	OfAll    = -1 // processes
	OfKernel = 0  // its own task
)

// Source takes stackshots of the running system, of one process or of all.
type Source interface {
	// Take returns a stackshot as a file has it: of what has changed since the time
	// ([Shot.AbsoluteTime]) of another, or, of 0, of all. Nothing is suspended for it, but
	// while the kernel takes it no thread of the system runs: see [Shot.Stood].
	Take(since uint64) ([]byte, error)
	// Path returns the file that is mapped in a process; empty where none is, or it is not
	// told.
	Path(pid int, a task.Addr) string
	Close() error
}
