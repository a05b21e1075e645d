//go:build linux

package procfs

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// TestHelperWithoutProcessor: a helper that comes to a processor late is waited for,
// and one that does not come to any is not taken for one that blocks.
func TestHelperWithoutProcessor(t *testing.T) {
	from := somewhere
	at := task.Addr(uintptr(unsafe.Pointer(&from[0])))
	p := newResidency()
	p.starved = time.Hour
	late := newFetcher()
	p.idle = append(p.idle, late)
	go func() {
		time.Sleep(2 * helperTimeout)
		late.run()
	}()
	got := make([]byte, len(from))
	if n, errno := p.read(os.Getpid(), -1, got, at); n != len(from) || errno != 0 || !bytes.Equal(got, from) {
		t.Errorf("%d bytes, %v: %q", n, errno, got)
	}
	p.idle, p.starved = append(p.idle[:0], newFetcher()), 0 // which never runs
	if n, errno := p.read(os.Getpid(), -1, got, at); n != 0 || errno != errnoStarved || len(p.stuck) != 0 || len(p.idle) != 0 {
		t.Errorf("%d bytes, %v; %d pages are taken to block, %d helpers are there", n, errno, len(p.stuck), len(p.idle))
	}
	if _, errno := p.read(os.Getpid(), -1, got, at); errno != errnoStarved {
		t.Errorf("no helper is left: %v", errno)
	}
}

// somewhere does not move.
var somewhere = []byte("some bytes")

// TestPagesThatAreMade: pages that the target has never touched are read all the
// same, and what is not mapped is a fault at the first such byte.
func TestPagesThatAreMade(t *testing.T) {
	p := openTarget(t, startTarget(t).pid)
	p.Refill(true)
	var sp task.Addr
	for r, err := range p.Regions() {
		if err == nil && r.Path == "[heap]" {
			sp = r.Start
		}
	}
	var pages []byte
	for range 3 {
		pages = make([]byte, 64<<10)
		n, err := p.Memory().ReadMemory(pages, sp)
		var fault *task.FaultError
		if errors.As(err, &fault) && fault.Addr != sp+task.Addr(n) || n == 0 {
			t.Errorf("%d bytes at %v, %v", n, sp, err)
		}
	}
	if n, err := p.Memory().ReadMemory(pages, 0x10); n != 0 || !errors.Is(err, unix.EFAULT) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// TestInnermostPartInAnyCase: where pages that are there and such that are not
// follow each other, the first reads are short; what is copied in any case is not.
func TestInnermostPartInAnyCase(t *testing.T) {
	page := os.Getpagesize()
	b, err := unix.Mmap(-1, 0, 64*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(b) }()
	if err := unix.Madvise(b, unix.MADV_NOHUGEPAGE); err != nil && err != unix.EINVAL {
		t.Fatal(err)
	}
	for i := 0; i < len(b); i += 2 * page {
		b[i] = 1
	}
	m := Memory{TID: os.Getpid(), file: -1, pages: newResidency(), Chunk: 8 * page, until: time.Unix(1, 0)}
	defer m.pages.close()
	if m.pages.pagemap, err = unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		needs.Feature(t, "/proc/PID/pagemap", err, unix.ENOENT, unix.EPERM, unix.EACCES)
	}
	m.pages.refill()
	got := make([]byte, len(b))
	n, errno := m.copy(got, task.Addr(uintptr(unsafe.Pointer(&b[0]))))
	if n < m.Chunk || n >= 2*m.Chunk || errno != errnoOverTime || !bytes.Equal(got[:n], b[:n]) {
		t.Errorf("%d bytes, %v", n, errno)
	}
}

// TestGuardPages: a stack ends at a guard page, which nobody tries to read, and the mapping that it
// is in goes on, as where a thread's stack lies below another's.
func TestGuardPages(t *testing.T) {
	page := os.Getpagesize()
	b, err := unix.Mmap(-1, 0, 8*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(b) }()
	for i := 0; i < len(b); i += page {
		b[i] = 1
	}
	if err := unix.Madvise(b[4*page:5*page], unix.MADV_GUARD_INSTALL); err != nil {
		needs.Feature(t, "guard pages without a mapping of their own (Linux 6.15)", err, unix.EINVAL)
	}
	from := task.Addr(uintptr(unsafe.Pointer(&b[0])))
	p := Process{Mem: Memory{TID: os.Getpid(), file: -1, pages: newResidency()}}
	defer p.Mem.pages.close()
	if p.Mem.pages.pagemap, err = unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		needs.Feature(t, "/proc/PID/pagemap", err, unix.ENOENT, unix.EPERM, unix.EACCES)
	}
	p.stacks.all = []span{{from, from + task.Addr(len(b))}}
	s, errno := p.copyStack(make([]byte, len(b)), from+task.Addr(page))
	if end := from + 4*task.Addr(page); s.Top != end || s.End() != end || errno != errnoGuard {
		t.Errorf("copied to %v, the stack to %v, %v; the guard is at %v", s.End(), s.Top, errno, end)
	}
	if p.stacks.stale {
		t.Error("the mappings are to be read again")
	}
	if n, err := p.Memory().ReadMemory(make([]byte, page), from+4*task.Addr(page)); n != 0 || !errors.Is(err, unix.EFAULT) {
		t.Errorf("%d bytes, %v", n, err) // without a helper: there is none
	}
}
