package waits

import (
	"bytes"
	"testing"

	"stacksnap/task"
)

// TestOpening: what is opened is told as the program names it, and of a named pipe, as long
// as the thread waits in the call, which end nobody has open.
func TestOpening(t *testing.T) {
	const at, open, openat = 0x5000, 2, 257 // of x86-64
	for _, tt := range []struct {
		about  string
		number int
		args   [6]uint64
		wchan  string
		left   int
		want   string
	}{
		{"to read", openat, [6]uint64{0xffffff9c, at, 0}, "wait_for_partner", 0, "/tmp/it, a named pipe that nobody has open for writing"},
		{"to write", open, [6]uint64{at, 0x241, 0x1b6}, "fifo_open", 0, "/tmp/it, a named pipe that nobody has open for reading"},
		{"to write, at a folder", openat, [6]uint64{0xffffff9c, at, 0x241, 0x1b6}, "fifo_open", 0, "/tmp/it, a named pipe that nobody has open for reading"},
		{"without waiting for the other end", open, [6]uint64{at, 2, 0}, "wait_for_partner", 0, "/tmp/it"},
		{"something else", openat, [6]uint64{7, at, 0}, "request_wait_answer", 0, "/tmp/it"},
		{"it went on", openat, [6]uint64{0xffffff9c, at, 0}, "wait_for_partner", 1, "/tmp/it"},
		{"a path that cannot be read", openat, [6]uint64{0xffffff9c, 1, 0}, "wait_for_partner", 0, "???, a named pipe that nobody has open for writing"},
	} {
		s := task.Syscall{State: task.InCall, Number: tt.number, Args: tt.args}
		p := &process{
			info:   task.Info{OS: task.Linux, Arch: task.AMD64},
			calls:  map[task.ThreadID]task.Syscall{self: s},
			wchans: map[task.ThreadID]string{self: tt.wchan},
			memory: map[task.Addr][]byte{at: append([]byte("/tmp/it\x00"), bytes.Repeat([]byte("x"), maxPath)...)},
			left:   tt.left,
		}
		th := &task.Thread{ID: self, State: task.Sleeping, Call: s}
		w, _ := New(p, nil, []task.Thread{*th}).Find(th, nil)
		if w == nil || w.Object != tt.want {
			t.Errorf("%s: %+v, want %q", tt.about, w, tt.want)
		}
	}
}

// TestWaitID tells whom waitid(2) waits for: P_ALL is 0, P_PID 1, P_PGID 2, P_PIDFD 3.
func TestWaitID(t *testing.T) {
	for kind, want := range map[uint64]string{
		0: childObject(-1), 1: childObject(42), 2: "a process of group 42 to end", 3: childObject(-1), 1<<32 | 2: "a process of group 42 to end",
	} {
		if got := childOf(nil, &call{Call: Call{callRow: callRow{shape: childID}}, Syscall: task.Syscall{Args: [6]uint64{kind, 42}}}); got != want {
			t.Errorf("%d: %q, want %q", kind, got, want)
		}
	}
}
