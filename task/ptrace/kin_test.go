//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"os"
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
	p := &Process{pid: os.Getpid(), live: procDir{fd: openPath(t, "/proc/self")}, folder: "/proc/self"}
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
	first := startHelper(t, "spin")
	pid := first.Process.Pid
	for _, ask := range []int{0, pid} {
		if n, ok := p.Child(ask); n != pid || !ok {
			t.Errorf("asked for %d: %d, %v; want %d", ask, n, ok, pid)
		}
	}
	if _, ok := p.Child(os.Getppid()); ok {
		t.Error("a process is its parent's parent")
	}
	second := startHelper(t, "spin")
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

// fakeProc makes a folder of /proc.
func fakeProc(t *testing.T, files map[string]string) procDir {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		writeFile(t, filepath.Join(dir, name), text)
	}
	return procDir{fd: openPath(t, dir)}
}

// TestEndingIsOfAllThreads: a process ends when each of its threads does.
func TestEndingIsOfAllThreads(t *testing.T) {
	stat := func(state byte, flags int) string {
		return fmt.Sprintf("1 (a) %c 1 1 1 0 -1 %d 1 2 3 4 5 6 7 8 20 0 1 0 99\n", state, flags)
	}
	lives, exits, zombie := stat('S', 0x400000), stat('R', 0x400000|exiting), stat('Z', 0x400000)
	for _, test := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"lives", map[string]string{"stat": lives, "task/1/stat": lives}, false},
		{"only the first ends", map[string]string{"stat": exits, "task/1/stat": exits, "task/2/stat": lives}, false},
		{"only the first has ended", map[string]string{"stat": zombie, "task/1/stat": zombie, "task/2/stat": lives}, false},
		{"all end", map[string]string{"stat": exits, "task/1/stat": zombie, "task/2/stat": exits}, true},
		{"no threads are told", map[string]string{"stat": zombie}, true},
		{"no more", nil, true},
	} {
		p := &Process{process: fakeProc(t, test.files)}
		if got := p.isEnding(); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestRefusedAmongOthers: a thread that may not be stopped costs only itself, unless
// nothing was read.
func TestRefusedAmongOthers(t *testing.T) {
	p := &Process{process: procDir{-1}, mem: memory{file: -1}, exited: &task.ExitedError{}}
	p.threads.all = []thread{{tid: 1, phase: refused}, {tid: 2}}
	if err := p.judgeEach(); err == nil {
		t.Error("nothing was read, and that is fine")
	}
	if p.reads = 1; p.judgeEach() != nil {
		t.Error("one was read, and that is an error")
	}
	p.reads, p.threads.all[0].phase = 0, gone
	if err := p.judgeEach(); err != nil {
		t.Errorf("none was refused: %v", err)
	}
}

// TestWatchedThatIsOpen: of the files that an epoll instance watches, those are told
// that still have their number.
func TestWatchedThatIsOpen(t *testing.T) {
	live := fakeProc(t, map[string]string{"fd/7": "", "status": "FDSize:\t64\n"})
	var st unix.Stat_t
	must(t, unix.Fstatat(live.fd, "fd/7", &st, 0))
	p := &Process{live: live}
	in := func(name string) string { return fmt.Sprintf("/proc/self/fd/%d/%s", live.fd, name) }
	must(t, os.Mkdir(in("fdinfo"), 0o755))
	tell := func(inode uint64) {
		writeFile(t, in("fdinfo/3"), fmt.Sprintf("pos:\t0\ntfd: 7 events: 1 data: 0  pos:0 ino:%x sdev:1\n", inode))
	}
	for _, test := range []struct {
		name  string
		inode uint64
		size  int
		n     int
		open  int
	}{
		{"open", st.Ino, 64, 1, 1}, {"another file's by now", st.Ino + 1, 64, 1, 0},
		{"as many as are asked", st.Ino, maxListed, 1, 1}, {"too many", st.Ino, maxListed + 1, 0, 0},
	} {
		tell(test.inode)
		writeFile(t, in("status"), fmt.Sprintf("FDSize:\t%d\n", test.size))
		if n, fds := p.Watched(3); n != test.n || len(fds) != test.open {
			t.Errorf("%s: %d, %v", test.name, n, fds)
		}
	}
}
