//go:build linux

package ptrace

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs"
)

// TestPagesThatNobodyProvides: a stack whose pages are not there, and never will be,
// costs that part of the stack. The target runs on, and the rest is captured.
func TestPagesThatNobodyProvides(t *testing.T) {
	needs.Root(t)
	fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0)
	if errno != 0 {
		needs.Feature(t, "userfaultfd", errno, unix.ENOSYS, unix.EPERM)
	}
	_ = unix.Close(int(fd))
	g := startThreads(t, 3, "holes", 50)
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == 3 })
	for _, how := range []task.Suspension{task.SuspendTask, task.SuspendThread} {
		p := attach(t, g.pid)
		for s, err := range task.Sample(t.Context(), p, task.Options{Count: 3, Suspend: how}) {
			if err != nil || len(s.Threads) != 3 {
				t.Fatalf("%d threads, %v", len(s.Threads), err)
			}
			for i := range s.Threads {
				checkHoles(t, g.pid, &s.Threads[i])
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(states(g.pid), "tT") || tracerOf(g.pid) != 0 {
		t.Errorf("states %s, traced by %d", states(g.pid), tracerOf(g.pid))
	}
}

func checkHoles(t *testing.T, pid int, th *task.Thread) {
	t.Helper()
	if len(th.Stacks) != 1 || len(th.Stacks[0].Bytes) < 50*64 {
		t.Fatalf("thread %d: %d stacks, %v", th.ID, len(th.Stacks), th.Err)
	}
	if hollow := th.ID == task.ThreadID(pid); errors.Is(th.Err, procfs.ErrBlocks) != hollow || th.Stacks[0].Truncated() != hollow {
		t.Errorf("thread %d: %v, truncated %v", th.ID, th.Err, th.Stacks[0].Truncated())
	}
}

// TestStopIsBounded: stacks that take longer to copy than the target may be stopped
// are cut, each to its part of that time and none to nothing.
func TestStopIsBounded(t *testing.T) {
	g := startThreads(t, 8, "sleep", 1500) // 128 KB of stack each at most
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == 8 })
	p := attach(t, g.pid)
	p.SetLimits(task.Limits{MaxCopy: time.Nanosecond})
	p.Mem.Chunk = 16 << 10
	var s task.Snapshot
	take(t, p, &s)
	for i := range s.Threads {
		th := &s.Threads[i]
		if !errors.Is(th.Err, procfs.ErrOverTime) || len(th.Stacks) != 1 || !th.Stacks[0].Truncated() {
			t.Fatalf("thread %d: %d stacks, %v", th.ID, len(th.Stacks), th.Err)
		}
		// The page below sp may never have been touched: then the first read ends with it.
		copied := th.Stacks[0].Bytes
		if len(copied) < 16<<10 || len(copied) >= 32<<10 {
			t.Errorf("thread %d: %d bytes are copied", th.ID, len(copied))
		}
		now := make([]byte, len(copied)-task.RedZone)
		if n, err := p.Memory().ReadMemory(now, th.Registers.SP()); !bytes.Equal(now[:n], copied[task.RedZone:]) {
			t.Errorf("thread %d: the stack is not its own, of which %d bytes were read, %v", th.ID, n, err)
		}
	}
	p.SetLimits(task.Limits{MaxCopy: time.Minute})
	eventually(t, "all threads sleep again", func() bool { return strings.Count(states(g.pid), "S") == 8 })
	take(t, p, &s)
	if i := slices.IndexFunc(s.Threads, func(th task.Thread) bool { return th.Err != nil }); i >= 0 {
		t.Errorf("thread %d: %v", s.Threads[i].ID, s.Threads[i].Err)
	}
}
