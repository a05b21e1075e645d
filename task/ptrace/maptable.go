//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

var (
	errNoRoom   = errors.New("/proc/PID/maps is longer than the room made for it")
	errNoMemory = errors.New("/proc/PID/maps is empty")
)

// mapTable is the executable mappings, for kernels without PROCMAP_QUERY. It is
// read again only when the process has had a page fault since: pages that were
// mapped since cannot be executed without one. The kernel counts a fault for the
// thread that has it before that thread goes on (mm_account_fault, mm/memory.c;
// before Linux 5.9 the architecture's fault handler), and likewise those of
// MAP_POPULATE and mlockall, which fault the pages in for the thread that asked
// (faultin_page, mm/gup.c). A fault may bring in its neighbours (do_fault_around,
// mm/memory.c) or a huge page, but the first of them is one fault at least. Not
// seen are a mapping that mremap moves with its pages, and faults that another
// process has for this one: a debugger that reads the pages, or a process that
// shares the memory but is not among its threads. After either, a library that
// the loader relocates has faults of its own before it runs.
type mapTable struct {
	isUsed bool
	isNew  bool // not older than what was asked for last
	isKey  bool // faults belongs to all: there was none while it was read
	faults uint64
	all    []task.Mapped
	buf    []byte
	short  bool // buf, or the room of all, was too small
	stat   [1024]byte
}

const (
	firstMaps   = 64 << 10 // bytes of the file that there is room for at first
	bytesEach   = 64       // of the shortest line with a path, about: how many lines there is room for
	roomFor     = 2        // times as much as was needed last
	mapsMinimum = 8 << 10  // bytes free of the room after which more is made
)

// makeRoom is called while the target runs.
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

// renew makes the table tell of now, or of a moment since which nothing new can
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

// read takes the executable mappings from an open maps file.
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

// find returns the mapping that a is in.
func (t *mapTable) find(a task.Addr) (task.Mapped, bool) {
	i, found := slices.BinarySearchFunc(t.all, a, func(m task.Mapped, a task.Addr) int {
		switch {
		case m.Start < a:
			return -1
		case m.Start > a:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 || !t.all[i].Contains(a) {
		return task.Mapped{}, false
	}
	return t.all[i], true
}

// countFaults reads how many page faults the threads of the process, living and
// dead, have had.
func (t *mapTable) countFaults(stat int) (uint64, bool) {
	return parseFaults(t.stat[:preadRaw(stat, t.stat[:])])
}

// readWhole reads a file of /proc from its start, which gives about a page at a
// time.
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
