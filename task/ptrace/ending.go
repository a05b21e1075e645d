//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// exiting is PF_EXITING (include/linux/sched.h): the thread has begun to end.
const exiting = 0x00000004

// isEnding tells whether the process has ended or is about to: each of its
// threads is. The files of such a one belong to root (fs/proc/base.c,
// task_dump_owner), so that opening them is refused as if it were protected.
func (p *Process) isEnding() bool {
	if !p.process.isEnding() {
		return false
	}
	dir, err := openDirAt(p.process.fd, "task")
	if err != nil {
		return true
	}
	defer dir.close()
	for _, tid := range dir.numbers() {
		thread, err := openDirAt(dir.fd, strconv.Itoa(tid))
		if err != nil {
			continue
		}
		ends := thread.isEnding()
		thread.close()
		if !ends {
			return false
		}
	}
	return true
}

// isEnding tells whether a thread has ended or is about to.
func (d procDir) isEnding() bool {
	s, ok := d.stat()
	return !ok || s.flags&exiting != 0 || threadState(s.state) == task.Ended
}

// isGone tells whether an answer is of a process or thread that is no more.
func isGone(err error) bool {
	return errors.Is(err, unix.ESRCH) || errors.Is(err, unix.ENOENT)
}

// ending is the error about a process that could not be opened since it ends. It
// may be that only the thread ends by which it was to be read.
func (p *Process) ending() error {
	return noMemoryError{&task.NoProcessError{PID: p.pid, Reason: "has ended, or is ending"}}
}
