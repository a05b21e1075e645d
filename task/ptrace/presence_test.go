//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// TestPagesThatNobodyProvides: a stack whose pages are not there, and never will be,
// costs that part of the stack. The target runs on, and the rest is captured.
func TestPagesThatNobodyProvides(t *testing.T) {
	needs.Root(t)
	fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0)
	if errno != 0 {
		needs.Feature(t, "userfaultfd", errno, unix.ENOSYS, unix.EPERM)
	}
	_ = unix.Close(int(fd))
	g := startThreads(t, 3, "holes", 50)
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == 3 })
	for _, how := range []task.Suspension{task.SuspendTask, task.SuspendThread} {
		p := attach(t, g.pid)
		for s, err := range task.Sample(t.Context(), p, task.Options{Count: 3, Suspend: how}) {
			if err != nil || len(s.Threads) != 3 {
				t.Fatalf("%d threads, %v", len(s.Threads), err)
			}
			for i := range s.Threads {
				checkHoles(t, g.pid, &s.Threads[i])
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(states(g.pid), "tT") || tracerOf(g.pid) != 0 {
		t.Errorf("states %s, traced by %d", states(g.pid), tracerOf(g.pid))
	}
}

func checkHoles(t *testing.T, pid int, th *task.Thread) {
	t.Helper()
	if len(th.Stacks) != 1 || len(th.Stacks[0].Bytes) < 50*64 {
		t.Fatalf("thread %d: %d stacks, %v", th.ID, len(th.Stacks), th.Err)
	}
	if hollow := th.ID == task.ThreadID(pid); errors.Is(th.Err, errBlocks) != hollow || th.Stacks[0].Truncated() != hollow {
		t.Errorf("thread %d: %v, truncated %v", th.ID, th.Err, th.Stacks[0].Truncated())
	}
}

// TestHelperWithoutProcessor: a helper that comes to a processor late is waited for,
// and one that does not come to any is not taken for one that blocks.
func TestHelperWithoutProcessor(t *testing.T) {
	from := somewhere
	at := task.Addr(uintptr(unsafe.Pointer(&from[0])))
	p := newPresence()
	p.starved = time.Hour
	late := newFetcher()
	p.idle = append(p.idle, late)
	go func() {
		time.Sleep(2 * helperPatience)
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
	p := attach(t, startThreads(t, 1, "sleep").pid)
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

// TestStopIsBounded: stacks that take longer to copy than the target may be stopped
// are cut, each to its part of that time and none to nothing.
func TestStopIsBounded(t *testing.T) {
	g := startThreads(t, 8, "sleep", 1500) // 128 KB of stack each at most
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == 8 })
	p := attach(t, g.pid)
	p.LimitStop(time.Nanosecond)
	p.mem.chunk = 16 << 10
	var s task.Snapshot
	take(t, p, &s)
	for i := range s.Threads {
		th := &s.Threads[i]
		if !errors.Is(th.Err, errOverTime) || len(th.Stacks) != 1 || !th.Stacks[0].Truncated() {
			t.Fatalf("thread %d: %d stacks, %v", th.ID, len(th.Stacks), th.Err)
		}
		// The page below sp may never have been touched: then the first read ends with it.
		copied := th.Stacks[0].Bytes
		if len(copied) < 16<<10 || len(copied) >= 32<<10 {
			t.Errorf("thread %d: %d bytes are copied", th.ID, len(copied))
		}
		now := make([]byte, len(copied)-task.RedZone)
		if n, err := p.Memory().ReadMemory(now, th.Registers.SP()); !bytes.Equal(now[:n], copied[task.RedZone:]) {
			t.Errorf("thread %d: the stack is not its own, of which %d bytes were read, %v", th.ID, n, err)
		}
	}
	p.LimitStop(time.Minute)
	eventually(t, "all threads sleep again", func() bool { return strings.Count(states(g.pid), "S") == 8 })
	take(t, p, &s)
	if i := slices.IndexFunc(s.Threads, func(th task.Thread) bool { return th.Err != nil }); i >= 0 {
		t.Errorf("thread %d: %v", s.Threads[i].ID, s.Threads[i].Err)
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
	m := memory{tid: os.Getpid(), file: -1, pages: newPresence(), chunk: 8 * page, until: time.Unix(1, 0)}
	defer m.pages.close()
	if m.pages.pagemap, err = unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		needs.Feature(t, "/proc/PID/pagemap", err, unix.ENOENT, unix.EPERM, unix.EACCES)
	}
	m.pages.refill()
	got := make([]byte, len(b))
	n, errno := m.copy(got, task.Addr(uintptr(unsafe.Pointer(&b[0]))))
	if n < m.chunk || n >= 2*m.chunk || errno != errnoOverTime || !bytes.Equal(got[:n], b[:n]) {
		t.Errorf("%d bytes, %v", n, errno)
	}
}
