//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// The exit codes that the manual documents (format/command/manual/exit.md).
const (
	exitOK           = 0
	exitUsage        = 2
	exitNoProcess    = 3
	exitNotPermitted = 4
	exitTargetExited = 5
)

// refused requires a code and one line on standard error with the words wanted.
func refused(t *testing.T, r result, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	if n := strings.Count(r.err, "\n"); n != 1 {
		t.Errorf("%d lines on standard error, want one:\n%s", n, r.err)
	}
	for _, w := range words {
		if !strings.Contains(r.err, w) {
			t.Errorf("%q does not say %q", r.err, w)
		}
	}
}

func TestUsage(t *testing.T) {
	if r := snap(t); r.code != exitUsage || !strings.Contains(r.err, "-p PID") {
		t.Errorf("exit code %d, %q", r.code, r.err)
	}
	refused(t, snap(t, "-d", "1s"), exitUsage, "-p")
	refused(t, snap(t, "-p", "0"), exitUsage, "pid")
	refused(t, snap(t, "-p", "-5"), exitUsage, "pid")
	refused(t, snap(t, "--no-such-flag"), exitUsage, "no-such-flag")
}

func TestNoSuchProcess(t *testing.T) {
	refused(t, snap(t, "-p", "99999999"), exitNoProcess, "99999999")
	refused(t, snap(t, "-p", "no-process-of-this-name"), exitNoProcess, "no-process-of-this-name")
}

func TestSeveralOfOneName(t *testing.T) {
	program := filepath.Join(t.TempDir(), "twin-of-e2e")
	copyFile(t, compile(t, "deep"), program)
	a, b := start(t, program, "1", "read"), start(t, program, "1", "read")
	r := snap(t, "-p", "twin-of-e2e")
	if r.code != exitUsage || !strings.Contains(r.err, pid(a)) || !strings.Contains(r.err, pid(b)) {
		t.Errorf("exit %d, want both pids in\n%s", r.code, r.err)
	}
	_ = b.Process.Kill()
	_ = b.Wait()
	if r := snap(t, "-p", "twin-of-e2e"); r.code != exitOK || !strings.Contains(r.out, pid(a)) {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

func TestItself(t *testing.T) {
	cmd := exec.Command(needs.Tool(t, "sh"), "-c", `exec "$0" -p $$`, stacksnap)
	var errOut strings.Builder
	cmd.Stderr = &errOut
	_ = cmd.Run()
	refused(t, result{err: errOut.String(), code: cmd.ProcessState.ExitCode()}, exitUsage, "itself")
}

func TestZombie(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	// WNOWAIT waits for the end and leaves the zombie.
	if err := waitNoReap(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	refused(t, snap(t, "-p", pid(cmd)), exitNoProcess, "zombie")
}

func waitNoReap(pid int) error {
	const pPID, wExited, wNoWait = 1, 4, 0x01000000
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pPID, uintptr(pid), 0, wExited|wNoWait, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func TestKernelThread(t *testing.T) {
	if b, err := os.ReadFile("/proc/2/comm"); err != nil || strings.TrimSpace(string(b)) != "kthreadd" {
		needs.Skip(t, "threads of the kernel in sight", "")
	}
	refused(t, snap(t, "-p", "2"), exitNoProcess, "kernel thread")
}

func TestAnotherUsers(t *testing.T) {
	if os.Getuid() != 0 {
		refused(t, snap(t, "-p", "1"), exitNotPermitted, "root")
		return
	}
	// Where the test is root, nobody looks at what root runs.
	target := start(t, compile(t, "deep"), "1", "read")
	refused(t, nobodys(t)("-p", pid(target)), exitNotPermitted, "run sudo stacksnap -p "+pid(target)+", for it belongs to another user (root, uid 0)")
}

func TestExitsMidway(t *testing.T) {
	program := compile(t, "odd")
	for i := range rounds(30) {
		cmd := start(t, program, "exits", fmt.Sprint(i))
		r := snap(t, "-p", pid(cmd))
		switch r.code {
		case exitOK, exitNoProcess, exitTargetExited:
		default:
			t.Errorf("exit code %d: %s", r.code, r.err)
		}
		if r.code != exitOK && strings.Count(r.err, "\n") != 1 {
			t.Errorf("not one line: %q", r.err)
		}
		_ = cmd.Wait()
	}
}

func TestExecsAndChurnsMidway(t *testing.T) {
	program := compile(t, "odd")
	for _, how := range [][]string{{"execs", "3"}, {"churn"}} {
		cmd := start(t, append([]string{program}, how...)...)
		for range rounds(50) {
			r := snap(t, "-p", pid(cmd))
			switch r.code {
			case exitOK, exitTargetExited:
			default:
				t.Fatalf("%v: exit code %d: %s", how, r.code, r.err)
			}
		}
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("%v: the target did not survive: %v", how, err)
		}
	}
}

func TestGarbageStackPointer(t *testing.T) {
	cmd := start(t, compile(t, "odd", "-O1"), "badsp")
	snapWhenSettled(t, pid(cmd), "bad_sp", "stack cut") // the first frame, and that the stack is cut
}

func TestTwoThousandThreads(t *testing.T) {
	cmd := start(t, compile(t, "deep", "-O2"), "2000", "read")
	r := snap(t, "-p", pid(cmd), "--no-merge", "--addresses")
	if r.code != exitOK {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	checkDeep(t, parseOurs(r.out), 2000)
}

func TestDeletedBinary(t *testing.T) {
	program := compile(t, "deep", "-O2")
	cmd := start(t, program, "8", "read")
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	r := snap(t, "-p", pid(cmd), "--no-merge", "--addresses")
	if r.code != exitOK || !strings.Contains(r.out, "deleted") {
		t.Errorf("exit code %d; the report says deleted: %v", r.code, strings.Contains(r.out, "deleted"))
	}
	checkDeep(t, parseOurs(r.out), 8)
}

func TestReplacedBinary(t *testing.T) {
	program := compile(t, "deep", "-O2")
	cmd := start(t, program, "8", "read")
	copyFile(t, compile(t, "odd"), program+".new")
	if err := os.Rename(program+".new", program); err != nil {
		t.Fatal(err)
	}
	r := snap(t, "-p", pid(cmd), "--no-merge", "--addresses")
	if r.code != exitOK {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	checkDeep(t, parseOurs(r.out), 8)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	// A process that is started meanwhile would hold the file open for writing for a
	// moment, in which it cannot be executed.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
}
