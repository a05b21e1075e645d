//go:build unix

package output

import (
	"bytes"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestHook(t *testing.T) {
	var out bytes.Buffer
	h := Hook{Command: "echo $FILE; echo error >&2; exit 3", Output: &out}
	err := h.Run("FILE=a b")
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(err.Error(), h.Command) {
		t.Errorf("error %v", err)
	}
	if out.String() != "a b\nerror\n" {
		t.Errorf("printed %q", out.String())
	}
	if err := (Hook{}).Run(); err != nil {
		t.Error(err)
	}
}

// TestHookHasThePriorityOfTheProcess runs one from a thread that has another.
func TestHookHasThePriorityOfTheProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("threads have priorities of their own only on Linux")
	}
	if _, err := exec.LookPath("nice"); err != nil {
		t.Skip("nice is not installed")
	}
	plain, err := exec.Command("nice").Output()
	if err != nil {
		t.Skip(err)
	}
	var out bytes.Buffer
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		const thisThread, lowest = 0, 19
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, thisThread, lowest); err != nil {
			done <- err
			return
		}
		done <- Hook{Command: "nice", Output: &out}.Run()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if out.String() != string(plain) {
		t.Errorf("the command has nice value %q, want %q", out.String(), plain)
	}
}
