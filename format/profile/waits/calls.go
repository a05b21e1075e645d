package waits

import (
	"sync"

	"stacksnap/task"
)

// Call is a system call in which threads wait.
type Call struct {
	Name string
	callRow
}

// callRow is what the tables have on a call, by its name.
type callRow struct {
	idleness idleness
	shape    shape
}

// Idle reports whether a thread of a run loop that waits in the call is idle. It is not if
// it sends a message, or waits for the reply to one.
func (c callRow) Idle(args [6]uint64) bool {
	return c.idleness >= polling && (!shapes[c.shape].isMessage || args[1]&(sendMessage|syncWait) == 0)
}

// Lookup returns what the table has on a system call; false if it has no row.
func Lookup(os task.OS, arch task.Arch, number int) (Call, bool) {
	switch {
	case os == task.Darwin:
		return darwinCall(number)
	case os == task.Linux:
		return byName(linuxName(arch, number))
	}
	return Call{}, false
}

// byName returns the row of a Linux call, or of the C function of that name.
func byName(name string) (Call, bool) {
	row, ok := linuxCalls()[name]
	if !ok {
		return Call{}, false
	}
	return Call{name, row}, true
}

// RestartSyscall is the name of the call by which Linux continues an interrupted call with
// a timeout. A snapshot interrupts such calls.
const RestartSyscall = "restart_syscall"

// linuxCalls are the calls of Linux that can take long, by name.
var linuxCalls = sync.OnceValue(func() map[string]callRow {
	return map[string]callRow{
		"read": {busy, input}, "write": {busy, output},
		"readv": {busy, input}, "writev": {busy, output},
		"pread64": {busy, descriptor}, "pwrite64": {busy, descriptor},
		"recvfrom": {busy, input}, "recvmsg": {busy, input},
		"recvmmsg": {busy, input}, "sendto": {busy, output},
		"sendmsg": {busy, output}, "sendmmsg": {busy, output},
		"accept": {parked, descriptor}, "accept4": {parked, descriptor},
		"connect": {busy, descriptor}, "flock": {busy, fileLock},
		"fcntl": {busy, fdControl}, "fsync": {busy, descriptor},
		"sync": {busy, plain}, "syncfs": {busy, descriptor}, "msync": {busy, plain}, "sync_file_range": {busy, descriptor},
		"fdatasync": {busy, descriptor}, "ioctl": {busy, descriptor},
		"splice": {busy, descriptor}, "sendfile": {busy, descriptor},
		"open": {busy, openedPath}, "openat": {busy, openedAt}, "close": {busy, descriptor},
		"epoll_wait": {idle, epoll}, "epoll_pwait": {idle, epoll},
		"epoll_pwait2": {idle, epoll},
		"poll":         {polling, pollSet}, "ppoll": {polling, pollSet},
		"select": {polling, plain}, "pselect6": {polling, plain},
		"nanosleep": {parked, plain}, "clock_nanosleep": {parked, plain},
		"wait4": {busy, child}, "waitid": {busy, childID},
		"futex": {parked, futex}, "futex_wait": {parked, wordOnly},
		"futex_waitv": {parked, plain},
		"pause":       {idle, plain}, "rt_sigsuspend": {idle, plain},
		"rt_sigtimedwait": {polling, plain},
		"msgrcv":          {busy, plain}, "msgsnd": {busy, plain},
		"semop": {busy, plain}, "semtimedop": {busy, plain},
		"mq_timedreceive": {busy, descriptor}, "mq_timedsend": {busy, descriptor},
		"io_uring_enter": {idle, descriptor}, "io_getevents": {idle, plain},
		"io_pgetevents": {idle, plain},
		"vfork":         {busy, vfork}, "clone": {busy, clone}, "clone3": {busy, clone3},
		RestartSyscall: {busy, plain},
	}
})

// linuxNumbers has the names of calls by their numbers, of each architecture. There are none for ARM yet.
var linuxNumbers = [task.NumArchs][]string{
	task.AMD64: amd64Numbers, task.ARM64: arm64Numbers, task.I386: i386Numbers, task.ARM: {},
}

// linuxName returns the name of the call with a number; empty if it has no row.
func linuxName(arch task.Arch, number int) string {
	if arch >= task.NumArchs || number < 0 || number >= len(linuxNumbers[arch]) {
		return ""
	}
	return linuxNumbers[arch][number]
}

// amd64Numbers are the numbers in arch/x86/entry/syscalls/syscall_64.tbl.
var amd64Numbers = []string{
	0: "read", 1: "write", 2: "open", 3: "close", 7: "poll", 16: "ioctl", 17: "pread64", 18: "pwrite64",
	19: "readv", 20: "writev", 23: "select", 34: "pause", 35: "nanosleep", 40: "sendfile", 42: "connect",
	43: "accept", 44: "sendto", 45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 56: "clone", 58: "vfork", 61: "wait4",
	26: "msync", 65: "semop", 162: "sync", 277: "sync_file_range", 306: "syncfs",
	69: "msgsnd", 70: "msgrcv", 72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync",
	128: "rt_sigtimedwait", 130: "rt_sigsuspend", 202: "futex", 208: "io_getevents", 219: RestartSyscall,
	220: "semtimedop", 230: "clock_nanosleep", 232: "epoll_wait", 242: "mq_timedsend", 243: "mq_timedreceive",
	247: "waitid", 257: "openat", 270: "pselect6", 271: "ppoll", 275: "splice", 281: "epoll_pwait",
	288: "accept4", 299: "recvmmsg", 307: "sendmmsg", 333: "io_pgetevents",
	426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv", 455: "futex_wait",
}

// i386Numbers are the numbers in arch/x86/entry/syscalls/syscall_32.tbl. Calls that differ
// only in the size of a time or offset have the same name.
var i386Numbers = []string{
	36: "sync", 144: "msync", 314: "sync_file_range", 344: "syncfs",
	0: RestartSyscall, 3: "read", 4: "write", 5: "open", 6: "close", 29: "pause", 54: "ioctl", 55: "fcntl",
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

// arm64Numbers are the numbers in include/uapi/asm-generic/unistd.h.
var arm64Numbers = []string{
	4: "io_getevents", 22: "epoll_pwait", 25: "fcntl", 29: "ioctl", 32: "flock", 56: "openat", 57: "close",
	63: "read", 64: "write", 65: "readv", 66: "writev", 67: "pread64", 68: "pwrite64", 71: "sendfile",
	72: "pselect6", 73: "ppoll", 76: "splice", 81: "sync", 82: "fsync", 83: "fdatasync", 84: "sync_file_range", 227: "msync", 267: "syncfs", 95: "waitid", 98: "futex",
	101: "nanosleep", 115: "clock_nanosleep", 128: RestartSyscall, 133: "rt_sigsuspend",
	137: "rt_sigtimedwait", 182: "mq_timedsend", 183: "mq_timedreceive", 188: "msgrcv", 189: "msgsnd",
	192: "semtimedop", 193: "semop", 202: "accept", 203: "connect", 206: "sendto", 207: "recvfrom",
	211: "sendmsg", 212: "recvmsg", 220: "clone", 242: "accept4", 243: "recvmmsg", 260: "wait4",
	269: "sendmmsg", 292: "io_pgetevents", 426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv", 455: "futex_wait",
}
