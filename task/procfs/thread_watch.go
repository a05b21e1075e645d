//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// watch has the files of one thread open. They stay bound to this thread.
type watch struct {
	call, status, schedule int
	buf                    []byte

	last         task.Counters
	lastSchedule []byte // the schedstat text when last was read
	stopped      bool   // by a signal or a debugger, when last was read
}

// The room for a file of a thread. Status lists groups, before the counters.
const (
	threadFile = 2 << 10
	maxFile    = 16 << 10
)

// WatchThread implements [task.ActivityReader]. The watch may be used from any
// goroutine, and after Close of the process.
func (p *Process) WatchThread(id task.ThreadID) (task.ThreadWatch, error) {
	dir, err := openDirAt(p.Files.Dir.fd, strconv.Itoa(int(id)))
	if err != nil {
		return nil, task.ErrThreadGone
	}
	defer dir.Close()
	w := &watch{call: -1, status: -1, schedule: -1}
	for _, f := range []struct {
		name string
		fd   *int
	}{{"syscall", &w.call}, {"status", &w.status}, {"schedstat", &w.schedule}} {
		if *f.fd, err = dir.open(f.name); err != nil && f.fd != &w.schedule {
			_ = w.Close()
			return nil, fmt.Errorf("watch thread %d: open %s: %w", id, f.name, err)
		}
	}
	return w, nil
}

// Observe implements [task.ThreadWatch]. Whether the thread is stopped is known from the last
// call of Counters: a thread has to be scheduled in to be stopped.
func (w *watch) Observe() (task.ThreadActivity, error) {
	b, err := w.read(w.call)
	if err != nil {
		return task.ThreadActivity{}, err
	}
	c, err := ParseSyscall(b)
	g := task.ThreadActivity{Call: c, State: task.Sleeping}
	switch {
	case c.State == task.OnProcessor:
		g.State = task.Running
	case w.stopped:
		g.State = task.Stopped
	}
	return g, err
}

// Counters implements [task.ThreadWatch]. A thread that has not been scheduled in since the last
// call has not begun to wait either, so the status file, which is long, is not read again.
func (w *watch) Counters() (task.Counters, error) {
	if w.schedule >= 0 {
		b, err := w.read(w.schedule)
		if err != nil {
			return task.Counters{}, err
		}
		if w.last.HasSleeps && bytes.Equal(b, w.lastSchedule) {
			return w.last, nil
		}
		w.lastSchedule = append(w.lastSchedule[:0], b...)
		w.last.CPU, w.last.Queued = schedule(b)
	}
	w.last.HasSleeps = false
	b, err := w.read(w.status)
	if err != nil {
		return task.Counters{}, err
	}
	sleeps, digits := number(statusValue(b, "voluntary_ctxt_switches:"), 10)
	w.last.Sleeps, w.last.HasSleeps = sleeps, digits > 0
	w.stopped = isStopped(statusValue(b, "State:"))
	return w.last, nil
}

// isStopped parses the state in a status file: a letter and a word.
func isStopped(state []byte) bool {
	return len(state) > 0 && threadState(state[0]) == task.Stopped
}

// read reads a file from its start. The kernel produces it at once, so the call bypasses the
// scheduler, whose monitor thread it would wake.
func (w *watch) read(fd int) ([]byte, error) {
	if w.buf == nil {
		w.buf = make([]byte, threadFile)
	}
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&w.buf[0])), uintptr(len(w.buf)), 0, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno == unix.ESRCH, errno == 0 && n == 0:
			return nil, task.ErrThreadGone
		case errno != 0:
			return nil, fmt.Errorf("watch: %w", errno)
		case int(n) == len(w.buf) && n < maxFile:
			w.buf = make([]byte, maxFile)
		default:
			return w.buf[:n], nil
		}
	}
}

// Close implements [task.ThreadWatch].
func (w *watch) Close() error {
	for _, fd := range []*int{&w.call, &w.status, &w.schedule} {
		closeFD(*fd)
		*fd = -1
	}
	return nil
}

// WokenOtherwise implements [task.Capabilities].WokenOtherwise. If all threads wait for futexes
// with a private key, only the following can wake one:
//
//   - FUTEX_WAKE and the like, by a thread with the same memory: none runs. (A process made by clone
//     with only CLONE_VM shares the memory, too; this is not checked.)
//   - the end of a thread, by its clear_child_tid or its list of robust mutexes: a thread that waits
//     does not end.
//   - io_uring, by IORING_OP_FUTEX_WAKE.
//   - the handler of a signal. A timer of the process or a child that ends can send one, too.
//
// A handler of a fault or of an abort runs because of what the thread itself does, and a thread
// that waits does nothing.
func (p *Process) WokenOtherwise() bool {
	status, err := p.live.read("status")
	caught, digits := number(statusValue(status, "SigCgt:"), 16)
	return err != nil || digits == 0 || caught&^ofFaults != 0 || p.hasRing()
}

// ofFaults are the signals of faults, and the two that the C library handles itself, for
// pthread_cancel and setuid.
const ofFaults = 1<<(unix.SIGILL-1) | 1<<(unix.SIGTRAP-1) | 1<<(unix.SIGABRT-1) | 1<<(unix.SIGBUS-1) |
	1<<(unix.SIGFPE-1) | 1<<(unix.SIGSEGV-1) | 1<<(unix.SIGSYS-1) | 1<<(32-1) | 1<<(33-1)

// hasRing reports whether the process may have an io_uring instance open.
func (p *Process) hasRing() bool {
	links, all := p.descriptorLinks()
	return !all || slices.Contains(links, "anon_inode:[io_uring]")
}
