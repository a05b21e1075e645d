package waits

import (
	"reflect"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestPageFault: a thread that waits in no call waits for a page where the kernel
// says so, and it was not seen to go on meanwhile.
func TestPageFault(t *testing.T) {
	const pc, sp = 0x10020, 0x7000
	provided := &profile.Wait{Call: profile.PageFault, Object: "memory that is provided through userfaultfd"}
	for _, tt := range []struct {
		about   string
		state   task.State
		at      task.Syscall
		wchan   string
		left    int
		want    *profile.Wait
		settled bool
	}{
		{"userfaultfd", task.Sleeping, task.Syscall{SP: sp, PC: pc}, "handle_userfault", 0, provided, true},
		{"from disk, swap or another place", task.Uninterruptible, task.Syscall{SP: sp, PC: pc}, "folio_wait_bit_common", 0,
			&profile.Wait{Call: profile.PageFault, Object: "a page of memory that is being read or moved"}, true},
		{"something else", task.Sleeping, task.Syscall{SP: sp, PC: pc}, "do_coredump", 0, nil, true},
		{"not told", task.Sleeping, task.Syscall{SP: sp, PC: pc}, "", 0, nil, true},
		{"it went on", task.Sleeping, task.Syscall{SP: sp, PC: pc}, "handle_userfault", 1, nil, true},
		{"another place", task.Sleeping, task.Syscall{SP: sp, PC: pc + 2}, "handle_userfault", 0, nil, false},
		{"another stack", task.Sleeping, task.Syscall{SP: sp - 8, PC: pc}, "handle_userfault", 0, nil, false},
		{"running", task.Running, task.Syscall{SP: sp, PC: pc}, "handle_userfault", 0, nil, true},
	} {
		tt.at.State, tt.at.Number = task.InFault, -1
		p := &process{
			info:   task.Info{OS: task.Linux, Arch: task.AMD64},
			calls:  map[task.ThreadID]task.Syscall{self: tt.at},
			wchans: map[task.ThreadID]string{self: tt.wchan},
			left:   tt.left,
		}
		th := &task.Thread{ID: self, State: tt.state}
		th.Registers.Arch = task.AMD64
		th.Registers.Set(task.AMD64.SP(), sp)
		th.Registers.Set(task.AMD64.PC(), pc)
		if w, settled := New(p, nil, []task.Thread{*th}).Find(th, nil); !reflect.DeepEqual(w, tt.want) || settled != tt.settled {
			t.Errorf("%s: waits for %+v, settled %v; want %+v, %v", tt.about, w, settled, tt.want, tt.settled)
		}
	}
}

// TestEndedCall: a thread was in a call that waits for a disk until it was told to stop, if it
// sleeps so that nothing wakes it, or if the call is there for nothing else.
func TestEndedCall(t *testing.T) {
	const pc, sp = 0x10020, 0x7000
	for _, tt := range []struct {
		call  string
		state task.State
		code  string // before pc
		waits bool
	}{
		{"fsync", task.Running, "\x0f\x05", true},
		{"fsync", task.Uninterruptible, "\x0f\x05", true},
		{"sync", task.Running, "\x0f\x05", true},
		{"pread64", task.Uninterruptible, "\x0f\x05", true},
		{"pread64", task.Running, "\x0f\x05", false},
		{"epoll_wait", task.Running, "\x0f\x05", false},
		{"fsync", task.Running, "\x90\x90", false},
	} {
		p := &process{
			info: task.Info{OS: task.Linux, Arch: task.AMD64}, files: map[int]string{3: "/var/journal"},
			memory: map[task.Addr][]byte{pc - 2: []byte(tt.code)},
			calls:  map[task.ThreadID]task.Syscall{self: {State: task.OnProcessor}},
		}
		th := &task.Thread{ID: self, State: tt.state}
		var number int
		for n, name := range amd64Numbers {
			if name == tt.call {
				number = n
			}
		}
		th.HasEnded, th.EndedCall = true, int32(number)
		th.Registers.Arch = task.AMD64
		for i, reg := range []task.Reg{5, 4, 1, 10, 8, 9} { // rdi, rsi, rdx, r10, r8, r9
			th.Registers.Set(reg, []uint64{3, 0, 0, 0, 0, 0}[i])
		}
		th.Registers.Set(task.AMD64.SP(), sp)
		th.Registers.Set(task.AMD64.PC(), pc)
		w, _ := New(p, nil, []task.Thread{*th}).Find(th, nil)
		if (w != nil) != tt.waits || w != nil && w.Call != tt.call {
			t.Errorf("%+v: waits for %+v", tt, w)
		}
		want := task.Syscall{State: task.InCall, Number: number, Args: [6]uint64{3}, SP: sp, PC: pc}
		if got := endedCall(th); got != want {
			t.Errorf("%+v: the call is %+v, want %+v", tt, got, want)
		}
	}
}
