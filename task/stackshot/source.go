package stackshot

import (
	"errors"

	"stacksnap/task"
)

// ErrNoSource means that a system cannot take stackshots.
var ErrNoSource = errors.New("this system takes no stackshots for other programs than its own")

// Arguments that select what a [Source] captures instead of the process of a pid.
const (
	OfAll    = -1 // all processes
	OfKernel = 0  // the kernel's own task
)

// Source takes stackshots of the running system, of one process or of all.
type Source interface {
	// Take returns a stackshot in the format of files. It has what has changed since a time
	// ([Shot.AbsoluteTime]), or everything if since is 0. It suspends nothing, but no thread of
	// the system runs while the kernel takes it: see [Shot.Stood].
	Take(since uint64) ([]byte, error)
	// Path returns the file mapped at an address in a process; "" if there is none,
	// or it is unknown.
	Path(pid int, a task.Addr) string
	Close() error
}
