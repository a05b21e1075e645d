//go:build linux

package ptrace

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs"
	"stacksnap/task/procfs/procfstest"
)

// TestExecInBorrowedMemory: a child of vfork that calls exec is another program, though
// the memory that it had is there still, as its parent's.
func TestExecInBorrowedMemory(t *testing.T) {
	pid, exec := procfstest.StartVfork(t, "../procfs/testdata/vforks.c")
	p, err := Open(pid)
	needs.Ptrace(t, err)
	defer p.Close()
	if _, err := p.Threads(); err != nil {
		t.Fatalf("before exec: %v", err)
	}
	if !p.Mem.Borrowed() {
		const kcmpVM = 1 // include/uapi/linux/kcmp.h
		_, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(pid), kcmpVM, 0, 0, 0)
		if errno == 0 {
			t.Fatal("not taken for one in its parent's memory")
		}
		needs.Feature(t, "kcmp", errno, unix.ENOSYS, unix.EPERM)
	}
	exec()
	procfs.AwaitExec(pid)
	if _, err := p.Threads(); !errors.As(err, new(*task.ExitedError)) {
		t.Errorf("after exec: error %v", err)
	}
	if _, err := p.Suspend(task.StopOptions{}); !errors.As(err, new(*task.ExitedError)) {
		t.Errorf("stopped after exec: error %v", err)
	}
	again, err := Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Threads(); err != nil || again.Mem.Borrowed() {
		t.Errorf("opened after exec: %v, borrowed: %v", err, again.Mem.Borrowed())
	}
}
