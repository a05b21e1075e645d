package words

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/task"
)

// TestWaitedForCPU has the share of the time in which threads were runnable, from a fifth on.
func TestWaitedForCPU(t *testing.T) {
	const ms = time.Millisecond
	for want, b := range map[string]headline.CPUTime{
		"": {OnCPU: 801 * ms, Queue: 199 * ms},
		", waiting for a CPU 20 % of the time when runnable":  {OnCPU: 800 * ms, Queue: 200 * ms},
		", waiting for a CPU 100 % of the time when runnable": {Queue: 200 * ms},
	} {
		if got := waitedForCPU(&b); got != want {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
	if got := waitedForCPU(&headline.CPUTime{}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestRowLock: a backend that waits for a row lock says so, whatever it waits by.
func TestRowLock(t *testing.T) {
	image := &profile.Image{Path: "/usr/lib/postgresql/15/bin/postgres", Main: true}
	var stack *profile.Node
	for _, name := range []string{"WaitEventSetWait", "WaitLatch", "ProcSleep", "LockAcquire", "XactLockTableWait", "heap_update", "PostgresMain", "main"} {
		n := &profile.Node{Location: profile.Location{Function: name, Image: image}, Count: 1}
		if stack == nil {
			n.Self = 1
		} else {
			n.Children = []*profile.Node{stack}
		}
		stack = n
	}
	backend := &profile.Thread{ID: 7, Main: true, Samples: 1, State: task.Sleeping, Roots: []*profile.Node{stack}, Wait: &profile.Wait{Call: "epoll_wait", Object: "fd 4"}}
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{backend}}
	p.Target.Command = task.NewCommand([]string{"postgres: 15/main: ann shop [local] UPDATE waiting"})
	want := `main thread waits for another transaction to end, in epoll_wait: fd 4, called by XactLockTableWait; its title says "UPDATE waiting"`
	if got := Headline(p); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
