package waits

import (
	"testing"
	"time"

	"stacksnap/task"
)

// TestThreadOnItsWayBack: one that was woken by the stop, and has not made its
// call again, may wait or not.
func TestThreadOnItsWayBack(t *testing.T) {
	const again = ^uint64(511) // ERESTARTSYS
	call := []byte{0x0f, 0x05}
	tests := []struct {
		name    string
		state   task.State
		same    bool
		code    []byte // at pc
		before  []byte
		result  uint64
		call    task.CallState
		settled bool
	}{
		{"about to make the call", task.Running, false, []byte{0x0f, 0x05, 0xc3}, nil, 0, task.OnProcessor, false},
		{"elsewhere", task.Running, false, []byte{0x90, 0x90, 0x90}, call, 0, task.OnProcessor, true},
		{"elsewhere, without code", task.Running, false, nil, nil, 0, task.OnProcessor, true},
		{"where it was before", task.Running, true, nil, nil, 0, task.OnProcessor, false},
		{"interrupted in it anew", task.Running, false, nil, call, again, task.OnProcessor, false},
		{"interrupted in it anew, with a time limit", task.Running, false, nil, call, again - 4, task.OnProcessor, false},
		{"a result that looks so, of no call", task.Running, false, nil, []byte{0x90, 0x90}, again, task.OnProcessor, true},
		{"a result that a program gets", task.Running, false, nil, call, ^uint64(10), task.OnProcessor, true},
		{"interrupted, and back", task.Running, false, nil, call, again, task.InCall, true},
		{"asleep, and woken", task.Sleeping, false, nil, nil, 0, task.OnProcessor, false},
		{"back", task.Sleeping, false, nil, nil, 0, task.InCall, true},
		{"back soon", task.Running, false, call, nil, 0, task.InCall, true},
	}
	for _, test := range tests {
		const pc, sp = 0x10020, 0x7000
		p := &process{
			info:   task.Info{OS: task.Linux, Arch: task.AMD64},
			memory: map[task.Addr][]byte{pc: test.code, pc - 2: test.before},
			calls:  map[task.ThreadID]task.Syscall{self: {State: test.call, Number: callNumbers["read"], SP: sp, PC: pc}},
		}
		th := &task.Thread{ID: self, State: test.state, Same: test.same}
		th.Registers.Arch = task.AMD64
		for r := range task.Reg(task.AMD64.NumRegisters()) {
			th.Registers.Set(r, 0)
		}
		th.Registers.Set(0, test.result)
		th.Registers.Set(task.AMD64.SP(), sp)
		th.Registers.Set(task.AMD64.PC(), pc)
		w, settled := New(p, nil, []task.Thread{*th}).Find(th, nil)
		if settled != test.settled || (w != nil) != (test.call == task.InCall) {
			t.Errorf("%s: waits for %+v, settled %v", test.name, w, settled)
		}
	}
}

// TestLockOfThreadOnItsWayBack: what a thread waited for as it was stopped is
// known, whether it has made the call again or not; the owner only when it has.
func TestLockOfThreadOnItsWayBack(t *testing.T) {
	tests := []struct {
		name    string
		left    time.Duration
		asks    int // in which the thread is on a processor
		owner   task.ThreadID
		settled bool
	}{
		{"back", retryTimeout, 0, other, true},
		{"back soon", retryTimeout, 3, other, true},
		{"not waited for", 0, 1, 0, false},
		{"not back in time", 2 * retryPause, 1000, 0, false},
	}
	for _, test := range tests {
		call := task.Syscall{State: task.InCall, Number: callNumbers["futex"], Args: [6]uint64{lockAt, 0x80, 2}}
		p := &process{
			info:   task.Info{OS: task.Linux, Arch: task.AMD64},
			memory: map[task.Addr][]byte{lockAt: words(2, 0, other, 1, 0, 0, 0, 0, 0, 0)},
			calls:  map[task.ThreadID]task.Syscall{self: call},
			away:   test.asks,
		}
		m, frames := stack("pthread_mutex_lock")
		th := &task.Thread{ID: self, State: task.Running, Call: call}
		f := New(p, m, []task.Thread{*th, {ID: other}})
		f.retries = Retries{test.left}
		w, settled := f.Find(th, frames)
		if w == nil || w.Addr != lockAt || w.Owner != test.owner || settled != test.settled {
			t.Errorf("%s: waits for %+v, settled %v", test.name, w, settled)
		}
	}
}

// TestNextPiece: who reads a file piece by piece is in the call for another one when he is
// asked; that is told of the same descriptor alone, and of the same place.
func TestNextPiece(t *testing.T) {
	const pc, sp, rdi, rsi, r10 = 0x10020, 0x7000, 5, 4, 10
	for name, test := range map[string]struct {
		call      string
		fd        uint64
		sp, at    uint64
		unstopped bool
		want      bool
	}{
		"the next piece":             {"pread64", 3, sp, pc, false, true},
		"the next, without a stop":   {"pread64", 3, sp, pc, true, true},
		"another file":               {"pread64", 4, sp, pc, false, false},
		"another, without a stop":    {"pread64", 4, sp, pc, true, false},
		"of another caller":          {"pread64", 3, sp + 64, pc, true, false},
		"another call":               {"pread64", 3, sp, pc + 64, true, false},
		"where the rest has meaning": {"fcntl", 3, sp, pc, false, false},
	} {
		p := &process{
			info: task.Info{OS: task.Linux, Arch: task.AMD64}, files: map[int]string{3: "/a", 4: "/b"},
			calls: map[task.ThreadID]task.Syscall{self: {
				State: task.InCall, Number: callNumbers[test.call], SP: task.Addr(test.sp), PC: task.Addr(test.at), Args: [6]uint64{test.fd, 0x5000, 4096, 8192},
			}},
		}
		th := &task.Thread{ID: self, State: task.Uninterruptible, Unstopped: test.unstopped}
		th.Registers.Arch = task.AMD64
		for r, v := range map[task.Reg]uint64{rdi: 3, rsi: 0x5000, 1: 4096, r10: 4096, 8: 0, 9: 0, task.AMD64.SP(): sp, task.AMD64.PC(): pc} {
			th.Registers.Set(r, v)
		}
		w, _ := New(p, nil, []task.Thread{*th}).Ask(th, nil)
		if (w != nil) != test.want || w != nil && w.Object != "fd 3 /a" {
			t.Errorf("%s: %+v", name, w)
		}
	}
}
