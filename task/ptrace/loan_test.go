//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// startVfork starts testdata/vforks, and returns the child that has its parent's
// memory until go is called, which waits for its exec.
func startVfork(t *testing.T) (pid int, goOn func()) {
	t.Helper()
	needs.Tool(t, "gcc")
	program := filepath.Join(t.TempDir(), "vforks")
	if msg, err := exec.Command("gcc", "-w", "-o", program, "testdata/vforks.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	cmd := exec.Command(program)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 32)
	n, _ := out.Read(line) // an error shows in what is missing
	var err error
	if pid, err = strconv.Atoi(strings.TrimSpace(string(line[:n]))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Kill(pid, unix.SIGKILL)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return pid, func() {
		if _, err := in.Write([]byte("!")); err != nil {
			t.Fatal(err)
		}
		AwaitExec(pid)
	}
}

// TestExecInBorrowedMemory: a child of vfork that calls exec is another program, though
// the memory that it had is there still, as its parent's.
func TestExecInBorrowedMemory(t *testing.T) {
	pid, goOn := startVfork(t)
	p, err := Open(pid)
	needs.Ptrace(t, err)
	defer p.Close()
	if _, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(pid), kcmpVM, 0, 0, 0); errno != 0 {
		needs.Feature(t, "kcmp", errno, unix.ENOSYS, unix.EPERM)
	}
	if _, err := p.Threads(); err != nil || p.mem.loan == nil {
		t.Fatalf("before exec: %v, borrowed: %v", err, p.mem.loan != nil)
	}
	goOn()
	if _, err := p.Threads(); !errors.As(err, new(*task.ExitedError)) {
		t.Errorf("after exec: error %v", err)
	}
	if _, err := p.Suspend(); !errors.As(err, new(*task.ExitedError)) {
		t.Errorf("stopped after exec: error %v", err)
	}
	again, err := Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Threads(); err != nil || again.mem.loan != nil {
		t.Errorf("opened after exec: %v, borrowed: %v", err, again.mem.loan != nil)
	}
}

// TestAwaitExec does not wait for what has called exec, or is no more, and waits for
// what has not.
func TestAwaitExec(t *testing.T) {
	AwaitExec(os.Getpid())
	AwaitExec(1 << 30)
	pid, goOn := startVfork(t)
	if hasExeced(pid) {
		t.Error("a child of vfork is taken for one that has called exec")
	}
	goOn()
	if !hasExeced(pid) {
		t.Error("exec was not waited for")
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	AwaitExec(pid)
}
