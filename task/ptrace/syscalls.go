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

// The calls made while the target is stopped. They cannot block, so they go to the
// kernel without telling Go's scheduler, and they allocate nothing.

func ptraceCall(request, tid int, addr, data uintptr) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), addr, data, 0, 0)
	return errno
}

// seize attaches without stopping. It alone may sleep, see rescue, and so tells
// the scheduler. No option is set: least of all
// PTRACE_O_EXITKILL, by which our death would be the target's.
func seize(tid int) unix.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(tid), 0, 0, 0, 0)
	return errno
}

func interrupt(tid int) unix.Errno { return ptraceCall(unix.PTRACE_INTERRUPT, tid, 0, 0) }

// detach lets a stopped thread go on, with a signal delivered when it is not 0.
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

// codeMask asks a stopped thread for its struct user_pac_mask: data_mask and
// insn_mask, u64 each (arch/arm64/include/uapi/asm/ptrace.h). b is room for it. Others than
// arm64 sign no pointers.
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

// signal returns the signal that a thread stopped to deliver, 0 when it stopped
// for another reason: status is the signal, above it a PTRACE_EVENT.
func (c *childInfo) signal() int {
	if c.status>>8 != 0 {
		return 0
	}
	return int(c.status & 0x7f)
}

// groupStopped reports whether a thread that was told to stop was stopped by a signal, as
// its whole process is: it then reports that signal instead of SIGTRAP
// (do_jobctl_trap, kernel/signal.c).
func (c *childInfo) groupStopped() bool {
	return c.status>>8 == unix.PTRACE_EVENT_STOP && c.status&0x7f != int32(unix.SIGTRAP)
}

// checkStop asks, without waiting, whether a traced thread has stopped or ended; info.pid is 0
// when neither. It leaves the stop, or the zombie, as it is.
func checkStop(tid int, info *childInfo) unix.Errno {
	return waitid(tid, info, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT)
}

// checkAnyStop finds one of the threads that the calling one traces which has stopped,
// as checkStop does; info.pid is 0 when none has. The calling thread's own children
// are among them, if someone has stopped them.
func checkAnyStop(info *childInfo) unix.Errno {
	return wait(unix.P_ALL, 0, info, unix.WSTOPPED|unix.WNOWAIT|unix.WNOTHREAD)
}

// consume has a stop that was found not be found again. It clears what the thread would
// deliver (wait_task_stopped, kernel/exit.c), so it is not for one that stopped to.
func consume(tid int, info *childInfo) unix.Errno { return waitid(tid, info, unix.WSTOPPED) }

// reap consumes the end of a traced thread, which stays a zombie until then. Of a stopped one it would
// take away the stop, so that nobody ever finds it: the kernel tells a tracer of
// stops whatever it asks for (wait_task_stopped, kernel/exit.c).
func reap(tid int, info *childInfo) unix.Errno { return waitid(tid, info, unix.WEXITED) }

func waitid(tid int, info *childInfo, options int) unix.Errno {
	return wait(unix.P_PID, tid, info, options)
}

func wait(which, id int, info *childInfo, options int) unix.Errno {
	return waitFor(which, id, info, options|unix.WNOHANG)
}

// await is as wait, and sleeps until there is something or a signal comes. It
// leaves what it finds as it is.
func await(which, id int, info *childInfo, options int) unix.Errno {
	return waitFor(which, id, info, options|unix.WNOWAIT)
}

func waitFor(which, id int, info *childInfo, options int) unix.Errno {
	info.pid, info.code = 0, 0
	_, _, errno := unix.RawSyscall6(unix.SYS_WAITID, uintptr(which), uintptr(id),
		uintptr(unsafe.Pointer(info)), uintptr(options|unix.WALL), 0, 0)
	return errno
}

// nap sleeps for at most a millisecond, less when a signal comes: then it
// returns EINTR.
func nap(d time.Duration) unix.Errno {
	ts := unix.NsecToTimespec(int64(d))
	_, _, errno := unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	return errno
}

// pause sleeps. It tells the scheduler, which costs little beside the sleep.
func pause(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.Syscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}
