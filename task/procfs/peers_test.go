//go:build linux

package procfs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// self is this very process as a target, as far as its files in /proc are asked.
func self(t *testing.T) *Process {
	t.Helper()
	p := &Process{PID: os.Getpid(), live: Dir{fd: openPath(t, "/proc/self")}, folder: "/proc/self"}
	maps, err := unix.Open("/proc/self/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	p.maps = maps
	t.Cleanup(func() { closeFD(maps) })
	return p
}

// TestChildThatIsWaitedFor is told when it is the only one that lives, and none has
// ended that is not buried yet.
func TestChildThatIsWaitedFor(t *testing.T) {
	p := self(t)
	if n, ok := p.Child(0); ok {
		needs.Skip(t, "no other child", fmt.Sprint("there is ", n))
	}
	first := startTarget(t)
	pid := first.Process.Pid
	for _, ask := range []int{0, pid} {
		if n, ok := p.Child(ask); n != pid || !ok {
			t.Errorf("asked for %d: %d, %v; want %d", ask, n, ok, pid)
		}
	}
	if _, ok := p.Child(os.Getppid()); ok {
		t.Error("a process is its parent's parent")
	}
	second := startTarget(t)
	if n, ok := p.Child(0); ok {
		t.Errorf("of two children %d is waited for", n)
	}
	must(t, second.Process.Kill())
	eventually(t, "the child has ended", func() bool { return p.isChild(second.Process.Pid) == endedChild })
	for _, ask := range []int{0, second.Process.Pid} {
		if n, ok := p.Child(ask); ok {
			t.Errorf("asked for %d with one that has ended: %d", ask, n)
		}
	}
	_ = second.Wait()
	if n, ok := p.Child(0); n != pid || !ok {
		t.Errorf("after the other's end: %d, %v; want %d", n, ok, pid)
	}
}

// TestSharedPlace is one that others see: of a file, and mapped to be shared. Its owner
// is of another process.
func TestSharedPlace(t *testing.T) {
	p := self(t)
	fd := file(t, filepath.Join(t.TempDir(), "a"))
	page := os.Getpagesize()
	for name, c := range map[string]struct {
		fd, flags int
		want      bool
	}{
		"shared file": {fd, unix.MAP_SHARED, true}, "private file": {fd, unix.MAP_PRIVATE, false}, "private": {-1, unix.MAP_PRIVATE | unix.MAP_ANON, false},
	} {
		b, err := unix.Mmap(c.fd, 0, page, unix.PROT_READ, c.flags)
		must(t, err)
		a := task.Addr(uintptr(unsafe.Pointer(&b[0])))
		if place, ok := p.sharedAt(a + 8); ok != c.want || ok && place.offset != 8 {
			t.Errorf("%s: %+v, %v", name, place, ok)
		}
		if id, pid, ok := p.SharedOwner(a, unix.Getpid()); ok {
			t.Errorf("%s: thread %d of %d, which is the same process", name, id, pid)
		}
		must(t, unix.Munmap(b))
	}
	if place, ok := p.sharedAt(0); ok {
		t.Errorf("at 0: %+v", place)
	}
}

func TestMapsShared(t *testing.T) {
	const maps = `7f0000000000-7f0000002000 rw-s 00001000 00:01 77   /dev/zero (deleted)
7f0000003000-7f0000004000 rw-p 00005000 00:01 77   /dev/zero (deleted)
`
	dev := unix.Mkdev(0, 1)
	for at, want := range map[sharedPlace]bool{
		{dev, 77, 0x1000}: true, {dev, 77, 0x2fff}: true, {dev, 77, 0x3000}: false, {dev, 77, 0xfff}: false,
		{dev, 78, 0x1000}: false, {dev + 1, 77, 0x1000}: false, {dev, 77, 0x5000}: false, // mapped, but not shared
	} {
		if got := mapsShared([]byte(maps), at); got != want {
			t.Errorf("%+v: %t", at, got)
		}
	}
}

// TestOutsider: of a thread that is not of the target, no more is said than follows from when it
// began and whose it is.
func TestOutsider(t *testing.T) {
	const parent, self, another = 7, 8, 9
	target := Stat{parent: parent, start: 50}
	name := func(int) string { return "shop" }
	ended, forked := task.Outsider{Ended: true}, task.Outsider{Parent: parent, ParentName: "shop"}
	for _, c := range []struct {
		about   string
		s       Stat
		process int
		want    task.Outsider
	}{
		{"of the parent, before the fork", Stat{state: 'S', start: 40, parent: 1}, parent, forked},
		{"its main thread", Stat{state: 'R', start: 50, parent: 1}, parent, forked},
		{"of the parent, after the fork", Stat{state: 'S', start: 60, parent: 1}, parent, ended},
		{"of another process", Stat{state: 'S', start: 40, parent: 1}, another, task.Outsider{}},
		{"of a later one", Stat{state: 'S', start: 60, parent: 1}, another, ended},
		{"of a child", Stat{state: 'S', start: 60, parent: self}, another, task.Outsider{}},
		{"not reaped", Stat{state: 'Z', start: 40, parent: 1}, parent, task.Outsider{}},
		{"of the target", Stat{state: 'S', start: 60, parent: parent}, self, task.Outsider{}},
	} {
		if got := target.outsider(&c.s, self, c.process, name); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.about, got, c.want)
		}
	}
}

// TestOutsiderHasEnded: there is no thread of a number that a process has had.
func TestOutsiderHasEnded(t *testing.T) {
	ended := exec.Command("true")
	must(t, ended.Run())
	p := openTarget(t, startTarget(t).Process.Pid)
	var at task.Addr
	for r, err := range p.Regions() {
		must(t, err)
		if at = r.Start; !r.Shared {
			break
		}
	}
	if got := p.Outsider(ended.Process.Pid, at); !got.Ended {
		t.Errorf("%+v", got)
	}
	if got := p.Outsider(ended.Process.Pid, 1); got != (task.Outsider{}) {
		t.Errorf("of memory that is not there: %+v", got)
	}
}
