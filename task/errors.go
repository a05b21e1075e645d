package task

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrUnsupported is wrapped by the errors of systems on which live processes cannot be read.
var ErrUnsupported = errors.New("stacksnap cannot attach to live processes on this system")

// Unsupported returns this system's error, which wraps [ErrUnsupported].
func Unsupported() error {
	return fmt.Errorf("%w (%s/%s): it does on macOS and on Linux (amd64, arm64)", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}

// ErrThreadGone is returned for a thread that has ended since it was listed. That is normal, and
// affects only that thread.
var ErrThreadGone = errors.New("the thread has ended")

// NoProcessError says that no live process with a user stack has that number: it never existed,
// has ended, is a zombie, or is a kernel thread or the like.
type NoProcessError struct {
	PID    int
	Reason string // such as "is a zombie (already ended)"; empty: does not exist
}

func (e *NoProcessError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("no process with pid %d", e.PID)
	}
	return fmt.Sprintf("pid %d %s", e.PID, e.Reason)
}

// PermissionError says that the system refused, and what to do about it.
type PermissionError struct {
	PID    int    // -1: all processes
	Asked  string // the refused call or calls, with their errors
	Remedy string // one sentence in the imperative
	Err    error
}

func (e *PermissionError) Error() string {
	whom := "all processes"
	if e.PID >= 0 {
		whom = fmt.Sprintf("pid %d", e.PID)
	}
	return fmt.Sprintf("not permitted to read %s (%s): %s", whom, e.Asked, e.Remedy)
}

func (e *PermissionError) Unwrap() error { return e.Err }

// TracedError says that another program traces the target or one of its threads. A thread can
// have only one tracer.
type TracedError struct {
	PID    int
	Tracer int    // its process
	Name   string // the tracer's name, as it calls itself
}

func (e *TracedError) Error() string {
	return fmt.Sprintf("%s is already tracing it", e.By())
}

// By names the tracer. The name may contain any bytes.
func (e *TracedError) By() string { return fmt.Sprintf("pid %d (%s)", e.Tracer, e.Name) }

// ExitedError says that the target ended, or replaced itself by exec, while it was being read.
// What was captured before remains valid.
type ExitedError struct {
	PID int
	Err error // the error that showed it; may be nil
}

func (e *ExitedError) Error() string {
	return fmt.Sprintf("the target (pid %d) exited meanwhile, or called exec", e.PID)
}

func (e *ExitedError) Unwrap() error { return e.Err }
