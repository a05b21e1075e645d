//go:build linux

package e2e

import (
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// TestInterruptedWhileReading ends stacksnap by one SIGINT while it prints to what nobody
// reads, which does not heed the context.
func TestInterruptedWhileReading(t *testing.T) {
	if ossignal.Ignored(os.Interrupt) { // as under nohup; what we start ignores it, too
		needs.Skip(t, "SIGINT", "it is ignored here")
	}
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	dir := t.TempDir()
	recording := filepath.Join(dir, "recording")
	if r := snap(t, "-p", pid(target), "--save", recording); r.code != 0 {
		t.Fatal(r.err)
	}
	for name, args := range map[string][]string{
		"replay": {recording}, "one snapshot": {"-p", pid(target)}, "samples": {"-p", pid(target), "-n", "5"},
	} {
		pipe := filepath.Join(dir, name)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		fillPipe(t, pipe)
		cmd := exec.Command(stacksnap, append(args, "-o", pipe)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hasOpen(t, cmd.Process.Pid, pipe)
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
			t.Errorf("%s: %v", name, cmd.ProcessState)
		}
	}
}

// fillPipe has a pipe take no more, and keeps an end of it that reads.
func fillPipe(t *testing.T, pipe string) {
	t.Helper()
	fd, err := syscall.Open(pipe, syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	for _, size := range []int{4096, 1} {
		for err = nil; err == nil; {
			_, err = syscall.Write(fd, make([]byte, size))
		}
		if err != syscall.EAGAIN {
			t.Fatal(err)
		}
	}
}

// hasOpen returns when a process has a file open.
func hasOpen(t *testing.T, pid int, path string) {
	t.Helper()
	for {
		fds, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
		if len(fds) == 0 {
			t.Fatal("it has ended", err)
		}
		for _, fd := range fds {
			if to, _ := os.Readlink(fd); to == path {
				return
			}
		}
		runtime.Gosched()
	}
}
