//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// What syscall files of threads say.
const (
	inEpoll = "441 0x5 0x1000 0x40 0x0 0x0 0x8 0x7000 0x4002\n"
	inFault = "-1 0x7000 0x4002\n"
	running = "running\n"
)

func inAccept() string {
	return fmt.Sprintf("%d 0x3 0x0 0x0 0x80000 0x0 0x0 0x7100 0x5002\n", map[bool]int{true: 288, false: 242}[hostArch == task.AMD64])
}

// inRead is in a call that goes on after a stop.
func inRead() string {
	return fmt.Sprintf("%d 0x3 0x1000 0x40 0x0 0x0 0x0 0x7000 0x6002\n", map[bool]int{true: 0, false: 63}[hostArch == task.AMD64])
}

// fakeThread makes the files of a thread that sleeps. Its syscall file says one
// thing after another, each time that it is opened, and nothing in the end: it is a
// pipe, of which each reading takes what was written at once (pipe(2), O_DIRECT).
func fakeThread(t *testing.T, schedstat string, calls ...string) (*Process, *thread) {
	t.Helper()
	const tid = 4711
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, strconv.Itoa(tid)), 0o755))
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil {
		needs.Feature(t, "pipes of packets", err, unix.EINVAL)
	}
	t.Cleanup(func() { closeFD(ends[0]) })
	for _, call := range calls {
		_, err := unix.Write(ends[1], []byte(call))
		must(t, err)
	}
	closeFD(ends[1])
	must(t, os.Symlink(fmt.Sprintf("/proc/self/fd/%d", ends[0]), filepath.Join(dir, strconv.Itoa(tid), "syscall")))
	p := &Process{threads: threadTable{dir: openPath(t, dir), all: []thread{{tid: tid, sleeps: true}}}, spares: true}
	t.Cleanup(p.rests.close)
	tellRuns(t, p, schedstat)
	return p, &p.threads.all[0]
}

// tellRuns writes the schedstat file of a fake thread, none if that is empty.
func tellRuns(t *testing.T, p *Process, schedstat string) {
	t.Helper()
	if schedstat != "" {
		writeFile(t, fmt.Sprintf("/proc/self/fd/%d/%d/schedstat", p.threads.dir, p.threads.all[0].tid), schedstat)
	}
}

// TestSparingIsProven: a thread is left alone only when it was off a processor, in a
// call that a stop would end, after its count of runs was read. One that was woken
// between the first look at its call and the count might run on with that count.
func TestSparingIsProven(t *testing.T) {
	const counted = "100 20 7\n"
	for _, test := range []struct {
		name      string
		schedstat string
		calls     []string
		spared    bool
		number    int // of the call that is told, −1: none is
	}{
		{"waits all the time", counted, []string{inEpoll, inEpoll}, true, 441},
		{"woken before the count", counted, []string{inEpoll, running}, false, -1},
		{"woken by a signal", counted, []string{inEpoll, inFault}, false, -1},
		{"has ended meanwhile", counted, []string{inEpoll}, false, -1},
		{"in another call by then", counted, []string{inEpoll, inAccept()}, true, callNumber(t, inAccept())},
		{"in one that goes on, by then", counted, []string{inEpoll, inRead()}, false, callNumber(t, inRead())},
		{"in one that goes on", counted, []string{inRead(), inEpoll}, false, callNumber(t, inRead())},
		{"runs", counted, []string{running, inEpoll}, false, -1},
		{"kernel that does not count", "0 0 0\n", []string{inEpoll, inEpoll}, false, 441},
		{"kernel without the file", "", []string{inEpoll, inEpoll}, false, 441},
	} {
		p, th := fakeThread(t, test.schedstat, test.calls...)
		p.spareWaiting()
		number := -1
		if th.call.State == task.InCall {
			number = th.call.Number
		}
		if (th.phase == spared) != test.spared || !test.spared && th.phase != listed || number != test.number {
			t.Errorf("%s: phase %d, call %+v", test.name, th.phase, th.call)
		}
		if test.spared && th.runs != 7 {
			t.Errorf("%s: after %d runs", test.name, th.runs)
		}
	}
}

func callNumber(t *testing.T, line string) int {
	t.Helper()
	call, err := parseSyscall([]byte(line))
	must(t, err)
	return call.Number
}

// TestNotToSpare: what is attached, did not sleep, or is to be stopped is not left
// alone, though it waits.
func TestNotToSpare(t *testing.T) {
	for name, change := range map[string]func(*Process, *thread){
		"not wanted": func(p *Process, _ *thread) { p.spares = false },
		"insisted":   func(p *Process, th *thread) { p.insist = map[task.ThreadID]bool{task.ThreadID(th.tid): true} },
		"no sleeper": func(_ *Process, th *thread) { th.sleeps = false },
		"left out":   func(_ *Process, th *thread) { th.phase = busy },
		"attached":   func(_ *Process, th *thread) { th.phase = seized },
		"no files left": func(p *Process, _ *thread) {
			p.rests.of = map[int]*rest{}
			p.rests.limit = 0
		},
	} {
		p, th := fakeThread(t, "100 20 7\n", inEpoll, inEpoll)
		change(p, th)
		was := th.phase
		if p.spareWaiting(); th.phase != was {
			t.Errorf("%s: phase %d", name, th.phase)
		}
	}
}

// TestSparedThreadThatRan is found out by its count, whatever that says.
func TestSparedThreadThatRan(t *testing.T) {
	for schedstat, ran := range map[string]bool{"100 20 7\n": false, "900 30 7\n": false, "100 20 8\n": true, "0 0 0\n": true, "x\n": true} {
		p, th := fakeThread(t, "100 20 7\n", inEpoll, inEpoll)
		if p.spareWaiting(); th.phase != spared {
			t.Fatal("it is not spared")
		}
		tellRuns(t, p, schedstat)
		if got := p.hasRun(th); got != ran {
			t.Errorf("%q: has run %v", schedstat, got)
		}
		p.rests.drop(th.tid)
		if !p.hasRun(th) {
			t.Error("of a thread that is no longer known, it is known that it did not run")
		}
	}
}
