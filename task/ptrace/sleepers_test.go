//go:build linux && amd64

package ptrace

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs"
)

// The calls that testdata/sleepers.c makes, of 64 and of 32 bits.
var (
	sleepers = []string{
		"epoll_wait", "epoll_pwait", "epoll_pwait2", "semop", "semtimedop", "rt_sigtimedwait", "accept", "accept4", "connect",
		"recvfrom", "recvmsg", "recvmmsg", "sendto", "sendmsg", "sendmmsg",
		"read", "readv", "preadv2", "write", "writev", "pwritev2", "splice",
	}
	sleepers32 = []string{
		"epoll_wait", "epoll_pwait", "epoll_pwait2", "ipc", "semtimedop_time64", "rt_sigtimedwait_time64", "socketcall", "accept4", "connect",
		"recvfrom", "recvmsg", "recvmmsg", "recvmmsg_time64", "sendto", "sendmsg", "sendmmsg",
		"read", "readv", "preadv2", "write", "writev", "pwritev2", "splice",
	}
)

// TestEndingCallsAreSpared: of each call, by a program that makes it on a real socket with
// a time limit, a snapshot leaves the thread alone; and a stop does end it with EINTR.
func TestEndingCallsAreSpared(t *testing.T) {
	for _, test := range []struct {
		arch  task.Arch
		flag  string
		calls []string
	}{{task.AMD64, "-m64", sleepers}, {task.I386, "-m32", sleepers32}} {
		program := buildSleepers(t, test.flag)
		for _, name := range test.calls {
			t.Run(test.flag[1:]+" "+name, func(t *testing.T) {
				testEndingCall(t, program, name, numberOf(t, test.arch, name))
			})
		}
	}
}

func testEndingCall(t *testing.T, program, name string, number int) {
	pid, said := startSleeper(t, program, name, number)
	p := attach(t, pid)
	s := task.Snapshot{Skip: true}
	take(t, p, &s)
	if th := &s.Threads[0]; len(s.Threads) != 1 || !th.Skipped || th.Call.Number != number || s.Stops != 0 {
		t.Errorf("%d threads, skipped %v, call %+v, %d stops", len(s.Threads), th.Skipped, th.Call, s.Stops)
	}
	if got := numberOfCall(pid); got != number {
		t.Fatalf("it is in call %d then", got)
	}
	s.Skip = false
	take(t, p, &s)
	if line, err := said.ReadString('\n'); line != "ended EINTR\n" {
		t.Errorf("the call was stopped: %q, %v", line, err)
	}
}

// TestPipesAreStopped: a read that goes on after a stop is not left alone.
func TestPipesAreStopped(t *testing.T) {
	pid, _ := startSleeper(t, buildSleepers(t, "-m64"), "pipe", unix.SYS_READ)
	p := attach(t, pid)
	s := task.Snapshot{Skip: true}
	take(t, p, &s)
	if len(s.Threads) != 1 || s.Threads[0].Skipped || s.Stops != 1 {
		t.Errorf("%d threads, skipped %v, %d stops", len(s.Threads), s.Threads[0].Skipped, s.Stops)
	}
}

func numberOf(t *testing.T, arch task.Arch, name string) int {
	t.Helper()
	for i := range endingCalls {
		if c := &endingCalls[i]; c.name == name {
			n, _ := c.number(arch)
			return n
		}
	}
	t.Fatalf("%s is no call that a stop ends", name)
	return 0
}

func buildSleepers(t *testing.T, flag string) string {
	t.Helper()
	needs.Tool(t, "gcc")
	program := filepath.Join(t.TempDir(), "sleepers")
	out, err := exec.Command("gcc", flag, "-O1", "-w", "-nostdlib", "-static", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie", "-o", program, "testdata/sleepers.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// startSleeper starts it, and waits until it is in the call.
func startSleeper(t *testing.T, program, name string, number int) (pid int, said *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(program, strconv.Itoa(number), name)
	if strings.HasPrefix(name, "sem") || name == "ipc" { // semaphores, which end with their namespace
		needs.Root(t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWIPC}
	}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	said = bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the target said %q, %v", line, err)
	}
	eventually(t, "it is in the call", func() bool { return numberOfCall(cmd.Process.Pid) == number })
	return cmd.Process.Pid, said
}

// numberOfCall is −1 where a process is in none, or runs.
func numberOfCall(pid int) int {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/syscall")
	call, err := procfs.ParseSyscall(b)
	if err != nil || call.State != task.InCall {
		return -1
	}
	return call.Number
}
