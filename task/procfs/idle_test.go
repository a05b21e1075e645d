//go:build linux

package procfs

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
)

// captured is a thread as it was when a syscall file said this.
func captured(t *testing.T, line string) *task.Thread {
	t.Helper()
	call, err := ParseSyscall([]byte(line))
	must(t, err)
	th := &task.Thread{ID: 4711}
	th.Registers = (&Process{facts: task.Info{Arch: HostArch()}}).RegistersOf(&call)
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
		{"in its call", procfstest.InEpoll, procfstest.InEpoll, task.Sleeping, 'S', true},
		{"in another call", procfstest.InEpoll, procfstest.InAccept(), task.Sleeping, 'S', false},
		{"running", procfstest.InEpoll, procfstest.Running, task.Sleeping, 'R', false},
		{"gone", procfstest.InEpoll, "", task.Sleeping, 'S', false},
		{"held", procfstest.InFault, procfstest.InFault, task.Stopped, 'T', true},
		{"held elsewhere", procfstest.InFault, other, task.Stopped, 'T', false},
		{"held since", procfstest.InFault, procfstest.InFault, task.Running, 'T', false},
		{"held no more", procfstest.InFault, procfstest.InFault, task.Stopped, 'S', false},
	} {
		p, fake := fakeThread(t, "", test.now)
		fake.SetState(t, test.is, "")
		k := captured(t, test.captured)
		if k.State = test.was; p.unchanged(fake.TID, k) != test.want {
			t.Errorf("%s: not %v", test.name, test.want)
		}
	}
}

// TestIdleUntilItRuns: that a thread rests is asked once, and again when it has come to
// a processor since.
func TestIdleUntilItRuns(t *testing.T) {
	p, fake := fakeThread(t, "100 20 7\n", procfstest.InEpoll, procfstest.Running, procfstest.InEpoll)
	fake.SetState(t, 'S', "")
	k := captured(t, procfstest.InEpoll)
	k.State = task.Sleeping
	idle := func(want bool, when string) {
		t.Helper()
		if got := p.NotRun(task.ThreadID(fake.TID), k); got != want {
			t.Errorf("%s: idle %v", when, got)
		}
	}
	idle(true, "first")
	idle(true, "without a run")
	fake.SetRuns(t, "200 20 8\n")
	idle(false, "after a run, on a processor")
	idle(true, "back in its call")
	fake.SetRuns(t, "200 20 9\n")
	idle(false, "ended")
	fake.SetRuns(t, "0 0 0\n")
	idle(false, "not counted")
}

// TestSameBytes compares with this very process's memory, of which a page is missing.
func TestSameBytes(t *testing.T) {
	page := os.Getpagesize()
	b, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	must(t, err)
	t.Cleanup(func() { _ = unix.Munmap(b) })
	p := &Process{Mem: Memory{TID: unix.Getpid(), file: -1, pages: newResidency()}}
	base := task.Addr(uintptr(unsafe.Pointer(&b[0])))
	probe := make([]byte, 1)
	if n, err := p.Mem.copy(probe, base); n != 1 {
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

// TestIdleWhileItRuns: one that ran when it was described is asked for its state first, and
// for its call only when it does not run still. What it was asked it is described by, once.
func TestIdleWhileItRuns(t *testing.T) {
	p, fake := fakeThread(t, "100 20 7\n", procfstest.InEpoll, procfstest.InEpoll)
	id := task.ThreadID(fake.TID)
	k := captured(t, procfstest.InEpoll)
	k.State = task.Running
	fake.SetState(t, 'R', "")
	if p.NotRun(id, k) {
		t.Error("idle as it runs")
	}
	fake.SetState(t, 'S', "")
	for _, want := range []task.State{task.Running, task.Sleeping} {
		if must(t, p.Describe(id, k)); k.State != want {
			t.Errorf("described as %v, want %v", k.State, want)
		}
	}
	k.State = task.Running
	fake.SetState(t, 'S', "")
	if !p.NotRun(id, k) || k.State != task.Sleeping {
		t.Errorf("not idle back in its call, %v", k.State)
	}
	if call, err := p.Files.Call(fake.TID); err != nil || call.State != task.InCall {
		t.Error("its call was asked for as it ran")
	}
	if p.Files.of[fake.TID].call < 0 {
		t.Error("the file of its call is not kept")
	}
}

// TestIdleOfAnother: what was read of one thread does not describe another, nor the same
// when something else was read since.
func TestIdleOfAnother(t *testing.T) {
	p, fake := fakeThread(t, "100 20 7\n", procfstest.InEpoll)
	fake.SetState(t, 'R', "")
	k := captured(t, procfstest.InEpoll)
	k.State = task.Running
	if p.NotRun(task.ThreadID(fake.TID), k) {
		t.Error("idle as it runs")
	}
	if err := p.Describe(task.ThreadID(fake.TID+1), k); err != task.ErrThreadGone {
		t.Errorf("a thread that is not there: %v", err)
	}
	for name, read := range map[string]func(){
		"state": func() { p.Files.State(fake.TID) },
		"stat":  func() { p.Files.readKept(fake.TID) },
	} {
		fake.SetState(t, 'R', "")
		p.Files.isReady(fake.TID)
		fake.SetState(t, 'S', "")
		read()
		if must(t, p.Describe(task.ThreadID(fake.TID), k)); k.State != task.Sleeping {
			t.Errorf("after its %s was read: %v", name, k.State)
		}
	}
}
