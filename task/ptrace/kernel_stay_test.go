//go:build linux

package ptrace

import (
	"fmt"
	"testing"

	"stacksnap/task"
	"stacksnap/task/procfs"
	"stacksnap/task/procfs/procfstest"
)

// TestKernelOfTheSameStay: frames are told of a thread that has not run since they were
// read, or only into the stop, where its registers show that it is in that call still.
func TestKernelOfTheSameStay(t *testing.T) {
	call, err := procfs.ParseSyscall([]byte(procfstest.InEpoll))
	must(t, err)
	fault, err := procfs.ParseSyscall([]byte(procfstest.InFault))
	must(t, err)
	interrupted := func(r *task.Registers) { r.Set(0, ^uint64(3)) } // EINTR
	returned := func(r *task.Registers) { r.Set(0, 1) }
	deeper := func(r *task.Registers) { interrupted(r); r.Set(r.Arch.SP(), 0x6000) }
	for _, test := range []struct {
		name       string
		call       task.Syscall
		runs       int
		change     func(*task.Registers)
		kept, left bool
	}{
		{"has not run", call, 7, interrupted, true, true},
		{"into the stop", call, 8, interrupted, false, true},
		{"and once more", call, 9, interrupted, false, false},
		{"back from the call", call, 8, returned, false, false},
		{"elsewhere", call, 8, deeper, false, false},
		{"has its page not yet", fault, 8, func(*task.Registers) {}, false, true},
		{"has its page", fault, 8, deeper, false, false},
	} {
		p, th, _ := fakeThread(t, fmt.Sprintf("100 20 %d\n", test.runs))
		if p.Files.Find(th.tid) == nil {
			t.Fatal("its files cannot be opened")
		}
		th.stay = procfs.KernelStay{Runs: 7, Call: test.call, Frames: []task.KernelFrame{{Name: "f"}}}
		r := p.RegistersOf(&test.call)
		test.change(&r)
		if got := len(p.keptKernel(th)) > 0; got != test.kept {
			t.Errorf("%s: kept %t", test.name, got)
		}
		if got := len(p.leftKernel(th, &r)) > 0; got != test.left {
			t.Errorf("%s: left %t", test.name, got)
		}
	}
}
