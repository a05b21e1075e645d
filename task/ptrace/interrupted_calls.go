package ptrace

import "stacksnap/task"

// endingCall is a system call that a stop may end for good although no signal came.
type endingCall struct {
	name string
	// The call's numbers. 0 means that the architecture has no such call, except for read on
	// amd64.
	amd64, i386, arm64, arm int
	on                      endsWhen
}

// endsWhen is the condition under which a stop ends a call.
type endsWhen uint8

const (
	always   endsWhen = iota // also where the condition cannot be seen from outside
	ofSocket                 // if the first argument is a socket
	ofEither                 // if the first or third argument is a socket
	ofIPC                    // if the first argument is SEMOP or SEMTIMEDOP (include/uapi/linux/ipc.h)
)

// endingCalls are the calls of signal(7), "Interruption of system calls and library functions by
// stop signals", and the others that the kernel ends with EINTR at a stop: every call that reads
// or writes a socket with a time limit (sock_intr_errno, include/net/sock.h; whether a socket
// has one cannot be seen from outside), io_getevents and io_uring_enter. A close that lingers
// ends early, with success (sk_stream_wait_close, net/core/stream.c), and its descriptor is
// already gone. The numbers are those of the kernel's arch/x86/entry/syscalls/syscall_64.tbl and
// syscall_32.tbl, scripts/syscall.tbl and arch/arm/tools/syscall.tbl.
var endingCalls = [...]endingCall{
	{"epoll_wait", 232, 256, 0, 252, always},
	{"epoll_pwait", 281, 319, 22, 346, always},
	{"epoll_pwait2", 441, 441, 441, 441, always},
	{"semop", 65, 0, 193, 298, always},
	{"semtimedop", 220, 0, 192, 312, always},
	{"semtimedop_time64", 0, 420, 0, 420, always},
	{"ipc", 0, 117, 0, 0, ofIPC},
	{"rt_sigtimedwait", 128, 177, 137, 177, always},
	{"rt_sigtimedwait_time64", 0, 421, 0, 421, always},
	{"io_getevents", 208, 247, 4, 245, always},
	{"io_uring_enter", 426, 426, 426, 426, always},
	{"socketcall", 0, 102, 0, 0, always}, // all of its calls that wait end
	{"accept", 43, 0, 202, 285, always},
	{"accept4", 288, 364, 242, 366, always},
	{"connect", 42, 362, 203, 283, always},
	{"recv", 0, 0, 0, 291, always},
	{"recvfrom", 45, 371, 207, 292, always},
	{"recvmsg", 47, 372, 212, 297, always},
	{"recvmmsg", 299, 337, 243, 365, always},
	{"recvmmsg_time64", 0, 417, 0, 417, always},
	{"send", 0, 0, 0, 289, always},
	{"sendto", 44, 369, 206, 290, always},
	{"sendmsg", 46, 370, 211, 296, always},
	{"sendmmsg", 307, 345, 269, 374, always},
	{"read", 0, 3, 63, 3, ofSocket},
	{"readv", 19, 145, 65, 145, ofSocket},
	{"preadv2", 327, 378, 286, 392, ofSocket},
	{"write", 1, 4, 64, 4, ofSocket},
	{"writev", 20, 146, 66, 146, ofSocket},
	{"pwritev2", 328, 379, 287, 393, ofSocket},
	{"sendfile", 40, 187, 71, 187, ofSocket},
	{"sendfile64", 0, 239, 0, 239, ofSocket},
	{"splice", 275, 313, 76, 340, ofEither},
	{"close", 3, 6, 57, 6, always},
}

// number returns a call's number; false where the architecture has none.
func (c *endingCall) number(a task.Arch) (int, bool) {
	switch a {
	case task.AMD64:
		return c.amd64, c.amd64 != 0 || c.name == "read"
	case task.I386:
		return c.i386, c.i386 != 0
	case task.ARM:
		return c.arm, c.arm != 0
	case task.ARM64:
		return c.arm64, c.arm64 != 0
	}
	return 0, false
}

// endsAtStop reports whether a stop may end a call for good.
func endsAtStop(a task.Arch, call *task.Syscall, isSocket func(fd int) bool) bool {
	for i := range endingCalls {
		c := &endingCalls[i]
		if n, has := c.number(a); has && n == call.Number {
			return c.ends(call, isSocket)
		}
	}
	return false
}

func (c *endingCall) ends(call *task.Syscall, isSocket func(fd int) bool) bool {
	const semop, semtimedop = 1, 4
	descriptor := func(i int) int { return int(int32(call.Args[i])) }
	switch c.on {
	case ofSocket:
		return isSocket(descriptor(0))
	case ofEither:
		return isSocket(descriptor(0)) || isSocket(descriptor(2))
	case ofIPC: // the higher bits are a version
		n := call.Args[0] & 0xffff
		return n == semop || n == semtimedop
	}
	return true
}
