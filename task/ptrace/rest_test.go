//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// tellState writes the stat file of a fake thread.
func tellState(t *testing.T, p *Process, state byte, processor string) {
	t.Helper()
	p.stats.dir = p.threads.dir
	line := fmt.Sprintf("4711 (a) %c 1 4711 4711 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 99%s\n", state, processor)
	writeFile(t, fmt.Sprintf("/proc/self/fd/%d/%d/stat", p.threads.dir, p.threads.all[0].tid), line)
}

// captured is a thread as it was when a syscall file said this.
func captured(t *testing.T, line string) *task.Thread {
	t.Helper()
	call, err := parseSyscall([]byte(line))
	must(t, err)
	th := &task.Thread{ID: 4711}
	th.Registers = (&Process{facts: task.Info{Arch: hostArch}}).registersOf(&call)
	return th
}

// TestUnchanged: a thread rests in the call in which it was captured, or in user code
// only while someone else holds it there.
func TestUnchanged(t *testing.T) {
	other := "-1 0x7000 0x4006\n"
	for _, test := range []struct {
		name          string
		captured, now string
		was           task.State
		is            byte
		want          bool
	}{
		{"in its call", inEpoll, inEpoll, task.Sleeping, 'S', true},
		{"in another call", inEpoll, inAccept(), task.Sleeping, 'S', false},
		{"running", inEpoll, running, task.Sleeping, 'R', false},
		{"gone", inEpoll, "", task.Sleeping, 'S', false},
		{"held", inFault, inFault, task.Stopped, 'T', true},
		{"held elsewhere", inFault, other, task.Stopped, 'T', false},
		{"held since", inFault, inFault, task.Running, 'T', false},
		{"held no more", inFault, inFault, task.Stopped, 'S', false},
	} {
		p, th := fakeThread(t, "", test.now)
		tellState(t, p, test.is, "")
		k := captured(t, test.captured)
		if k.State = test.was; p.unchanged(th.tid, k) != test.want {
			t.Errorf("%s: not %v", test.name, test.want)
		}
	}
}

// TestIdleUntilItRuns: that a thread rests is asked once, and again when it has come to
// a processor since.
func TestIdleUntilItRuns(t *testing.T) {
	p, th := fakeThread(t, "100 20 7\n", inEpoll, running, inEpoll)
	tellState(t, p, 'S', "")
	k := captured(t, inEpoll)
	k.State = task.Sleeping
	idle := func(want bool, when string) {
		t.Helper()
		if got := p.Idle(task.ThreadID(th.tid), k); got != want {
			t.Errorf("%s: idle %v", when, got)
		}
	}
	idle(true, "first")
	idle(true, "without a run")
	tellRuns(t, p, "200 20 8\n")
	idle(false, "after a run, on a processor")
	idle(true, "back in its call")
	tellRuns(t, p, "200 20 9\n")
	idle(false, "ended")
	tellRuns(t, p, "0 0 0\n")
	idle(false, "not counted")
}

// TestSameBytes compares with this very process's memory, of which a page is missing.
func TestSameBytes(t *testing.T) {
	page := os.Getpagesize()
	b, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	must(t, err)
	t.Cleanup(func() { _ = unix.Munmap(b) })
	p := &Process{mem: memory{tid: unix.Getpid(), file: -1, pages: newPresence()}}
	base := task.Addr(uintptr(unsafe.Pointer(&b[0])))
	probe := make([]byte, 1)
	if n, err := p.mem.copy(probe, base); n != 1 {
		needs.Feature(t, "process_vm_readv", err, unix.ENOSYS, unix.EPERM)
	}
	b[0], b[100] = 1, 2
	want := append([]byte{}, b...)
	same := func(sp task.Addr, want []byte) bool { return p.sameBytes(&task.Stack{Base: base, Bytes: want}, sp) }
	if !same(base, want) || !same(base+8, want[:page]) {
		t.Error("the same bytes differ")
	}
	if b[0] = 9; same(base, want) || !same(base+1, want) {
		t.Error("of what lies below sp is more compared, or less, than that")
	}
	if b[page+5] = 1; same(base+8, want) {
		t.Error("other bytes in the second page are the same")
	}
	b[page+5] = 0
	must(t, unix.Mprotect(b[page:], unix.PROT_NONE))
	if same(base+8, want) || !same(base+8, want[:page]) {
		t.Error("bytes that cannot be read are the same")
	}
}

// TestTurnNow is of a thread that can run, and of a processor that is known.
func TestTurnNow(t *testing.T) {
	behind := " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
	for _, test := range []struct {
		name, schedstat string
		state           byte
		processor       string
		want            bool
	}{
		{"runs", "100 20 7\n", 'R', behind + " 3 0", true},
		{"sleeps by now", "100 20 7\n", 'S', behind + " 3 0", false},
		{"on no processor", "100 20 7\n", 'R', "", false},
		{"not counted", "0 0 0\n", 'R', behind + " 3 0", false},
		{"of no file", "", 'R', behind + " 3 0", false},
	} {
		p, th := fakeThread(t, test.schedstat)
		tellState(t, p, test.state, test.processor)
		got := p.turnNow(th.tid)
		if (got.runs == 7 && got.processor == 3 && got.queued == 20) != test.want || !test.want && got != (turn{}) {
			t.Errorf("%s: %+v", test.name, got)
		}
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

// TestIdleWhileItRuns: one that ran when it was described is asked for its state first, and
// for its call only when it does not run still. What it was asked it is described by, once.
func TestIdleWhileItRuns(t *testing.T) {
	p, th := fakeThread(t, "100 20 7\n", inEpoll, inEpoll)
	id := task.ThreadID(th.tid)
	k := captured(t, inEpoll)
	k.State = task.Running
	tellState(t, p, 'R', "")
	if p.Idle(id, k) {
		t.Error("idle as it runs")
	}
	tellState(t, p, 'S', "")
	for _, want := range []task.State{task.Running, task.Sleeping} {
		if must(t, p.Describe(id, k)); k.State != want {
			t.Errorf("described as %v, want %v", k.State, want)
		}
	}
	k.State = task.Running
	tellState(t, p, 'S', "")
	if !p.Idle(id, k) || k.State != task.Sleeping {
		t.Errorf("not idle back in its call, %v", k.State)
	}
	if call, err := p.blockedIn(th.tid); err != nil || call.State != task.InCall {
		t.Error("its call was asked for as it ran")
	}
	if p.rests.of[th.tid].call < 0 {
		t.Error("the file of its call is not kept")
	}
}

// TestIdleOfAnother: what was read of one thread does not describe another, nor the same
// when something else was read since.
func TestIdleOfAnother(t *testing.T) {
	p, th := fakeThread(t, "100 20 7\n", inEpoll)
	tellState(t, p, 'R', "")
	k := captured(t, inEpoll)
	k.State = task.Running
	if p.Idle(task.ThreadID(th.tid), k) {
		t.Error("idle as it runs")
	}
	if err := p.Describe(task.ThreadID(th.tid+1), k); err != task.ErrThreadGone {
		t.Errorf("a thread that is not there: %v", err)
	}
	for name, read := range map[string]func(){
		"state": func() { p.state(th.tid) },
		"stat":  func() { p.statOf(th.tid) },
	} {
		tellState(t, p, 'R', "")
		p.isReady(th.tid)
		tellState(t, p, 'S', "")
		read()
		if must(t, p.Describe(task.ThreadID(th.tid), k)); k.State != task.Sleeping {
			t.Errorf("after its %s was read: %v", name, k.State)
		}
	}
}

// TestDropped: of a thread that was dropped while it was asked about no other file is read.
func TestDropped(t *testing.T) {
	p, th := fakeThread(t, "100 20 7\n")
	p.rests.start()
	e := p.rests.find(p.threads.dir, th.tid)
	if _, ok := p.rests.count(e); !ok {
		t.Fatal("not counted")
	}
	path := fmt.Sprintf("/proc/self/fd/%d/%d/schedstat", p.threads.dir, th.tid)
	p.rests.drop(th.tid)
	f, err := os.Open(path) // takes the number of the file that was closed
	must(t, err)
	defer f.Close()
	if _, ok := p.rests.count(e); ok {
		t.Error("counted by a file that was closed")
	}
}

// TestCallsAreKept: the file of a call is opened once, of one in so many threads, and read
// from its start each time.
func TestCallsAreKept(t *testing.T) {
	p, th := fakeThread(t, "100 20 7\n")
	path := fmt.Sprintf("/proc/self/fd/%d/%d/syscall", p.threads.dir, th.tid)
	must(t, os.Remove(path))
	writeFile(t, path, inEpoll)
	p.rests.start()
	p.rests.limit = 2 * callsShare
	e := p.rests.find(p.threads.dir, th.tid)
	p.rests.keepCall(e, p.threads.dir, th.tid)
	p.rests.keepCall(e, p.threads.dir, th.tid)
	kept := fmt.Sprintf("/proc/self/fd/%d", e.call)
	must(t, os.Remove(path))
	for _, want := range []string{inEpoll, inRead()} {
		writeFile(t, kept, want)
		if got, err := p.blockedIn(th.tid); err != nil || got.PC != captured(t, want).Registers.PC() {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
	writeFile(t, path, inEpoll)
	others := []*rest{{call: -1}, {call: -1}}
	for i, want := range []bool{true, false} {
		if p.rests.keepCall(others[i], p.threads.dir, th.tid); (others[i].call >= 0) != want {
			t.Errorf("with %d files kept another one is: %v", i+1, !want)
		}
	}
	p.rests.drop(th.tid)
	if p.rests.keepCall(others[1], p.threads.dir, th.tid); others[1].call < 0 {
		t.Error("there is no room where there was before")
	}
	for _, o := range others {
		p.rests.remove(th.tid, o)
	}
	if p.rests.calls != 0 {
		t.Errorf("%d files of calls in the end", p.rests.calls)
	}
}
