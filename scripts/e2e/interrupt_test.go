//go:build linux

package e2e

import (
	"bytes"
	"errors"
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

// TestInterruptedWhileReading ends stacksnap by one SIGINT while it reads from
// what never answers, and prints to what nobody reads: neither heeds the context.
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
		cmd := exec.Command(stacksnap, append(args, "-o", pipe)...) // opening it waits for a reader
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitsToOpen(t, cmd.Process.Pid)
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
			t.Errorf("%s: %v", name, cmd.ProcessState)
		}
	}
}

// openat is the number of that system call; 0x80401 is O_CLOEXEC|O_APPEND|O_WRONLY.
var openat = strconv.Itoa(syscall.SYS_OPENAT)

// waitsToOpen returns when a thread of a process waits for the other end of a
// pipe.
func waitsToOpen(t *testing.T, pid int) {
	t.Helper()
	for {
		files, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "syscall"))
		if len(files) == 0 {
			t.Fatal("it has ended")
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if errors.Is(err, os.ErrPermission) {
				needs.Skip(t, "/proc/PID/syscall", err.Error())
			}
			if bytes.HasPrefix(b, []byte(openat+" ")) && bytes.Contains(b, []byte(" 0x80401 ")) {
				return
			}
		}
		runtime.Gosched()
	}
}
