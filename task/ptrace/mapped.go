//go:build linux && (amd64 || arm64)

package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

var _ task.Mapper = (*Process)(nil)

// procmapQuery is struct procmap_query (include/uapi/linux/fs.h, since Linux 6.11).
type procmapQuery struct {
	size, flags, addr uint64
	start, end        uint64
	vmaFlags          uint64
	pageSize          uint64
	offset            uint64
	inode             uint64
	devMajor          uint32
	devMinor          uint32
	nameSize          uint32
	buildIDSize       uint32
	nameAddr          uint64
	buildIDAddr       uint64
}

const (
	// procmapQueryCall is PROCMAP_QUERY, _IOWR('f', 17, struct procmap_query).
	procmapQueryCall = 3<<30 | uint32(unsafe.Sizeof(procmapQuery{}))<<16 | 'f'<<8 | 17
	// queryExecutable is PROCMAP_QUERY_VMA_EXECUTABLE.
	queryExecutable = 4
)

// ask asks about an address through an open maps file.
func (q *procmapQuery) ask(maps int, a task.Addr) unix.Errno {
	*q = procmapQuery{size: uint64(unsafe.Sizeof(*q)), flags: queryExecutable, addr: uint64(a)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(maps), uintptr(procmapQueryCall), uintptr(unsafe.Pointer(q)))
	return errno
}

// answers tells whether the kernel knows the call. Others refuse with ENOTTY, and
// filters of system calls with what they like.
func (q *procmapQuery) answers(maps int) bool {
	switch q.ask(maps, 0) {
	case 0, unix.ENOENT, unix.ESRCH:
		return true
	}
	return false
}

func (q *procmapQuery) mapped() task.Mapped {
	return task.Mapped{Start: task.Addr(q.start), End: task.Addr(q.end), Mapping: task.Mapping{
		Base: task.Addr(q.start - q.offset), Inode: q.inode, Dev: unix.Mkdev(q.devMajor, q.devMinor),
	}}
}

// MappedAt implements [task.Mapper], by a table of all mappings where the kernel
// does not answer for one.
func (p *Process) MappedAt(a task.Addr) (task.Mapped, bool, error) {
	if p.mapped.isUsed {
		return p.mappedInTable(a)
	}
	switch errno := p.query.ask(p.maps, a); errno {
	case 0:
		return p.query.mapped(), true, nil
	case unix.ENOENT:
		return task.Mapped{}, false, nil
	case unix.ESRCH:
		return task.Mapped{}, false, p.exited
	default:
		return task.Mapped{}, false, errno
	}
}

// Renew implements [task.Mapper].
func (p *Process) Renew() { p.mapped.isNew = false }

func (p *Process) mappedInTable(a task.Addr) (task.Mapped, bool, error) {
	t := &p.mapped
	stands := p.suspended || p.reading != readNothing
	if !stands {
		t.makeRoom()
	}
	err := t.renew(p.maps, p.stat)
	for err == errNoRoom && !stands && len(t.buf) < maxProcFile {
		t.makeRoom()
		err = t.renew(p.maps, p.stat)
	}
	switch {
	case err == errNoMemory:
		return task.Mapped{}, false, p.exited
	case err != nil:
		return task.Mapped{}, false, err
	}
	m, found := t.find(a)
	return m, found, nil
}
