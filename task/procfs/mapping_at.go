//go:build linux

package procfs

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

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

// ask queries the mapping at an address through an open maps file.
func (q *procmapQuery) ask(maps int, a task.Addr) unix.Errno {
	*q = procmapQuery{size: uint64(unsafe.Sizeof(*q)), flags: queryExecutable, addr: uint64(a)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(maps), uintptr(procmapQueryCall), uintptr(unsafe.Pointer(q)))
	return errno
}

// answers reports whether the kernel supports the call. Other kernels refuse with ENOTTY, and
// seccomp filters with any error.
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

// MappingAt returns the executable mapping that contains an address, false if there is none. If
// the kernel cannot report a single mapping, a table of all mappings is used. If stopped is set
// and the table has no room for all of them, that is an error.
func (p *Process) MappingAt(a task.Addr, stopped bool) (task.Mapped, bool, error) {
	if p.table.isUsed {
		return p.mappingInTable(a, stopped)
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

// Renew implements [task.MapReader].
func (p *Process) Renew() { p.table.isNew = false }

func (p *Process) mappingInTable(a task.Addr, stopped bool) (task.Mapped, bool, error) {
	t := &p.table
	if !stopped {
		t.makeRoom()
	}
	err := t.renew(p.maps, p.stat)
	for err == errNoRoom && !stopped && len(t.buf) < maxProcFile {
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

var (
	errNoRoom   = errors.New("/proc/PID/maps is longer than the room made for it")
	errNoMemory = errors.New("/proc/PID/maps is empty")
)

// mapTable is the executable mappings, for kernels without PROCMAP_QUERY. It is read again only
// when the process has had a page fault since: pages that were mapped since cannot be executed
// without one. The kernel counts a fault for the thread that has it before that thread goes on
// (mm_account_fault, mm/memory.c; before Linux 5.9 the architecture's fault handler). It also
// counts those of MAP_POPULATE and mlockall, which fault the pages in for the calling thread
// (faultin_page, mm/gup.c). A fault may bring in neighbouring pages (do_fault_around,
// mm/memory.c) or a huge page, but the first of them is at least one fault. Two cases are not
// seen: a mapping that mremap moves with its pages, and faults that another process has in place
// of this one, such as a debugger that reads the pages, or a process that shares the memory but
// is not among its threads. After either, a library that the loader relocates has faults of its
// own before it runs.
type mapTable struct {
	isUsed bool
	isNew  bool // not older than the last Renew
	isKey  bool // faults is the count for all: there was no fault while it was read
	faults uint64
	all    []task.Mapped
	buf    []byte
	short  bool // buf, or the capacity of all, was too small
	stat   [1024]byte
}

const (
	firstMaps   = 64 << 10 // first size of the buffer for the file, in bytes
	bytesEach   = 64       // size of a short line with a path: determines the capacity for lines
	roomFor     = 2        // the capacity is this many times what was needed last
	mapsMinimum = 8 << 10  // with fewer free bytes the buffer is enlarged
)

// makeRoom enlarges the buffers. It is called while the target runs.
func (t *mapTable) makeRoom() {
	if t.buf != nil && !t.short {
		return
	}
	t.short = false
	size := min(max(firstMaps, roomFor*len(t.buf)), maxProcFile)
	t.buf = make([]byte, size)
	t.all = slices.Grow(t.all[:0], size/bytesEach)
	t.isKey, t.isNew = false, false
}

// renew updates the table to the present, or to a moment after which no newly mapped code can
// have been executed.
func (t *mapTable) renew(maps, stat int) error {
	if t.isNew {
		return nil
	}
	before, ok := t.countFaults(stat)
	if ok && t.isKey && before == t.faults {
		t.isNew = true
		return nil
	}
	if err := t.read(maps); err != nil {
		t.isKey = false
		return err
	}
	after, _ := t.countFaults(stat)
	t.faults, t.isKey, t.isNew = after, ok && before == after, true
	return nil
}

// read reads the executable mappings from an open maps file.
func (t *mapTable) read(maps int) error {
	n, err := readWhole(maps, t.buf)
	if err != nil {
		t.short = t.short || err == errNoRoom
		return err
	}
	t.short = len(t.buf)-n < mapsMinimum && len(t.buf) < maxProcFile
	t.all = t.all[:0]
	for rest := t.buf[:n]; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		m, ok := parseMapped(line)
		switch {
		case !ok:
			continue
		case len(t.all) == cap(t.all):
			t.short = true
			return errNoRoom
		}
		t.all = append(t.all, m)
	}
	return nil
}

// find returns the mapping that contains a.
func (t *mapTable) find(a task.Addr) (task.Mapped, bool) {
	i, found := slices.BinarySearchFunc(t.all, a, func(m task.Mapped, a task.Addr) int {
		return cmp.Compare(m.Start, a)
	})
	if !found {
		i--
	}
	if i < 0 || !t.all[i].Contains(a) {
		return task.Mapped{}, false
	}
	return t.all[i], true
}

// countFaults returns how many page faults the process's threads, living and dead, have had.
func (t *mapTable) countFaults(stat int) (uint64, bool) {
	return parseFaults(t.stat[:preadRaw(stat, t.stat[:])])
}

// readWhole reads a file of /proc from its start. The kernel returns about a page at a time.
func readWhole(fd int, b []byte) (int, error) {
	for n := 0; n < len(b); {
		k, _, errno := unix.Syscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&b[n])), uintptr(len(b)-n), uintptr(n), 0, 0)
		switch {
		case errno == unix.ESRCH, errno == 0 && k == 0 && n == 0:
			return 0, errNoMemory
		case errno != 0:
			return 0, errno
		case k == 0:
			return n, nil
		}
		n += int(k)
	}
	return 0, errNoRoom
}
