//go:build linux

package procfs

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// Memory reads the target's memory by process_vm_readv or, if that is refused (an old kernel, a
// seccomp filter), through /proc/PID/mem. That file stays bound to the program for which it was
// opened: after an exec it is empty.
type Memory struct {
	TID    int // a thread of the process that has the memory
	file   int // /proc/PID/mem; −1: could not be opened
	ByFile bool
	faults faultStore
	pages  residency
	until  time.Time    // reads that would take longer end early; zero: no limit
	Chunk  int          // bytes read at a time while until is set
	vfork  *vforkMemory // nil: the memory is the process's own
}

// usualChunk is how much is copied between two checks of the time, and at least in all. Reads
// may be shorter where pages are missing.
const usualChunk = 128 << 10

// LimitUntil sets a deadline for all reads from now on: a read that would last beyond t is cut short,
// but not before Chunk bytes. The zero time removes the deadline.
func (m *Memory) LimitUntil(t time.Time) { m.until = t }

// Borrowed reports whether the memory belongs to the process's parent, as it does after vfork
// until exec.
func (m *Memory) Borrowed() bool { return m.vfork != nil }

// ReadMemory implements [task.Memory].
func (m *Memory) ReadMemory(b []byte, a task.Addr) (int, error) {
	n, errno := m.copy(b, a)
	if n == len(b) {
		return n, nil
	}
	return n, m.faults.next(a+task.Addr(n), errno)
}

// copy reads from a on until b is full or something is not readable. errno says why it ended
// early.
func (m *Memory) copy(b []byte, a task.Addr) (n int, errno unix.Errno) {
	for n < len(b) {
		part := b[n:]
		if !m.until.IsZero() {
			if n >= m.Chunk && time.Now().After(m.until) {
				return n, errnoOverTime
			}
			part = part[:min(len(part), m.Chunk)]
		}
		k, errno := m.read(part, a+task.Addr(n))
		if k == 0 {
			return n, errno
		}
		n += k
	}
	return n, 0
}

// read makes one read call. It returns 0 only with an error.
func (m *Memory) read(b []byte, a task.Addr) (int, unix.Errno) {
	if above := -uint64(a); above != 0 && uint64(len(b)) > above {
		b = b[:above] // the address space ends there
	}
	length, state := m.pages.extent(a, len(b))
	b = b[:length]
	switch state {
	case pageAbsent:
		return m.pages.read(m.TID, m.file, b, a)
	case pageGuard:
		return 0, errnoGuard
	}
	if !m.ByFile {
		n, errno := vmRead(m.TID, b, a)
		switch {
		case n > 0:
			return n, 0
		case errno == unix.EPERM || errno == unix.ENOSYS:
			m.ByFile = true
		case errno != unix.ESRCH:
			return 0, errno
		}
	}
	return readFile(m.file, b, a)
}

// vmRead copies the readable pages from a on: when a later page of the range cannot be read,
// process_vm_readv returns what it has copied before (process_vm_rw_core,
// mm/process_vm_access.c).
func vmRead(tid int, b []byte, a task.Addr) (int, unix.Errno) {
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	remote := unix.RemoteIovec{Base: uintptr(a), Len: len(b)}
	n, _, errno := unix.Syscall6(unix.SYS_PROCESS_VM_READV, uintptr(tid),
		uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), orFault(int(n))
}

// readFile reads through /proc/PID/mem. If that returns no bytes and no error, the memory no
// longer exists (mem_rw, fs/proc/base.c).
func readFile(file int, b []byte, a task.Addr) (int, unix.Errno) {
	if file < 0 {
		return 0, unix.EPERM
	}
	n, _, errno := unix.Syscall6(unix.SYS_PREAD64, uintptr(file),
		uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(a), 0, 0)
	switch {
	case errno != 0:
		return 0, errno
	case n == 0:
		return 0, unix.ESRCH
	}
	return int(n), 0
}

func orFault(n int) unix.Errno {
	if n == 0 {
		return unix.EFAULT
	}
	return 0
}

// Replaced reports whether the program whose memory was opened no longer exists: the process has
// ended or called exec. This needs no mapped address.
func (m *Memory) Replaced() bool {
	if m.vfork != nil && m.vfork.isOver() {
		return true
	}
	if m.file < 0 {
		return false
	}
	var b [1]byte
	_, errno := readFile(m.file, b[:], pageStart)
	return errno == unix.ESRCH
}

// pageStart is an arbitrary address. 0 would do, but some files give offset 0 a special meaning.
const pageStart = 0x1000

// faultStore hands out errors that were allocated in advance, so that a fault during a stop
// allocates nothing.
type faultStore struct{ free []task.FaultError }

const faultsAhead = 64

// refill allocates errors. It is called while the target runs.
func (s *faultStore) refill() {
	if len(s.free) < faultsAhead {
		s.free = make([]task.FaultError, 2*faultsAhead)
	}
}

func reasonOf(errno unix.Errno) error {
	switch errno {
	case errnoBlocks:
		return ErrBlocks
	case errnoOverTime:
		return ErrOverTime
	case errnoStarved:
		return errStarved
	case errnoGuard:
		return unix.EFAULT
	}
	return errno
}

// next returns a separate error for each call. It allocates only when the store is empty.
func (s *faultStore) next(a task.Addr, errno unix.Errno) *task.FaultError {
	if len(s.free) == 0 {
		return &task.FaultError{Addr: a, Err: reasonOf(errno)}
	}
	f := &s.free[0]
	s.free = s.free[1:]
	f.Addr, f.Err = a, reasonOf(errno)
	return f
}
