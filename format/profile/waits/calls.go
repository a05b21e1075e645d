package waits

import "stacksnap/task"

// shape is what the arguments of a call mean.
type shape uint8

const (
	plain          shape = iota
	descriptor           // the first is a file descriptor
	openedPath           // open: path, flags
	openedAt             // openat: the descriptor of a folder, path, flags
	epoll                // that of an epoll instance
	fileLock             // of the descriptor that the first is
	fdControl            // fcntl: descriptor, command
	pollSet              // array of struct pollfd, its length
	child                // wait4: a pid
	childID              // waitid: idtype, id
	futex                // word, operation, expected value
	wordOnly             // the first is the address of something
	psynchMutex          // the first is a pthread_mutex_t
	psynchRW             // the first is a pthread_rwlock_t
	psynchCond           // the first is a pthread_cond_t
	ulock                // operation, word, value
	machMessage          // mach_msg: message, options, …, the port to receive from the fifth
	machMessage2         // mach_msg2: message, options, then fields in pairs
	machSemaphore        // the first is the name of a Mach semaphore
	semaphoreSleep       // __semwait_signal: two semaphores, whether there is a time and it is relative, the time
	waitUntil            // mach_wait_until: an absolute time
	selectSets           // select: how many descriptors, three sets
	workloop             // kevent_id: the workloop, which is a dispatch queue
	vfork                // none
	clone                // flags
	clone3               // struct clone_args
)

// Call is a system call in which threads wait.
type Call struct {
	Name     string
	idleness idleness
	shape    shape
}

// Idle reports whether a thread in the call waits for whatever comes next, if it is one
// of a run loop. One that sends a message, or waits for the answer to one, does not.
func (c Call) Idle(args [6]uint64) bool {
	return c.idleness >= polling && (!c.isMessage() || args[1]&(sendMessage|syncWait) == 0)
}

func (c Call) isMessage() bool { return c.shape == machMessage || c.shape == machMessage2 }

// forks reports whether the call makes a thread or a process. The function of its
// name is the outermost of most threads.
func (c Call) forks() bool { return c.shape == vfork || c.shape == clone || c.shape == clone3 }

// Lookup returns what is known of a system call, false when that is nothing.
func Lookup(os task.OS, arch task.Arch, number int) (Call, bool) {
	var c Call
	var ok bool
	switch {
	case os == task.Darwin:
		c, ok = darwinCall(number)
	case os == task.Linux:
		c, ok = linuxCalls[linuxNumbers[arch][number]]
	}
	return c, ok
}

// byName finds a Linux call by its name, or a C function by that of the call
// behind it.
func byName(name string) (Call, bool) {
	c, ok := linuxCalls[name]
	return c, ok
}

const restartSyscall = "restart_syscall"

// linuxCalls are the calls of Linux that can take long, by name.
var linuxCalls = map[string]Call{
	"read": {"read", busy, descriptor}, "write": {"write", busy, descriptor},
	"readv": {"readv", busy, descriptor}, "writev": {"writev", busy, descriptor},
	"pread64": {"pread64", busy, descriptor}, "pwrite64": {"pwrite64", busy, descriptor},
	"recvfrom": {"recvfrom", busy, descriptor}, "recvmsg": {"recvmsg", busy, descriptor},
	"recvmmsg": {"recvmmsg", busy, descriptor}, "sendto": {"sendto", busy, descriptor},
	"sendmsg": {"sendmsg", busy, descriptor}, "sendmmsg": {"sendmmsg", busy, descriptor},
	"accept": {"accept", parked, descriptor}, "accept4": {"accept4", parked, descriptor},
	"connect": {"connect", busy, descriptor}, "flock": {"flock", busy, fileLock},
	"fcntl": {"fcntl", busy, fdControl}, "fsync": {"fsync", busy, descriptor},
	"fdatasync": {"fdatasync", busy, descriptor}, "ioctl": {"ioctl", busy, descriptor},
	"splice": {"splice", busy, descriptor}, "sendfile": {"sendfile", busy, descriptor},
	"open": {"open", busy, openedPath}, "openat": {"openat", busy, openedAt}, "close": {"close", busy, descriptor},
	"epoll_wait": {"epoll_wait", idle, epoll}, "epoll_pwait": {"epoll_pwait", idle, epoll},
	"epoll_pwait2": {"epoll_pwait2", idle, epoll},
	"poll":         {"poll", polling, pollSet}, "ppoll": {"ppoll", polling, pollSet},
	"select": {"select", polling, plain}, "pselect6": {"pselect6", polling, plain},
	"nanosleep": {"nanosleep", parked, plain}, "clock_nanosleep": {"clock_nanosleep", parked, plain},
	"wait4": {"wait4", busy, child}, "waitid": {"waitid", busy, childID},
	"futex": {"futex", parked, futex}, "futex_wait": {"futex_wait", parked, wordOnly},
	"futex_waitv": {"futex_waitv", parked, plain},
	"pause":       {"pause", idle, plain}, "rt_sigsuspend": {"rt_sigsuspend", idle, plain},
	"rt_sigtimedwait": {"rt_sigtimedwait", polling, plain},
	"msgrcv":          {"msgrcv", busy, plain}, "msgsnd": {"msgsnd", busy, plain},
	"semop": {"semop", busy, plain}, "semtimedop": {"semtimedop", busy, plain},
	"mq_timedreceive": {"mq_timedreceive", busy, descriptor}, "mq_timedsend": {"mq_timedsend", busy, descriptor},
	"io_uring_enter": {"io_uring_enter", idle, descriptor}, "io_getevents": {"io_getevents", idle, plain},
	"io_pgetevents": {"io_pgetevents", idle, plain},
	"vfork":         {"vfork", busy, vfork}, "clone": {"clone", busy, clone}, "clone3": {"clone3", busy, clone3},
	restartSyscall: {restartSyscall, busy, plain},
}

// linuxNumbers has a row for each architecture. Those of ARM are not known yet.
var linuxNumbers = map[task.Arch]map[int]string{
	task.AMD64: amd64Numbers, task.ARM64: arm64Numbers, task.I386: i386Numbers, task.ARM: nil,
}

// amd64Numbers are those of arch/x86/entry/syscalls/syscall_64.tbl.
var amd64Numbers = map[int]string{
	0: "read", 1: "write", 2: "open", 3: "close", 7: "poll", 16: "ioctl", 17: "pread64", 18: "pwrite64",
	19: "readv", 20: "writev", 23: "select", 34: "pause", 35: "nanosleep", 40: "sendfile", 42: "connect",
	43: "accept", 44: "sendto", 45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 56: "clone", 58: "vfork", 61: "wait4",
	65: "semop",
	69: "msgsnd", 70: "msgrcv", 72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync",
	128: "rt_sigtimedwait", 130: "rt_sigsuspend", 202: "futex", 208: "io_getevents", 219: restartSyscall,
	220: "semtimedop", 230: "clock_nanosleep", 232: "epoll_wait", 242: "mq_timedsend", 243: "mq_timedreceive",
	247: "waitid", 257: "openat", 270: "pselect6", 271: "ppoll", 275: "splice", 281: "epoll_pwait",
	288: "accept4", 299: "recvmmsg", 307: "sendmmsg", 333: "io_pgetevents",
	426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv", 455: "futex_wait",
}

// i386Numbers are those of arch/x86/entry/syscalls/syscall_32.tbl. Calls that
// differ in the size of a time or an offset alone go by one name.
var i386Numbers = map[int]string{
	0: restartSyscall, 3: "read", 4: "write", 5: "open", 6: "close", 29: "pause", 54: "ioctl", 55: "fcntl",
	82: "select", 114: "wait4", 118: "fsync", 120: "clone", 142: "select", 143: "flock", 145: "readv",
	146: "writev", 148: "fdatasync", 162: "nanosleep", 168: "poll", 177: "rt_sigtimedwait",
	179: "rt_sigsuspend", 180: "pread64", 181: "pwrite64", 187: "sendfile", 190: "vfork", 221: "fcntl",
	239: "sendfile", 240: "futex", 247: "io_getevents", 256: "epoll_wait", 267: "clock_nanosleep",
	279: "mq_timedsend", 280: "mq_timedreceive", 284: "waitid", 295: "openat", 308: "pselect6",
	309: "ppoll", 313: "splice", 319: "epoll_pwait", 337: "recvmmsg", 345: "sendmmsg", 362: "connect",
	364: "accept4", 369: "sendto", 370: "sendmsg", 371: "recvfrom", 372: "recvmsg", 385: "io_pgetevents", 400: "msgsnd",
	401: "msgrcv", 407: "clock_nanosleep", 413: "pselect6", 414: "ppoll", 416: "io_pgetevents", 417: "recvmmsg",
	418: "mq_timedsend", 419: "mq_timedreceive", 420: "semtimedop", 421: "rt_sigtimedwait", 422: "futex",
	426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv", 455: "futex_wait",
}

// arm64Numbers are those of include/uapi/asm-generic/unistd.h.
var arm64Numbers = map[int]string{
	4: "io_getevents", 22: "epoll_pwait", 25: "fcntl", 29: "ioctl", 32: "flock", 56: "openat", 57: "close",
	63: "read", 64: "write", 65: "readv", 66: "writev", 67: "pread64", 68: "pwrite64", 71: "sendfile",
	72: "pselect6", 73: "ppoll", 76: "splice", 82: "fsync", 83: "fdatasync", 95: "waitid", 98: "futex",
	101: "nanosleep", 115: "clock_nanosleep", 128: restartSyscall, 133: "rt_sigsuspend",
	137: "rt_sigtimedwait", 182: "mq_timedsend", 183: "mq_timedreceive", 188: "msgrcv", 189: "msgsnd",
	192: "semtimedop", 193: "semop", 202: "accept", 203: "connect", 206: "sendto", 207: "recvfrom",
	211: "sendmsg", 212: "recvmsg", 220: "clone", 242: "accept4", 243: "recvmmsg", 260: "wait4",
	269: "sendmmsg", 292: "io_pgetevents", 426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv", 455: "futex_wait",
}
