//go:build linux

package procfs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs/procfstest"
)

// TestDropped: of a thread that was dropped while it was asked about no other file is read.
func TestDropped(t *testing.T) {
	p, fake := fakeThread(t, "100 20 7\n")
	e := p.Files.Find(fake.TID)
	if _, ok := p.Files.Count(e); !ok {
		t.Fatal("not counted")
	}
	path := fake.Path("schedstat")
	p.Files.Drop(fake.TID)
	f, err := os.Open(path) // takes the number of the file that was closed
	must(t, err)
	defer f.Close()
	if _, ok := p.Files.Count(e); ok {
		t.Error("counted by a file that was closed")
	}
}

// TestCallsAreKept: the file of a call is opened once, of one in so many threads, and read
// from its start each time.
func TestCallsAreKept(t *testing.T) {
	p, fake := fakeThread(t, "100 20 7\n")
	path := fake.Path("syscall")
	must(t, os.Remove(path))
	writeFile(t, path, procfstest.InEpoll)
	p.Files.start()
	p.Files.limit = 2 * callsShare
	e := p.Files.Find(fake.TID)
	p.Files.keepCall(e, fake.TID)
	p.Files.keepCall(e, fake.TID)
	kept := fmt.Sprintf("/proc/self/fd/%d", e.call)
	must(t, os.Remove(path))
	for _, want := range []string{procfstest.InEpoll, procfstest.InRead()} {
		writeFile(t, kept, want)
		if got, err := p.Files.Call(fake.TID); err != nil || got.PC != captured(t, want).Registers.PC() {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
	writeFile(t, path, procfstest.InEpoll)
	others := []*ThreadFile{{call: -1}, {call: -1}}
	for i, want := range []bool{true, false} {
		if p.Files.keepCall(others[i], fake.TID); (others[i].call >= 0) != want {
			t.Errorf("with %d files kept another one is: %v", i+1, !want)
		}
	}
	p.Files.Drop(fake.TID)
	if p.Files.keepCall(others[1], fake.TID); others[1].call < 0 {
		t.Error("there is no room where there was before")
	}
	for _, o := range others {
		p.Files.remove(fake.TID, o)
	}
	if p.Files.calls != 0 {
		t.Errorf("%d files of calls in the end", p.Files.calls)
	}
}

// TestWatchReadsWhatItDoesNotHave: a status file without the count is read again.
func TestWatchReadsWhatItDoesNotHave(t *testing.T) {
	dir := openPath(t, t.TempDir())
	write := func(name, text string) int {
		t.Helper()
		writeFile(t, fmt.Sprintf("/proc/self/fd/%d/%s", dir, name), text)
		fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		must(t, err)
		return fd
	}
	w := &watch{call: -1, status: write("status", "State:\tS\n"), schedule: write("schedstat", "100 20 7\n")}
	t.Cleanup(func() { _ = w.Close() })
	for _, want := range []task.Counters{{CPU: 100, Queued: 20}, {CPU: 100, Queued: 20, Sleeps: 5, HasSleeps: true}, {CPU: 100, Queued: 20, Sleeps: 5, HasSleeps: true}} {
		if got, err := w.Counters(); got != want || err != nil {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
		if !want.HasSleeps {
			closeFD(write("status", "State:\tS\nvoluntary_ctxt_switches:\t5\n"))
		} else {
			closeFD(write("status", "State:\tS\nvoluntary_ctxt_switches:\t6\n")) // not read: it has not run
		}
	}
}

// TestWatchOfLongStatus: there is room for a status file with many groups, and none is made for it before.
func TestWatchOfLongStatus(t *testing.T) {
	dir := openPath(t, t.TempDir())
	path := fmt.Sprintf("/proc/self/fd/%d/status", dir)
	writeFile(t, path, "State:\tS\nvoluntary_ctxt_switches:\t5\n")
	fd, err := unix.Openat(dir, "status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	w := &watch{call: -1, status: fd, schedule: -1}
	t.Cleanup(func() { _ = w.Close() })
	for _, c := range []struct{ groups, room int }{{10, threadFile}, {1000, maxFile}} {
		writeFile(t, path, "State:\tS\nGroups:\t"+strings.Repeat("12345 ", c.groups)+"\nvoluntary_ctxt_switches:\t5\n")
		if got, err := w.Counters(); got.Sleeps != 5 || err != nil || len(w.buf) != c.room {
			t.Errorf("%d groups: %+v, %v, by room for %d bytes", c.groups, got, err, len(w.buf))
		}
	}
}
