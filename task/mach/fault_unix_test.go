//go:build unix

package mach

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// unreadable maps memory that faults when it is read, by SIGSEGV, or of a file
// that has been cut, by SIGBUS.
func unreadable(t *testing.T, size int, cut bool) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	prot := unix.PROT_NONE
	if cut {
		prot = unix.PROT_READ
	}
	b, err := unix.Mmap(int(f.Fd()), 0, size, prot, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b
}

func TestAFaultIsNoCrash(t *testing.T) {
	const size = 64 << 10
	for _, cut := range []bool{false, true} {
		m := &mapping{start: testStacks, end: testStacks + size, bytes: unreadable(t, size, cut)}
		m.from, m.first = m.start, make([]byte, 8)
		for _, n := range []int{1, 8, 100, size} { // memmove has several ways
			b := make([]byte, n)
			if m.copy(b, m.start) || m.equals(b, m.start) {
				t.Errorf("%d bytes were read", n)
			}
		}
		if m.changed() {
			t.Error("it changed")
		}
	}
	if was := debug.SetPanicOnFault(false); was {
		t.Error("the setting was not restored")
	}
	debug.SetPanicOnFault(true)
	guarded(func() bool { return true })
	if was := debug.SetPanicOnFault(false); !was {
		t.Error("the caller's setting was not restored")
	}
}

func TestOnlyFaultsAreCaught(t *testing.T) {
	defer func() {
		if e := recover(); e != "mine" {
			t.Errorf("recovered %v", e)
		}
	}()
	guarded(func() bool { panic("mine") })
}

func TestRangesOfAMapping(t *testing.T) {
	m := &mapping{start: 0x1000, end: 0x3000}
	for a, want := range map[task.Addr]bool{0xfff: false, 0x1000: true, 0x2ff0: true, 0x2ff1: false, 0x3000: false, ^task.Addr(0): false} {
		if m.holds(a, 16) != want {
			t.Errorf("%v: %v", a, !want)
		}
	}
	if m.holds(0x1000, 0x2001) || !m.holds(0x1000, 0x2000) {
		t.Error("its size")
	}
}

// A mapping that faults is dropped, and the stack read by the kernel in the same
// stop; after a few such nothing is mapped any more.
func TestStacksAreReadWhereTheirMappingFaults(t *testing.T) {
	for _, cut := range []bool{false, true} {
		s := newScripted(task.ARM64, 2*maxUnequal)
		p := mustOpen(t, s)
		threads := withRoom(t, p)
		p.BeginSeries(0)
		for n := range 12 {
			s.busy(n)
			if n == 8 {
				for i := range p.held {
					h := &p.held[i]
					if h.stack.mapping == nil || !h.stack.mapping.trusted {
						t.Fatalf("thread %d has no mapping that is trusted", i)
					}
					m := s.mapping(h.stack.mapping.bytes)
					m.bytes = unreadable(t, testStack, cut)
					h.stack.mapping.bytes = m.bytes
				}
			}
			captureAll(t, p, s, threads)
		}
		if !p.sharing.refused || s.made != 2*maxUnequal || p.sharing.count != 0 {
			t.Errorf("refused %v, %d mappings made, %d left", p.sharing.refused, s.made, p.sharing.count)
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// A mapping that cannot be read from the first is none.
func TestAMappingThatFaultsAtOnceIsUnmapped(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.place = func([]byte) []byte { return unreadable(t, testStack, false) }
	series(t, s, 10, nothing, noErrors(t))
	if s.made == 0 || s.made > maxMapTry {
		t.Errorf("%d mappings", s.made)
	}
}
