//go:build linux

package ptrace

import (
	"encoding/binary"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs"
)

// These calls are made while the target is stopped. They cannot block, so they bypass Go's
// scheduler, and they allocate nothing.

func ptraceCall(request, tid int, addr, data uintptr) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), addr, data, 0, 0)
	return errno
}

// seize attaches without stopping. It alone may sleep, see rescue, and so informs the scheduler.
// It sets no option, least of all PTRACE_O_EXITKILL, which would kill the target when we die.
func seize(tid int) unix.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(tid), 0, 0, 0, 0)
	return errno
}

func interrupt(tid int) unix.Errno { return ptraceCall(unix.PTRACE_INTERRUPT, tid, 0, 0) }

// detach releases a stopped thread, and delivers the signal if it is not 0.
func detach(tid, signal int) unix.Errno {
	return ptraceCall(unix.PTRACE_DETACH, tid, 0, uintptr(signal))
}

// regset copies a stopped thread's register set into b and returns its length.
func regset(tid int, set uintptr, b []byte) (int, unix.Errno) {
	iov := unix.Iovec{Base: &b[0]}
	iov.SetLen(len(b))
	errno := ptraceCall(unix.PTRACE_GETREGSET, tid, set, uintptr(unsafe.Pointer(&iov)))
	return int(iov.Len), errno
}

// codeMask returns a code mask from a stopped thread's struct user_pac_mask: data_mask and
// insn_mask, a u64 each (arch/arm64/include/uapi/asm/ptrace.h). b is the buffer for it. On other
// architectures than arm64, which do not sign pointers, it returns known.
func codeMask(tid int, b []byte, known uint64) uint64 {
	if procfs.HostArch() != task.ARM64 {
		return known
	}
	n, errno := regset(tid, unix.NT_ARM_PAC_MASK, b)
	if errno != 0 || n < 16 {
		return known
	}
	return arm64CodeMask(binary.LittleEndian.Uint64(b[8:]))
}

// childInfo is struct siginfo as waitid fills it on 64-bit systems
// (include/uapi/asm-generic/siginfo.h, _sigchld).
type childInfo struct {
	signo, errno, code, _ int32
	pid                   int32
	uid                   uint32
	status                int32
	_                     [100]byte
}

// The values of code (include/uapi/asm-generic/siginfo.h).
const (
	cldExited = 1
	cldDumped = 3
)

// ended reports whether the thread has ended, by itself or killed.
func (c *childInfo) ended() bool { return c.code >= cldExited && c.code <= cldDumped }

// signal returns the signal that a thread stopped to deliver, 0 when it stopped for another
// reason. The status is the signal, with a PTRACE_EVENT in the bits above it.
func (c *childInfo) signal() int {
	if c.status>>8 != 0 {
		return 0
	}
	return int(c.status & 0x7f)
}

// groupStopped reports whether a thread that was ordered to stop is in a group-stop, like its
// whole process. It then reports the signal of that stop instead of SIGTRAP (do_jobctl_trap,
// kernel/signal.c).
func (c *childInfo) groupStopped() bool {
	return c.status>>8 == unix.PTRACE_EVENT_STOP && c.status&0x7f != int32(unix.SIGTRAP)
}

// checkStop checks, without waiting, whether a traced thread has stopped or ended; info.pid is 0
// if it has not. It does not consume the stop or reap the zombie (WNOWAIT).
func checkStop(tid int, info *childInfo) unix.Errno {
	return waitid(tid, info, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT)
}

// checkAnyStop finds a stopped thread among those that the calling thread traces; info.pid is 0
// if there is none. Like checkStop it does not consume the stop. It also finds children of the
// calling thread that someone has stopped.
func checkAnyStop(info *childInfo) unix.Errno {
	return wait(unix.P_ALL, 0, info, unix.WSTOPPED|unix.WNOWAIT|unix.WNOTHREAD)
}

// consume consumes a stop, so that later waits do not find it again. This also clears the signal
// that the thread would deliver (wait_task_stopped, kernel/exit.c), so consume must not be
// called for a thread that stopped to deliver one.
func consume(tid int, info *childInfo) unix.Errno { return waitid(tid, info, unix.WSTOPPED) }

// reap reaps a traced thread that has ended, which stays a zombie until then. It must not be
// called for a stopped thread: it would consume the stop, and no later wait would find it,
// because the kernel reports stops to a tracer whichever events the wait is for
// (wait_task_stopped, kernel/exit.c).
func reap(tid int, info *childInfo) unix.Errno { return waitid(tid, info, unix.WEXITED) }

func waitid(tid int, info *childInfo, options int) unix.Errno {
	return wait(unix.P_PID, tid, info, options)
}

func wait(which, id int, info *childInfo, options int) unix.Errno {
	return waitFor(which, id, info, options|unix.WNOHANG)
}

// await is like wait, but blocks until there is something to report, or returns EINTR at a
// signal. It does not consume the stop (WNOWAIT).
func await(which, id int, info *childInfo, options int) unix.Errno {
	return waitFor(which, id, info, options|unix.WNOWAIT)
}

func waitFor(which, id int, info *childInfo, options int) unix.Errno {
	info.pid, info.code = 0, 0
	_, _, errno := unix.RawSyscall6(unix.SYS_WAITID, uintptr(which), uintptr(id),
		uintptr(unsafe.Pointer(info)), uintptr(options|unix.WALL), 0, 0)
	return errno
}

// nap sleeps for d, at most a millisecond. It returns EINTR if a signal ends it earlier.
func nap(d time.Duration) unix.Errno {
	ts := unix.NsecToTimespec(int64(d))
	_, _, errno := unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	return errno
}

// pause sleeps for d. It informs the scheduler, which costs little compared with the sleep.
func pause(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.Syscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}
