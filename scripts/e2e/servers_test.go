//go:build linux && amd64 && servers

package e2e

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// oneShots are taken of each process at least.
const oneShots = 20

// shot is what a one-shot tells of a process.
type shot struct {
	Stops   int
	Summary string
	Target  struct {
		LoadAddress string `json:"load_address"`
	}
	Walks    int
	ToBottom int `json:"walks_to_bottom"`
	Threads  []shotThread
}

type shotThread struct {
	ID    int
	Name  string
	Main  bool
	State string
	Error string
	Wait  *struct{ Call, Object, Lock string }
	Nodes []shotNode // the outermost first
}

type shotNode struct {
	Function string
	Address  string
	By       string
	Guess    bool
	Cut      *struct{ Reason, Detail string }
}

func takeShot(t *testing.T, pid int) shot {
	t.Helper()
	r := snap(t, "-p", strconv.Itoa(pid), "-f", "json", "--max-stop", "10s")
	switch {
	case r.code == exitNotPermitted:
		needs.Skip(t, "ptrace", r.err)
	case r.code != exitOK:
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	var s shot
	if err := json.Unmarshal([]byte(r.out), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestServers: of a server with nothing to do, each one-shot tells what each thread
// waits for, and each stack to a bottom that is one, or where it is cut.
func TestServers(t *testing.T) {
	eachServer(t, func(t *testing.T, s *server) {
		for _, pid := range s.processes(t) {
			var threads, atRest, told, n int
			eventually(t, "what the process waits for is told", func() bool {
				before := standing(t, pid)
				shot := takeShot(t, pid)
				atRest += s.judge(t, pid, &shot, before, standing(t, pid))
				threads += len(shot.Threads)
				if mainOf(&shot).Wait != nil {
					told++
				}
				n++
				return n >= oneShots && told > 0 || t.Failed()
			})
			t.Logf("process %d: %d one-shots of %d threads in all, at rest %d; %d times the first one's wait is told", pid, n, threads, atRest, told)
		}
	})
}

// judge compares a one-shot with what the kernel told before and after it, and
// returns how many threads were at rest all the time.
func (s *server) judge(t *testing.T, pid int, shot *shot, before, after map[int]stand) (atRest int) {
	t.Helper()
	starts := startsOf(t, pid, shot)
	for i := range shot.Threads {
		th := &shot.Threads[i]
		checkEnd(t, th, starts)
		if was, is := before[th.ID], after[th.ID]; rested(was, is, shot.Stops) && (was.runs == is.runs || th.State == "sleeping") {
			s.checkWait(t, th, was)
			atRest++
		}
	}
	if shot.Walks != len(shot.Threads) || shot.ToBottom > shot.Walks {
		t.Errorf("%d threads, %d of %d walks reached the bottom", len(shot.Threads), shot.ToBottom, shot.Walks)
	}
	return atRest
}

func mainOf(shot *shot) shotThread {
	for _, th := range shot.Threads {
		if th.Main {
			return th
		}
	}
	return shotThread{}
}

// rested reports whether a thread stood in one call from before a one-shot until after
// it. It did where it did not come to a processor. One that was stopped came to one
// twice for each stop, to stand and to go on; so does one whose time to wait was over
// and that was stopped as it ran. So that counts only where nobody but another thread,
// in a server with nothing to do, could have ended its wait.
func rested(was, is stand, stops int) bool {
	call, blocked := callOf(was)
	switch ran := is.runs - was.runs; {
	case !blocked || was.call != is.call:
		return false
	case ran == 0:
		return true
	default:
		return call.isEndless() && ran == uint64(2*stops)
	}
}

func (c blockedCall) pc() string { return c.words[len(c.words)-1] }

// isEndless reports whether a call has no limit of time, and goes on after a stop as
// if there was none.
func (c blockedCall) isEndless() bool {
	switch c.number {
	case syscall.SYS_FUTEX:
		return c.words[3] == "0x0"
	case syscall.SYS_RT_SIGSUSPEND:
		return true
	}
	return false
}

// callNames are those of calls that servers wait in.
var callNames = map[int]string{
	syscall.SYS_EPOLL_WAIT: "epoll_wait", syscall.SYS_EPOLL_PWAIT: "epoll_pwait", syscall.SYS_ACCEPT: "accept",
	syscall.SYS_ACCEPT4: "accept4", syscall.SYS_FUTEX: "futex", syscall.SYS_POLL: "poll", syscall.SYS_SELECT: "select",
	syscall.SYS_PSELECT6: "pselect6", syscall.SYS_READ: "read", syscall.SYS_RT_SIGSUSPEND: "rt_sigsuspend",
}

// eventCalls are those in which servers wait for events, and which a stop would end.
var eventCalls = map[int]bool{
	syscall.SYS_EPOLL_WAIT: true, syscall.SYS_EPOLL_PWAIT: true, syscall.SYS_ACCEPT: true, syscall.SYS_ACCEPT4: true,
}

// checkWait wants the call, and of one for events what it is about, told of a thread
// that stood in it.
func (s *server) checkWait(t *testing.T, th *shotThread, was stand) {
	t.Helper()
	call, _ := callOf(was)
	if th.State != "sleeping" || th.Wait == nil {
		t.Errorf("thread %d %q is %s and waits for %+v; it stood in %s", th.ID, th.Name, th.State, th.Wait, was.call)
		return
	}
	if want, ok := callNames[call.number]; ok && th.Wait.Call != want {
		t.Errorf("thread %d %q waits in %s, it stood in %s (%s)", th.ID, th.Name, th.Wait.Call, want, was.call)
	}
	if th.Main && strings.HasPrefix(th.Wait.Call, "epoll") && !strings.Contains(th.Wait.Object, "which watches") {
		t.Errorf("thread %d %q: what epoll watches is not told: %q", th.ID, th.Name, th.Wait.Object)
	}
	if inner := innermost(th); inner.Address != call.pc() {
		t.Errorf("thread %d %q: the innermost frame is %+v, it stood at %s", th.ID, th.Name, inner, call.pc())
	}
}

func innermost(th *shotThread) shotNode {
	if len(th.Nodes) == 0 {
		return shotNode{}
	}
	return th.Nodes[len(th.Nodes)-1]
}

// span is a range of addresses.
type span struct{ from, to uint64 }

// startLength is more than the code has from a program's entry to where it calls.
const startLength = 64

// startsOf is where the program's first thread begins: at the entry in its file.
func startsOf(t *testing.T, pid int, shot *shot) span {
	t.Helper()
	f, err := elf.Open(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	load, err := strconv.ParseUint(shot.Target.LoadAddress, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	entry := f.Entry
	if f.Type == elf.ET_DYN {
		entry += load
	}
	return span{entry, entry + startLength}
}

// endsThread reports whether a thread's code at an address is the system call exit, as it
// is behind the call in clone3, which has a name only with debug symbols.
func endsThread(id int, a uint64) bool {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", id))
	if err != nil {
		return false
	}
	defer f.Close()
	code := make([]byte, 16)
	_, err = f.ReadAt(code, int64(a))
	exit := []byte{0xb8, 60, 0, 0, 0, 0x0f, 0x05} // mov $60, %eax; syscall
	return err == nil && bytes.Contains(code, exit)
}

// checkEnd wants a stack to end where a thread begins, or to say why it does not.
func checkEnd(t *testing.T, th *shotThread, starts span) {
	t.Helper()
	if len(th.Nodes) == 0 {
		if th.Error == "" {
			t.Errorf("thread %d %q has no frames, and nothing says why", th.ID, th.Name)
		}
		return
	}
	outermost := th.Nodes[0]
	a, _ := strconv.ParseUint(outermost.Address, 0, 64)
	begins := a >= starts.from && a < starts.to || strings.Contains(outermost.Function, "clone") ||
		outermost.Function == "" && endsThread(th.ID, a)
	switch cut := outermost.Cut; {
	case cut == nil && !begins:
		t.Errorf("thread %d %q ends in %+v, as if that was its bottom", th.ID, th.Name, outermost)
	case cut != nil && begins:
		t.Errorf("thread %d %q is said to be cut (%+v) at its bottom, %+v", th.ID, th.Name, cut, outermost)
	case cut != nil && cut.Reason == "":
		t.Errorf("thread %d %q is cut for no reason", th.ID, th.Name)
	}
}
