//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

const (
	counts  = "100 20 7\n"
	inQueue = "[<0>] ep_poll+0x1a/0x60\n"
)

// pathOf is that of a file of a fake thread, also for other processes.
func pathOf(p *Process, name string) string {
	return fmt.Sprintf("/proc/%d/fd/%d/%d/%s", os.Getpid(), p.threads.dir, p.threads.all[0].tid, name)
}

func seesKernels(p *Process) {
	p.kernel.known, p.kernel.buf = map[string][]task.KernelFrame{}, make([]byte, maxKernelText)
}

// TestStayIsProven: frames in the kernel are those of a thread that was off a processor
// when its count of runs was known.
func TestStayIsProven(t *testing.T) {
	for _, test := range []struct {
		name, schedstat, call string
		known                 bool
	}{
		{"waits in a call", counts, inEpoll, true},
		{"waits for a page", counts, inFault, true},
		{"runs", counts, running, false},
		{"kernel that does not count", "0 0 0\n", inEpoll, false},
		{"kernel without the file", "", inEpoll, false},
	} {
		p, th := fakeThread(t, test.schedstat, test.call)
		seesKernels(p)
		writeFile(t, pathOf(p, "stack"), inQueue)
		s := p.stayOf(th.tid)
		if known := len(s.frames) == 1 && s.frames[0].Name == "ep_poll" && s.runs == 7; known != test.known || !known && len(s.frames) > 0 {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
}

// TestStayThatEnds: the thread comes to a processor while its frames are read.
func TestStayThatEnds(t *testing.T) {
	p, th := fakeThread(t, counts, inEpoll)
	seesKernels(p)
	must(t, unix.Mkfifo(pathOf(p, "stack"), 0o600))
	other := exec.Command(needs.Tool(t, "sh"), "-c", `exec 3>"$0"; printf '900 30 8\n' >"$1"; printf '`+inQueue[:len(inQueue)-1]+`\n' >&3`, pathOf(p, "stack"), pathOf(p, "schedstat"))
	must(t, other.Start())
	s := p.stayOf(th.tid)
	must(t, other.Wait())
	if len(s.frames) > 0 {
		t.Errorf("%+v", s)
	}
}

// TestKernelOfTheSameStay: frames are told of a thread that has not run since they were
// read, or only into the stop, where its registers show that it is in that call still.
func TestKernelOfTheSameStay(t *testing.T) {
	call, err := parseSyscall([]byte(inEpoll))
	must(t, err)
	fault, err := parseSyscall([]byte(inFault))
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
		p, th := fakeThread(t, fmt.Sprintf("100 20 %d\n", test.runs))
		if p.rests.start(); p.rests.find(p.threads.dir, th.tid) == nil {
			t.Fatal("its files cannot be opened")
		}
		th.stay = stay{7, test.call, []task.KernelFrame{{Name: "f"}}}
		r := task.Registers{Arch: task.AMD64}
		setArguments(&r, &test.call)
		r.Set(r.Arch.SP(), uint64(test.call.SP))
		r.Set(r.Arch.PC(), uint64(test.call.PC))
		test.change(&r)
		if got := len(p.keptKernel(th)) > 0; got != test.kept {
			t.Errorf("%s: kept %t", test.name, got)
		}
		if got := len(p.leftKernel(th, &r)) > 0; got != test.left {
			t.Errorf("%s: left %t", test.name, got)
		}
	}
}
