//go:build linux && (amd64 || arm64)

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
)

// TestIdleServerNoticesNothing: threads in epoll_wait are read where they wait,
// as exactly as if they were stopped.
func TestIdleServerNoticesNothing(t *testing.T) {
	const n = 4
	g := startThreads(t, n, "epoll", 50)
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == n })
	p := attach(t, g.pid)
	s := task.Snapshot{Spare: true}
	for range 1000 {
		take(t, p, &s)
		if len(s.Threads) != n || s.Stops != 0 || s.Stopped != 0 {
			t.Fatalf("%d threads, %d stops of %v", len(s.Threads), s.Stops, s.Stopped)
		}
	}
	for i := range s.Threads {
		th := &s.Threads[i]
		checkSleeper(t, g.pid, th)
		if !th.Spared || th.Unstopped || th.Call.State != task.InCall || th.Call.SP != th.Registers.SP() {
			t.Errorf("thread %d: spared %v, unstopped %v, call %+v", th.ID, th.Spared, th.Unstopped, th.Call)
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
	s := task.Snapshot{Spare: true, Insist: map[task.ThreadID]bool{}}
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
			if th.Spared != (th.ID != stopped) || th.Call.State != task.InCall || th.Call.Number != waitNumber(t, g.pid, th.ID) {
				t.Errorf("round %d, thread %d of which %d was stopped: spared %v, call %+v", round, th.ID, stopped, th.Spared, th.Call)
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
		s, err := parseSyscall(b)
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
	s := task.Snapshot{Spare: true}
	spared := 0
	for end := time.Now().Add(2 * time.Minute); spared < 300 && time.Now().Before(end); {
		take(t, p, &s)
		for i := range s.Threads {
			th := &s.Threads[i]
			if th.Err != nil || th.Registers.PC() == 0 || len(th.Stacks) != 1 {
				t.Fatalf("thread %d: %v, pc %v, %d stacks", th.ID, th.Err, th.Registers.PC(), len(th.Stacks))
			}
			if !th.Spared {
				continue
			}
			spared++
			if works, found := markOf(th); !found || works {
				t.Fatalf("thread %d: works %v, known %v", th.ID, works, found)
			}
		}
	}
	if at := tracerOf(g.pid); spared == 0 || at != 0 {
		t.Errorf("%d threads were spared; traced by %d", spared, at)
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

func TestInterruptedIn(t *testing.T) {
	call := task.Syscall{State: task.InCall, Number: 232, Args: [6]uint64{5, 0x1000, 64, ^uint64(0), 0, 8}, SP: 0x7000, PC: 0x4002}
	stands := func(change func(*task.Registers)) *task.Registers {
		r := task.Registers{Arch: task.AMD64}
		setArguments(&r, &call)
		r.Set(r.Arch.SP(), 0x7000)
		r.Set(r.Arch.PC(), 0x4002)
		r.Set(0, ^uint64(3)) // EINTR
		change(&r)
		return &r
	}
	tests := []struct {
		name   string
		change func(*task.Registers)
		want   bool
	}{
		{"EINTR", func(*task.Registers) {}, true},
		{"ERESTARTSYS", func(r *task.Registers) { r.Set(0, ^uint64(511)) }, true},
		{"ERESTART_RESTARTBLOCK", func(r *task.Registers) { r.Set(0, ^uint64(515)) }, true},
		{"returned", func(r *task.Registers) { r.Set(0, 1) }, false},
		{"failed otherwise", func(r *task.Registers) { r.Set(0, ^uint64(8)) }, false},
		{"elsewhere", func(r *task.Registers) { r.Set(r.Arch.PC(), 0x4004) }, false},
		{"deeper", func(r *task.Registers) { r.Set(r.Arch.SP(), 0x6ff8) }, false},
		{"another call", func(r *task.Registers) { r.Set(4, 0x2000) }, false},
	}
	for _, test := range tests {
		if got := interruptedIn(&call, stands(test.change)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if interruptedIn(&task.Syscall{}, stands(func(*task.Registers) {})) {
		t.Error("no call is known")
	}
}

// TestInterruptedInOnARM: the kernel winds back a call that is to be made again, and
// gives the first argument's register its value back.
func TestInterruptedInOnARM(t *testing.T) {
	call := task.Syscall{State: task.InCall, Number: 63, Args: [6]uint64{5, 0x1000, 64, 1, 2, 3}, SP: 0x7000, PC: 0x4004}
	const eintr = ^uint64(3)
	tests := []struct {
		name  string
		arch  task.Arch
		back  task.Addr // how far the pc is before that of the call
		first uint64    // argument's register
		want  bool
	}{
		{"ended", task.ARM64, 0, eintr, true},
		{"to be made again", task.ARM64, 4, 5, true},
		{"returned", task.ARM64, 0, 5, false},
		{"of another file", task.ARM64, 4, 6, false},
		{"wound back with a result", task.ARM64, 4, eintr, false},
		{"before that", task.ARM64, 8, 5, false},
		{"32 bits", task.ARM, 4, 5, true},
		{"Thumb", task.ARM, 2, 5, true},
		{"half of an instruction", task.ARM64, 2, 5, false},
		{"x86", task.AMD64, 4, 5, false},
	}
	for _, test := range tests {
		r := task.Registers{Arch: test.arch}
		setArguments(&r, &call)
		r.Set(argumentRegisters(test.arch)[0], test.first)
		r.Set(r.Arch.SP(), uint64(call.SP))
		r.Set(r.Arch.PC(), uint64(call.PC-test.back))
		if got := interruptedIn(&call, &r); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
