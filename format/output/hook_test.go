//go:build unix

package output

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

func TestHook(t *testing.T) {
	var out bytes.Buffer
	h := Hook{Command: "echo $FILE; echo error >&2; exit 3", Output: &out, Limit: HookLimit}
	err := h.Run(t.Context(), "FILE=a b")
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(err.Error(), h.Command) {
		t.Errorf("error %v", err)
	}
	if out.String() != "a b\nerror\n" {
		t.Errorf("printed %q", out.String())
	}
	if err := (Hook{}).Run(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHookHasThePriorityOfTheProcess runs one from a thread that has another.
func TestHookHasThePriorityOfTheProcess(t *testing.T) {
	needs.OS(t, "linux")
	needs.Tool(t, "nice")
	plain, err := exec.Command("nice").Output()
	if err != nil {
		t.Fatal(err)
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
		done <- Hook{Command: "nice", Output: &out, Limit: HookLimit}.Run(context.Background())
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if out.String() != string(plain) {
		t.Errorf("the command has nice value %q, want %q", out.String(), plain)
	}
}

// TestAHookThatNeverEnds is ended with what it has started, by its limit and by
// the end of the watch.
func TestAHookThatNeverEnds(t *testing.T) {
	over, end := context.WithCancel(context.Background())
	end()
	for name, c := range map[string]struct {
		ctx   context.Context
		limit time.Duration
	}{"limit": {context.Background(), 100 * time.Millisecond}, "end of the watch": {over, time.Hour}} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		h := Hook{Command: "trap '' TERM INT; sleep 1000 & sleep 1000", Output: write, Limit: c.limit, Grace: 100 * time.Millisecond}
		err = h.Run(c.ctx)
		_ = write.Close()
		if !errors.Is(err, errHookTooLong) || !strings.Contains(err.Error(), h.Command) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := io.ReadAll(read); err != nil { // ends when nobody has the pipe open to write
			t.Error(err)
		}
		_ = read.Close()
	}
}

// TestAHookLeavesADaemon behind in a session of its own, and is over.
func TestAHookLeavesADaemon(t *testing.T) {
	needs.Tool(t, "setsid")
	var out bytes.Buffer
	h := Hook{Command: "setsid sleep 3 & echo told", Output: &out, Limit: HookLimit}
	if err := h.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if out.String() != "told\n" {
		t.Errorf("printed %q", out.String())
	}
}
