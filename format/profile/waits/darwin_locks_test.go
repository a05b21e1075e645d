package waits

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// darwinThread is one in a call: its registers and the code before its pc.
func darwinThread(arch task.Arch, number int, args [6]uint64) (*task.Thread, []byte) {
	const pc = 0x8010
	t := &task.Thread{ID: self, State: task.Sleeping}
	r := &t.Registers
	r.Arch = arch
	r.Set(arch.SP(), 0x7000)
	r.Set(arch.PC(), pc)
	for i, reg := range argumentRegisters(arch) {
		r.Set(reg, args[i])
	}
	code := make([]byte, 0x40)
	if arch == task.ARM64 {
		r.Set(x16Reg, uint64(int64(number)))
		copy(code[pc-4-0x8000:], words(svc80))
		return t, code
	}
	class := uint64(2) << classBit
	if number < 0 {
		class, number = 1<<classBit, -number
	}
	r.Set(raxReg, class|uint64(number))
	copy(code[pc-2-0x8000:], []byte{0x0f, 0x05})
	return t, code
}

func TestDarwin(t *testing.T) {
	pthread := func(at int, owner uint64) []byte {
		b := make([]byte, 64)
		copy(b[at:], words(uint32(owner), uint32(owner>>32)))
		return b
	}
	tests := []struct {
		name   string
		number int
		args   [6]uint64
		lock   []byte
		want   *profile.Wait
	}{
		{"mutex", 301, [6]uint64{lockAt}, pthread(24, otherID), &profile.Wait{
			Call: "psynch_mutexwait", Lock: profile.Mutex, Addr: lockAt, Owner: otherID, OwnerName: "other"}},
		{"misaligned mutex", 301, [6]uint64{lockAt + 4}, pthread(32, otherID), &profile.Wait{
			Call: "psynch_mutexwait", Lock: profile.Mutex, Addr: lockAt + 4, Owner: otherID, OwnerName: "other"}},
		{"mutex of a thread that has ended", 301, [6]uint64{lockAt}, pthread(24, 5), &profile.Wait{
			Call: "psynch_mutexwait", Lock: profile.Mutex, Addr: lockAt}},
		{"mutex that it has got meanwhile", 301, [6]uint64{lockAt, 0, 0, otherID}, pthread(24, self), &profile.Wait{
			Call: "psynch_mutexwait", Lock: profile.Mutex, Addr: lockAt}},
		{"mutex that it held before", 301, [6]uint64{lockAt, 0, 0, self}, pthread(24, self), &profile.Wait{
			Call: "psynch_mutexwait", Lock: profile.Mutex, Addr: lockAt, Owner: self, OwnerName: "self"}},
		{"rwlock", 307, [6]uint64{lockAt}, pthread(24, otherID), &profile.Wait{
			Call: "psynch_rw_wrlock", Lock: profile.ReadWrite, Addr: lockAt, Owner: otherID, OwnerName: "other"}},
		{"unfair lock", 515, [6]uint64{0x1000002, lockAt, 0}, words(0x1a02), &profile.Wait{
			Call: "ulock_wait", Lock: profile.UnfairLock, Addr: lockAt, Owner: otherID, OwnerName: "other"}},
		{"unfair lock of nobody's port", 544, [6]uint64{2, lockAt, 0}, words(0x7703), &profile.Wait{
			Call: "ulock_wait2", Lock: profile.UnfairLock, Addr: lockAt}},
		{"compare and wait", 515, [6]uint64{1, lockAt, 0}, words(1), &profile.Wait{Call: "ulock_wait", Object: "word 0x5000"}},
		{"condition", 305, [6]uint64{lockAt}, words(1), &profile.Wait{Call: "psynch_cvwait", Object: "condition variable 0x5000"}},
		{"run loop", -31, [6]uint64{lockAt, 2}, nil, &profile.Wait{Call: "mach_msg"}},
		{"read", 3, [6]uint64{5}, nil, &profile.Wait{Call: "read", Object: "fd 5"}},
	}
	for _, arch := range []task.Arch{task.AMD64, task.ARM64} {
		for _, test := range tests {
			thread, code := darwinThread(arch, test.number, test.args)
			p := onDarwin(arch)
			p.memory[lockAt], p.memory[0x8000] = test.lock, code
			f := New(darwinProcess{p}, nil, []task.Thread{{ID: self, Name: "self"}, {ID: otherID, Name: "other"}})
			w, _ := f.Find(thread, nil)
			if diff := cmp.Diff(test.want, w); diff != "" {
				t.Errorf("%v %s: %s", arch, test.name, diff)
			}
			thread.State = task.Running
			if w, _ := f.Find(thread, nil); w != nil {
				t.Errorf("%v %s: %+v of a thread that runs", arch, test.name, w)
			}
			thread.State = task.Sleeping
			clear(p.memory[0x8000])
			if w, _ := f.Find(thread, nil); w != nil {
				t.Errorf("%v %s: %+v of a thread that is in no call", arch, test.name, w)
			}
		}
	}
}

// darwinProcess is one whose system does not tell of calls.
type darwinProcess struct{ task.Process }

func (p darwinProcess) Capabilities() task.Capabilities {
	able := p.Process.Capabilities()
	able.Waits, able.Peers = nil, nil
	return able
}

func onDarwin(arch task.Arch) *process {
	slots := func(port uint32) []byte { return words(0, 0, 0, 0, 0, 0, port, 0) }
	return &process{
		info:    task.Info{OS: task.Darwin, Arch: arch},
		handles: map[task.ThreadID]task.Addr{self: 0x20000, 0x2_0000_0065: 0x21000},
		memory:  map[task.Addr][]byte{0x20000: slots(0x1903), 0x21000: slots(0x1a03)},
	}
}

func TestIdle(t *testing.T) {
	receive, send := [6]uint64{0, 2}, [6]uint64{0, 3}
	loop, _ := Lookup(task.Darwin, task.ARM64, -47)
	if !loop.Idle(receive) || loop.Idle(send) {
		t.Errorf("mach_msg2: receive idle %v, send and receive idle %v", loop.Idle(receive), loop.Idle(send))
	}
	read, _ := Lookup(task.Linux, task.ARM64, 63)
	if read.Name != "read" || read.Idle(receive) {
		t.Errorf("%+v", read)
	}
	if c, ok := Lookup(task.Linux, task.I386, 1); ok {
		t.Errorf("exit of i386 is %+v", c)
	}
	for number, name := range map[int]string{3: "read", 190: "vfork", 240: "futex", 256: "epoll_wait"} {
		if c, _ := Lookup(task.Linux, task.I386, number); c.Name != name {
			t.Errorf("call %d of i386 is %+v, not %s", number, c, name)
		}
	}
	for number, name := range i386Numbers {
		if _, ok := linuxCalls()[name]; !ok && name != "" {
			t.Errorf("call %d of i386, %s, is not described", number, name)
		}
	}
}
