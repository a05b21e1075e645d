//go:build linux

package ptrace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/procfs"
	"stacksnap/task/procfs/procfstest"
)

// TestIdleServerNoticesNothing: threads in epoll_wait are read where they wait,
// as exactly as if they were stopped.
func TestIdleServerNoticesNothing(t *testing.T) {
	const n = 4
	g := startThreads(t, n, "epoll", 50)
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == n })
	p := attach(t, g.pid)
	s := task.Snapshot{Skip: true}
	for range 1000 {
		take(t, p, &s)
		if len(s.Threads) != n || s.Stops != 0 || s.Stopped != 0 {
			t.Fatalf("%d threads, %d stops of %v", len(s.Threads), s.Stops, s.Stopped)
		}
	}
	for i := range s.Threads {
		th := &s.Threads[i]
		checkSleeper(t, g.pid, th)
		if !th.Skipped || th.Unstopped || th.Call.State != task.InCall || th.Call.SP != th.Registers.SP() {
			t.Errorf("thread %d: skipped %v, unstopped %v, call %+v", th.ID, th.Skipped, th.Unstopped, th.Call)
		}
		if _, known := th.Registers.Value(th.Registers.Arch.FP()); known {
			t.Errorf("thread %d: the frame pointer is known", th.ID)
		}
	}
	if got := g.count(eintr); got != 0 {
		t.Errorf("%d calls were interrupted", got)
	}
}

// TestInsisting: a thread that has to be stopped is, and it is known what call
// that has ended.
func TestInsisting(t *testing.T) {
	const n = 3
	g := startThreads(t, n, "epoll", 50)
	p := attach(t, g.pid)
	var stopped task.ThreadID
	s := task.Snapshot{Skip: true, Insist: map[task.ThreadID]bool{}}
	for round := range 20 {
		eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == n })
		take(t, p, &s)
		if stopped == 0 {
			stopped = s.Threads[1].ID
			s.Insist[stopped] = true
			continue
		}
		if s.Stops != 1 || s.Stopped == 0 {
			t.Errorf("%d stops of %v", s.Stops, s.Stopped)
		}
		for i := range s.Threads {
			th := &s.Threads[i]
			if th.Skipped != (th.ID != stopped) || th.Call.State != task.InCall || th.Call.Number != waitNumber(t, g.pid, th.ID) {
				t.Errorf("round %d, thread %d of which %d was stopped: skipped %v, call %+v", round, th.ID, stopped, th.Skipped, th.Call)
			}
		}
	}
	if got := g.count(eintr); got != 19 {
		t.Errorf("%d calls were interrupted", got)
	}
}

// waitNumber returns the number of the call that a thread sleeps in at last.
func waitNumber(t *testing.T, pid int, id task.ThreadID) (number int) {
	t.Helper()
	eventually(t, "the thread is in a call", func() bool {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", pid, id))
		s, err := procfs.ParseSyscall(b)
		number = s.Number
		return err == nil && s.State == task.InCall
	})
	return number
}

// TestBusyServer: threads that come and go between a call and their work are found
// in either, never in the call with the stack of later.
func TestBusyServer(t *testing.T) {
	g := startThreads(t, 6, "serve", 20)
	p := attach(t, g.pid)
	s := task.Snapshot{Skip: true}
	skipped := 0
	for end := time.Now().Add(2 * time.Minute); skipped < 300 && time.Now().Before(end); {
		take(t, p, &s)
		for i := range s.Threads {
			th := &s.Threads[i]
			if th.Err != nil || th.Registers.PC() == 0 || len(th.Stacks) != 1 {
				t.Fatalf("thread %d: %v, pc %v, %d stacks", th.ID, th.Err, th.Registers.PC(), len(th.Stacks))
			}
			if !th.Skipped {
				continue
			}
			skipped++
			if works, found := markOf(th); !found || works {
				t.Fatalf("thread %d: works %v, known %v", th.ID, works, found)
			}
		}
	}
	if at := tracerOf(g.pid); skipped == 0 || at != 0 {
		t.Errorf("%d threads were skipped; traced by %d", skipped, at)
	}
	g.advances(t)
}

// markOf reads what a thread of the mode "serve" notes on its stack.
func markOf(th *task.Thread) (works, found bool) {
	b := th.Stacks[0].Bytes
	i := bytes.Index(b, binary.LittleEndian.AppendUint64(nil, 0xfeedc0defeedc0de))
	if i < 0 || len(b) < i+16 {
		return false, false
	}
	return b[i+8] != 0, true
}

// fakeThread is a process whose one thread sleeps and is made up, see
// [procfstest.NewThread].
func fakeThread(t *testing.T, schedstat string, calls ...string) (*Process, *thread, *procfstest.Thread) {
	t.Helper()
	fake := procfstest.NewThread(t, schedstat, calls...)
	dir, err := procfs.OpenDir(fake.Dir)
	must(t, err)
	p := &Process{Process: &procfs.Process{Files: procfs.ThreadFiles{Dir: dir}}, options: task.StopOptions{Skip: true}}
	p.threads.all = []thread{{tid: fake.TID, sleeps: true}}
	t.Cleanup(func() {
		p.Files.Close()
		dir.Close()
	})
	return p, &p.threads.all[0], fake
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
		skipped   bool
		number    int // of the call that is told, −1: none is
	}{
		{"waits all the time", counted, []string{procfstest.InEpoll, procfstest.InEpoll}, true, 441},
		{"woken before the count", counted, []string{procfstest.InEpoll, procfstest.Running}, false, -1},
		{"woken by a signal", counted, []string{procfstest.InEpoll, procfstest.InFault}, false, -1},
		{"has ended meanwhile", counted, []string{procfstest.InEpoll}, false, -1},
		{"in another call by then", counted, []string{procfstest.InEpoll, procfstest.InAccept()}, true, callNumber(t, procfstest.InAccept())},
		{"in one that goes on, by then", counted, []string{procfstest.InEpoll, procfstest.InRead()}, false, callNumber(t, procfstest.InRead())},
		{"in one that goes on", counted, []string{procfstest.InRead(), procfstest.InEpoll}, false, callNumber(t, procfstest.InRead())},
		{"runs", counted, []string{procfstest.Running, procfstest.InEpoll}, false, -1},
		{"kernel that does not count", "0 0 0\n", []string{procfstest.InEpoll, procfstest.InEpoll}, false, 441},
		{"kernel without the file", "", []string{procfstest.InEpoll, procfstest.InEpoll}, false, 441},
	} {
		p, th, _ := fakeThread(t, test.schedstat, test.calls...)
		p.skipWaiting()
		number := -1
		if th.call.State == task.InCall {
			number = th.call.Number
		}
		if (th.phase == skipped) != test.skipped || !test.skipped && th.phase != listed || number != test.number {
			t.Errorf("%s: phase %d, call %+v", test.name, th.phase, th.call)
		}
		if test.skipped && th.runs != 7 {
			t.Errorf("%s: after %d runs", test.name, th.runs)
		}
	}
}

func callNumber(t *testing.T, line string) int {
	t.Helper()
	call, err := procfs.ParseSyscall([]byte(line))
	must(t, err)
	return call.Number
}

// TestNotToSpare: what is attached, did not sleep, or is to be stopped is not left
// alone, though it waits.
func TestNotToSpare(t *testing.T) {
	for name, change := range map[string]func(*Process, *thread){
		"not wanted": func(p *Process, _ *thread) { p.options.Skip = false },
		"insisted":   func(p *Process, th *thread) { p.options.Insist = map[task.ThreadID]bool{task.ThreadID(th.tid): true} },
		"no sleeper": func(_ *Process, th *thread) { th.sleeps = false },
		"left out":   func(_ *Process, th *thread) { th.phase = busy },
		"attached":   func(_ *Process, th *thread) { th.phase = seized },
		"no files left": func(p *Process, _ *thread) {
			for range 50 {
				p.Files.LeaveRoom() // until there is none
			}
		},
	} {
		p, th, _ := fakeThread(t, "100 20 7\n", procfstest.InEpoll, procfstest.InEpoll)
		change(p, th)
		was := th.phase
		if p.skipWaiting(); th.phase != was {
			t.Errorf("%s: phase %d", name, th.phase)
		}
	}
}

// TestSparedThreadThatRan is found out by its count, whatever that says.
func TestSparedThreadThatRan(t *testing.T) {
	for schedstat, ran := range map[string]bool{"100 20 7\n": false, "900 30 7\n": false, "100 20 8\n": true, "0 0 0\n": true, "x\n": true} {
		p, th, fake := fakeThread(t, "100 20 7\n", procfstest.InEpoll, procfstest.InEpoll)
		if p.skipWaiting(); th.phase != skipped {
			t.Fatal("it is not skipped")
		}
		fake.SetRuns(t, schedstat)
		if got := p.hasRun(th); got != ran {
			t.Errorf("%q: has run %v", schedstat, got)
		}
		p.Files.Drop(th.tid)
		if !p.hasRun(th) {
			t.Error("of a thread that is no longer known, it is known that it did not run")
		}
	}
}
