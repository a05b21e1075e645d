//go:build linux

package procfs

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
)

// TestBorrowedMemory: a child of vfork that calls exec is another program, though
// the memory that it had is there still, as its parent's.
func TestBorrowedMemory(t *testing.T) {
	pid, exec := procfstest.StartVfork(t, "testdata/vforks.c")
	if _, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(pid), kcmpVM, 0, 0, 0); errno != 0 {
		needs.Feature(t, "kcmp", errno, unix.ENOSYS, unix.EPERM)
	}
	p := openTarget(t, pid)
	if p.Mem.Replaced() || !p.Mem.Borrowed() {
		t.Fatalf("before exec: replaced %v, borrowed %v", p.Mem.Replaced(), p.Mem.Borrowed())
	}
	exec()
	AwaitExec(pid)
	if !p.Mem.Replaced() {
		t.Error("the program before exec is still there")
	}
	if again := openTarget(t, pid); again.Mem.Replaced() || again.Mem.Borrowed() {
		t.Errorf("opened after exec: replaced %v, borrowed %v", again.Mem.Replaced(), again.Mem.Borrowed())
	}
}

// TestAwaitExec does not wait for what has called exec, or is no more, and waits for
// what has not.
func TestAwaitExec(t *testing.T) {
	AwaitExec(os.Getpid())
	AwaitExec(1 << 30)
	pid, exec := procfstest.StartVfork(t, "testdata/vforks.c")
	if hasExeced(pid) {
		t.Error("a child of vfork is taken for one that has called exec")
	}
	exec()
	AwaitExec(pid)
	if !hasExeced(pid) {
		t.Error("exec was not waited for")
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	AwaitExec(pid)
}
