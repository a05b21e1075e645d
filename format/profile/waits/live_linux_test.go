package waits_test

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/live/livetest"
	"stacksnap/task/needs"
)

// startWaits starts testdata/waits.c, which prints a line when all its threads are about to wait.
func startWaits(t *testing.T, args ...string) int {
	t.Helper()
	return livetest.Start(t, livetest.Build(t, "waits"), args...)
}

// snapshot takes snapshots until every thread is seen to wait, and was back in its
// call in time to tell for whom: on a busy machine the kernel may let it go late.
func snapshot(t *testing.T, pid int) *profile.Profile {
	t.Helper()
	process, err := live.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Close() }()
	for end := time.Now().Add(2 * time.Minute); ; {
		p, err := capture.OneShot(process, capture.Options{Tool: "test"})
		if err != nil {
			t.Fatal(err)
		}
		waiting := 0
		for _, th := range p.Threads {
			if w := th.Wait; w != nil && (w.Lock != profile.Mutex && w.Lock != profile.ReadWrite || w.Owner != 0 || w.Readers != 0) {
				waiting++
			}
		}
		if waiting == len(p.Threads) || time.Now().After(end) {
			return p
		}
	}
}

// epollWait is the call that epoll_wait makes, which arm64's kernel does not have.
var epollWait = map[string]string{"amd64": "epoll_wait", "arm64": "epoll_pwait"}[runtime.GOARCH]

func TestLive(t *testing.T) {
	for _, kind := range []string{"plain", "robust", "inherit", "recursive"} {
		t.Run(kind, func(t *testing.T) {
			pid := startWaits(t, "3", kind)
			checkLive(t, snapshot(t, pid), kind)
			useUnknownLibrary(t, pid)
			checkLive(t, snapshot(t, startWaits(t, "3", kind)), kind)
		})
	}
}

// useUnknownLibrary has the next programs use a copy of the C library of one that runs,
// with another build-id: no debug package has the names of its internal functions.
func useUnknownLibrary(t *testing.T, pid int) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(`(?m)/\S*/libc\.so\.6$`).FindString(string(maps))
	file, err := elf.Open(path)
	if err != nil {
		needs.Skip(t, "a C library of its own", err.Error())
	}
	defer func() { _ = file.Close() }()
	id := file.Section(".note.gnu.build-id")
	library, err := os.ReadFile(path)
	if id == nil || err != nil {
		needs.Skip(t, "a build-id of the C library", fmt.Sprint(path, ": ", err))
	}
	library[id.Offset+id.Size-1]++
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "libc.so.6"), library, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", dir)
}

// checkLive checks the waits of testdata/waits.c. The kernel lets no circle of
// priority-inheriting mutexes come about.
func checkLive(t *testing.T, p *profile.Profile, kind string) {
	main := task.ThreadID(p.Target.PID)
	want := map[string]profile.Wait{
		"waits":         {Call: "futex", Lock: profile.Mutex, Owner: main},
		"member":        {Call: "futex", Lock: profile.Mutex, Variable: "ring"},
		"reader":        {Call: "futex", Lock: profile.ReadWrite, Owner: main, Variable: "written"},
		"writer":        {Call: "futex", Lock: profile.ReadWrite, Owner: main, Variable: "written"},
		"behind reader": {Call: "futex", Lock: profile.ReadWrite, Readers: 1, Variable: "read_"},
		"sem":           {Call: "futex", Object: `^semaphore 0x`, Variable: "sem"},
		"cond":          {Call: "futex", Object: `^condition variable \(futex 0x`, Variable: "cond"},
		"pipe":          {Call: "read", Object: `^fd \d+ pipe:\[`},
		"socket":        {Call: "recvfrom", Object: `^fd \d+ unix socket`},
		"epoll":         {Call: epollWait, Object: `^fd \d+, which watches 1: fd \d+ pipe:\[`},
		"epoll, fp":     {Call: epollWait, Object: `^fd \d+, which watches 1: fd \d+ pipe:\[`},
		"flock":         {Call: "flock", Lock: profile.FileLock, OwnerPID: p.Target.PID, Object: `/tmp/stacksnap-waits`},
	}
	refused := 0
	for _, th := range p.Threads {
		w, ok := want[th.Name]
		if !ok || th.Wait == nil {
			t.Errorf("thread %d %q waits for %+v", th.ID, th.Name, th.Wait)
			continue
		}
		got := *th.Wait
		if !regexp.MustCompile(w.Object).MatchString(got.Object) {
			t.Errorf("%q: object %q, want %s", th.Name, got.Object, w.Object)
		}
		if locks := got.Lock == profile.Mutex || got.Lock == profile.ReadWrite; locks != (got.Addr != 0) {
			t.Errorf("%q: lock at %v", th.Name, got.Addr)
		}
		if th.Name == "member" && got.Lock == profile.NoLock && kind == "inherit" {
			refused++
			continue
		}
		if th.Name == "member" {
			w.Owner = got.Owner                                 // the circle tells
			got.Variable, _, _ = strings.Cut(got.Variable, "+") // an array
		}
		if hasOwnEnd := th.Name == "pipe" || th.Name == "socket"; hasOwnEnd && got.Peer.PID != 0 { // there may be no time to find it
			w.Peer = profile.Peer{PID: p.Target.PID, Name: p.Target.Name, Action: profile.Write, Self: true, Others: got.Peer.Others}
		}
		got.Object, got.Addr, got.OwnerName = w.Object, 0, ""
		if got != w {
			t.Errorf("%q waits for %+v, want %+v", th.Name, *th.Wait, w)
		}
	}
	sizes := map[int]int{}
	for _, d := range p.Deadlocks {
		sizes[len(d.Waiters)]++
	}
	if kind == "inherit" {
		sizes[3] += refused
	}
	if sizes[1] != 1 || sizes[3] != 1 {
		t.Errorf("deadlocks %+v", p.Deadlocks)
	}
}

// TestEveryWaitOfOneThatAStopWouldWake: by each of many snapshots it is known what
// a thread waits for in a call that a stop ends, be it read without a stop or, where
// its frames cannot be found so, with one.
func TestEveryWaitOfOneThatAStopWouldWake(t *testing.T) {
	pid := startWaits(t, "3", "plain")
	snapshot(t, pid) // all wait by now
	process, err := live.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Close() }()
	for n := range 20 {
		awaitSleep(t, pid)
		p, err := capture.OneShot(process, capture.Options{Tool: "test"})
		if err != nil {
			t.Fatal(err)
		}
		for _, th := range p.Threads {
			if !strings.HasPrefix(th.Name, "epoll") {
				continue
			}
			if th.Wait == nil || th.Wait.Call != epollWait {
				t.Errorf("snapshot %d: %q waits for %+v", n, th.Name, th.Wait)
			}
			if top := th.Roots[0]; len(th.Roots) != 1 || top.Cut != nil {
				t.Errorf("snapshot %d: %q is cut: %+v", n, th.Name, top.Cut)
			}
		}
		if p.Bottoms != p.Walks {
			t.Errorf("snapshot %d: %d of %d walks reached the bottom", n, p.Bottoms, p.Walks)
		}
	}
}

// awaitSleep waits until all threads sleep again.
func awaitSleep(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		awake := slices.ContainsFunc(files, func(file string) bool {
			b, err := os.ReadFile(file)
			return err == nil && !strings.Contains(string(b), ") S ")
		})
		if len(files) > 0 && !awake {
			return
		}
	}
	t.Fatal("the target's threads do not sleep")
}

// TestLiveOpening: a program that opens a named pipe waits for its other end.
func TestLiveOpening(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(needs.Tool(t, "cat"), fifo)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	want := fifo + ", a named pipe that nobody has open for writing"
	for end := time.Now().Add(2 * time.Minute); ; {
		wchan, err := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", cmd.Process.Pid))
		switch {
		case err != nil || string(wchan) == "0" && time.Now().After(end):
			needs.Skip(t, "/proc/PID/wchan", fmt.Sprintf("%q, %v", wchan, err))
		case string(wchan) != "wait_for_partner" && string(wchan) != "fifo_open":
			continue
		}
		if w := snapshot(t, cmd.Process.Pid).MainThread().Wait; w != nil && w.Object == want {
			return
		} else if time.Now().After(end) {
			t.Fatalf("waits for %+v, want %q", w, want)
		}
	}
}
