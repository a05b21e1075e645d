package perfevent

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Allow checks whether the kernel lets us sample a thread as o asks. If only user
// code may be sampled, it sets o.User, and the error says in one line what is missing
// and what to do. An error with o.User unset means that nothing may be sampled.
func Allow(tid int, o *Options) error {
	err := try(tid, *o)
	if !errors.Is(err, unix.EACCES) {
		return refusal(err)
	}
	user := *o
	user.User, user.Kernel = true, false
	if err := try(tid, user); err != nil {
		return refusal(err)
	}
	o.User, o.Kernel = true, false
	return partial{circumstances{paranoid: paranoid()}.partly(), err}
}

// partial means that samples in the kernel are not allowed, and wraps the refusal.
type partial struct {
	line string
	err  error
}

func (e partial) Error() string { return e.line }
func (e partial) Unwrap() error { return e.err }

func try(tid int, o Options) error {
	e, err := Open(tid, o)
	if err != nil {
		return err
	}
	return e.Close()
}

// refusal adds to an error what to do.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	c := circumstances{root: os.Geteuid() == 0, paranoid: paranoid()}
	call := new(os.SyscallError)
	isMap := errors.As(err, &call) && call.Syscall == "mmap"
	switch {
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		c.kind = noFiles
	case isMap && errors.Is(err, unix.EPERM):
		c.kind = noMemory
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		c.kind = notAllowed
	}
	line := fmt.Errorf("threads that run are not seen (%w)", err)
	if remedy := c.remedy(); remedy != "" {
		line = fmt.Errorf("%w: %s", line, remedy)
	}
	return line
}

func paranoid() int {
	b, _ := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	n, _ := strconv.Atoi(string(bytes.TrimSpace(b)))
	return n
}
