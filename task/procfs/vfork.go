//go:build linux

package procfs

import (
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// forkedOnly is PF_FORKNOEXEC (include/linux/sched.h): the process was forked, and
// has not called exec since. An exec clears it once the new memory is in place
// (fs/exec.c, begin_new_exec).
const forkedOnly = 0x00000040

// kcmpVM is KCMP_VM (include/uapi/linux/kcmp.h): compare the memory of two processes.
const kcmpVM = 1

// vforkMemory is used for a process that runs in the memory of its parent, as after vfork and
// posix_spawn until exec. After exec the parent still has that memory, and only the flag shows
// that it is no longer the process's.
type vforkMemory struct {
	stat int // the process's stat file
	buf  [1024]byte
}

// isOver reports whether the process has called exec or no longer exists.
func (l *vforkMemory) isOver() bool {
	n, err := unix.Pread(l.stat, l.buf[:], 0)
	if err != nil {
		return true
	}
	s, err := parseStat(l.buf[:n])
	return err != nil || s.flags&forkedOnly == 0
}

// borrows reports whether a process has the memory of its parent. It returns false if the kernel
// cannot or may not compare the two.
func (s *Stat) borrows(pid int) bool {
	if s.flags&forkedOnly == 0 {
		return false
	}
	different, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(pid), uintptr(s.parent), kcmpVM, 0, 0, 0)
	return errno == 0 && different == 0
}

// AwaitExec waits until a forked process has called exec or has ended, for at most maxExec: a
// kernel that only imitates Linux may never clear the flag.
func AwaitExec(pid int) {
	for end := time.Now().Add(maxExec); time.Now().Before(end); time.Sleep(execPause) {
		if hasExeced(pid) {
			return
		}
	}
}

func hasExeced(pid int) bool {
	dir, err := OpenDir("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return true
	}
	defer dir.Close()
	s, ok := dir.stat()
	return !ok || s.flags&forkedOnly == 0 || threadState(s.state) == task.Ended
}

const (
	maxExec   = 10 * time.Second
	execPause = 200 * time.Microsecond
)
