package files

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A process that waits for a file system may wait for ever, uninterruptibly. So the
// look-up is made by a copy of this process that has none of its files open, and that
// is abandoned if it does not return.

const (
	probePatience = time.Second     // from the start of the look-up
	startPatience = 5 * time.Second // until it starts: a busy machine may have no processor free
)

// probe reports whether look-ups of both paths, the first of them a mount point,
// return in time. "No such file" counts as a response.
func probe(paths [2]string) bool {
	j, err := newJob(paths)
	if err != nil {
		return false
	}
	var ends [2]int
	if unix.Pipe2(ends[:], unix.O_CLOEXEC) != nil {
		return false
	}
	defer func() { _ = unix.Close(ends[0]) }()
	j.out = uintptr(ends[1])
	pid, errno := forkProbe(j)
	_ = unix.Close(ends[1])
	if errno != 0 {
		return false
	}
	ok := hasByte(ends[0], startPatience) && hasByte(ends[0], probePatience)
	if !ok {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	go reap(pid)
	return ok
}

// hasByte waits for one byte.
func hasByte(fd int, patience time.Duration) bool {
	until := time.Now().Add(patience)
	for {
		left := max(0, time.Until(until))
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left/time.Millisecond)+1)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return false
		}
		var b [1]byte
		n, err = unix.Read(fd, b[:])
		return err == nil && n == 1
	}
}

// reap waits for a child that sends no signal when it ends, so that ordinary waits do
// not see it.
func reap(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, unix.WALL, nil); err != unix.EINTR {
			return
		}
	}
}

// job is the copy's data. The copy does not allocate, as it has only one thread of a
// multi-threaded program.
type job struct {
	paths  [2]*byte
	self   *byte
	out    uintptr
	stat   unix.Stat_t
	statfs unix.Statfs_t
	byte   [1]byte
}

// The file descriptor of the examined file, fixed so that its link in /proc is known.
const (
	probeFD   = 100
	probeLink = "/proc/self/fd/100"
)

func newJob(paths [2]string) (j *job, err error) {
	j = new(job)
	for i, path := range paths {
		if j.paths[i], err = unix.BytePtrFromString(path); err != nil {
			return nil, err
		}
	}
	j.self, err = unix.BytePtrFromString(probeLink)
	return j, err
}

// forkProbe starts the copy with all signals blocked, because their handlers need a
// whole Go program.
func forkProbe(j *job) (pid int, errno syscall.Errno) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return 0, syscall.EINVAL
	}
	pid, errno = fork(j)
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	return pid, errno
}

// fork returns only in the parent.
//
//go:norace
//go:noinline
func fork(j *job) (pid int, errno syscall.Errno) {
	r, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, 0, 0, 0, 0, 0, 0) // 0: no signal when it ends
	if r == 0 && errno == 0 {
		j.run()
	}
	return int(r), errno
}

// run makes the look-ups, in the copy, and ends it.
//
//go:norace
//go:nosplit
//go:noinline
func (j *job) run() {
	syscall.RawSyscall6(syscall.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	syscall.RawSyscall(syscall.SYS_WRITE, j.out, uintptr(unsafe.Pointer(&j.byte)), 1)
	j.closeOthers() // may block too, if something on a silent mount is open
	for i := range j.paths {
		here := unix.AT_FDCWD
		fd, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(here), uintptr(unsafe.Pointer(j.paths[i])), unix.O_PATH|unix.O_CLOEXEC, 0, 0, 0)
		if errno == 0 {
			j.ask(fd)
		}
	}
	syscall.RawSyscall(syscall.SYS_WRITE, j.out, uintptr(unsafe.Pointer(&j.byte)), 1)
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
}

// ask queries the file system of a file, and reads the file.
//
//go:norace
//go:nosplit
func (j *job) ask(fd uintptr) {
	syscall.RawSyscall(syscall.SYS_FSTATFS, fd, uintptr(unsafe.Pointer(&j.statfs)), 0)
	_, _, errno := syscall.RawSyscall(syscall.SYS_FSTAT, fd, uintptr(unsafe.Pointer(&j.stat)), 0)
	if errno != 0 || j.stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	syscall.RawSyscall(syscall.SYS_DUP3, fd, probeFD, unix.O_CLOEXEC)
	here := unix.AT_FDCWD
	file, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(here), uintptr(unsafe.Pointer(j.self)), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0, 0, 0)
	if errno == 0 {
		syscall.RawSyscall6(syscall.SYS_PREAD64, file, uintptr(unsafe.Pointer(&j.byte)), 1, 0, 0, 0)
	}
}

// closeOthers closes everything this program has open except the pipe, which becomes
// descriptor 0: readers of our output wait until nobody has it open.
//
//go:norace
//go:nosplit
func (j *job) closeOthers() {
	syscall.RawSyscall(syscall.SYS_DUP3, j.out, 0, 0)
	j.out = 0
	if _, _, errno := syscall.RawSyscall(unix.SYS_CLOSE_RANGE, 1, maxFD, 0); errno == 0 {
		return
	}
	for fd := uintptr(1); fd < maxClosed; fd++ {
		syscall.RawSyscall(syscall.SYS_CLOSE, fd, 0, 0)
	}
}

const (
	maxFD     = 1<<32 - 1
	maxClosed = 1 << 16 // for kernels without close_range
)
