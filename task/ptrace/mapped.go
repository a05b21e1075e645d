//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
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

// procmapQueryCall is PROCMAP_QUERY, _IOWR('f', 17, struct procmap_query).
const procmapQueryCall = 3<<30 | uint32(unsafe.Sizeof(procmapQuery{}))<<16 | 'f'<<8 | 17

// MappedAt implements [task.Mapper].
func (p *Process) MappedAt(a task.Addr) (task.Mapping, bool, error) {
	q := &p.query
	*q = procmapQuery{size: uint64(unsafe.Sizeof(*q)), addr: uint64(a)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(p.maps), uintptr(procmapQueryCall), uintptr(unsafe.Pointer(q)))
	switch errno {
	case 0:
		return task.Mapping{
			Base: task.Addr(q.start - q.offset), Inode: q.inode, Dev: unix.Mkdev(q.devMajor, q.devMinor),
		}, true, nil
	case unix.ENOENT:
		return task.Mapping{}, false, nil
	case unix.ESRCH:
		return task.Mapping{}, false, p.exited
	case unix.ENOTTY, unix.EINVAL, unix.ENOSYS:
		return task.Mapping{}, false, fmt.Errorf("PROCMAP_QUERY: %w", task.ErrUnsupported)
	}
	return task.Mapping{}, false, fmt.Errorf("PROCMAP_QUERY: %w", errno)
}
