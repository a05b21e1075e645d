//go:build linux

package ptrace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/perfevent"
)

// observeTarget opens a process and has its threads copied, and skips where the
// kernel does not.
func observeTarget(t *testing.T, pid int) *Process {
	t.Helper()
	p := attach(t, pid)
	needs.PerfEvents(t, p.CopyRunning(time.Millisecond))
	return p
}

// events counts our open files of the kind.
func events() (n int) {
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.Contains(to, "perf_event") {
			n++
		}
	}
	return n
}

// TestObserved: threads that run are seen as of one moment, with all registers, while
// nothing stops, and nothing is left of that.
func TestObserved(t *testing.T) {
	const threads = 3
	g := startThreads(t, threads, "busy")
	p := observeTarget(t, g.pid)
	seen := map[task.ThreadID]int{}
	enough := func() bool {
		for _, n := range seen {
			if n < 5 {
				return false
			}
		}
		return len(seen) == threads
	}
	eventually(t, "every thread was seen", func() bool {
		err := sample(t, p, 20, task.Options{Suspend: task.SuspendNone}, func(s *task.Snapshot) {
			if s.Stops != 0 || s.Stopped != 0 {
				t.Errorf("%d stops, %v", s.Stops, s.Stopped)
			}
			for i := range s.Threads {
				th := &s.Threads[i]
				if th.Err != nil || th.Same {
					continue
				}
				seen[th.ID]++
				checkObserved(t, th)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return enough()
	})
	if tracer := tracerOf(g.pid); tracer != 0 {
		t.Errorf("%d traces it", tracer)
	}
	if n := events(); n != threads {
		t.Errorf("%d events", n)
	}
	if err := p.Close(); err != nil || events() != 0 {
		t.Errorf("%v, %d events are left", err, events())
	}
}

func checkObserved(t *testing.T, th *task.Thread) {
	t.Helper()
	sp := th.Registers.SP()
	switch {
	case th.Age <= 0 || th.Unstopped || th.Skipped:
		t.Errorf("thread %d: age %v, unstopped %v, skipped %v", th.ID, th.Age, th.Unstopped, th.Skipped)
	case th.Registers.Known != 1<<th.Registers.Arch.NumRegisters()-1:
		t.Errorf("thread %d: registers %b", th.ID, th.Registers.Known)
	case len(th.Stacks) != 1 || th.Stacks[0].Base != sp || len(th.Stacks[0].Bytes) < 100:
		t.Errorf("thread %d: sp %v, stacks %d", th.ID, sp, len(th.Stacks))
	case th.Stacks[0].Top < th.Stacks[0].End():
		t.Errorf("thread %d: a stack to %v ends at %v", th.ID, th.Stacks[0].End(), th.Stacks[0].Top)
	}
}

// Threads that do not run cost no event.
func TestSleepersAreNotCopied(t *testing.T) {
	g := startThreads(t, 4, "sleep")
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == 4 && offProcessors(t, g.pid) })
	p := observeTarget(t, g.pid)
	err := sample(t, p, 20, task.Options{Suspend: task.SuspendNone}, func(s *task.Snapshot) {
		for i := range s.Threads {
			if th := &s.Threads[i]; !th.Skipped || th.Age != 0 || th.Err != nil {
				t.Errorf("thread %d: skipped %v, age %v, %v", th.ID, th.Skipped, th.Age, th.Err)
			}
		}
	})
	if n := events(); n != 0 || err != nil {
		t.Errorf("%d events, %v", n, err)
	}
}

// TestObservedThreadsComeAndGo: threads that start and end all the time.
func TestObservedThreadsComeAndGo(t *testing.T) {
	g := startThreads(t, 4, "churn")
	p := observeTarget(t, g.pid)
	copied := 0
	for range 20 {
		err := sample(t, p, 50, task.Options{Suspend: task.SuspendNone}, func(s *task.Snapshot) {
			for i := range s.Threads {
				if th := &s.Threads[i]; th.Age > 0 && th.Err == nil {
					copied++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d copies", copied)
	if n := events(); n > 100 {
		t.Errorf("%d events are left of threads that have ended", n)
	}
	g.advances(t)
}

// TestObservedEnds: the end of the target, and another program in its place, end the
// sampling as they do with stops.
func TestObservedEnds(t *testing.T) {
	for _, mode := range []string{"exec", "exit"} {
		t.Run(mode, func(t *testing.T) {
			g := startThreads(t, 2, mode)
			p := observeTarget(t, g.pid)
			told := false
			var exited *task.ExitedError
			eventually(t, "it is told", func() bool {
				err := sample(t, p, 50, task.Options{Suspend: task.SuspendNone}, func(*task.Snapshot) {
					if !told {
						told = true
						_ = unix.Kill(g.pid, unix.SIGUSR1)
					}
				})
				return errors.As(err, &exited)
			})
			_ = p.Close()
			if n := events(); n != 0 {
				t.Errorf("%d events are left", n)
			}
		})
	}
}

// TestDeepStackIsCopied: where a stack goes on above what is copied of it, and more is
// asked for, more is copied from then on.
func TestDeepStackIsCopied(t *testing.T) {
	const threads, depth = 2, 400 // of 100 bytes each or more
	p := observeTarget(t, startThreads(t, threads, "busy", depth).pid)
	most, limit := 0, 0
	copied := func() bool {
		err := sample(t, p, 20, task.Options{Suspend: task.SuspendNone}, func(s *task.Snapshot) {
			for i := range s.Threads {
				th := &s.Threads[i]
				if th.Err != nil || len(th.Stacks) == 0 {
					continue
				}
				most = max(most, len(th.Stacks[0].Bytes))
				if th.Stacks[0].Truncated() {
					s.Limit = limit
				}
			}
		})
		return err != nil || most > limit/4/task.FirstStackLimit*perfevent.FirstStack
	}
	eventually(t, "some is copied", copied)
	if eventually(t, "some is copied again", copied); most != perfevent.FirstStack {
		t.Errorf("%d bytes at first", most)
	}
	limit = 4 * task.FirstStackLimit
	if eventually(t, "more is copied", copied); most > perfevent.MaxStack {
		t.Errorf("%d bytes at most", most)
	}
}

// TestCopiesInUserCodeAlone: who may not have threads copied in the kernel is not told
// that one still is where it was long ago.
func TestCopiesInUserCodeAlone(t *testing.T) {
	g := startThreads(t, 1, "busy")
	p := observeTarget(t, g.pid)
	var th task.Thread
	eventually(t, "it is copied", func() bool { return p.useCopy(g.pid, &th) == nil })
	_ = unix.Kill(g.pid, unix.SIGSTOP)
	eventually(t, "it stands", func() bool { return states(g.pid) == "T" && offProcessors(t, g.pid) })
	_ = p.useCopy(g.pid, &th)
	e := p.Files.Of(g.pid)
	e.Ran = e.Kept.(*copies).ran + p.oldest() + 1
	if err := p.useCopy(g.pid, &th); err != nil {
		t.Errorf("with copies from the kernel: %v", err)
	}
	p.observe.User = true
	if err := p.useCopy(g.pid, &th); !errors.Is(err, errInKernel) {
		t.Errorf("one that ran long in the kernel: %v", err)
	}
	e.Ran--
	if err := p.useCopy(g.pid, &th); err != nil {
		t.Errorf("one that ran in user code: %v", err)
	}
}

func TestPeriodFor(t *testing.T) {
	for _, test := range []struct{ interval, want time.Duration }{
		{0, leastPeriod}, {50 * time.Microsecond, leastPeriod}, {time.Millisecond, 937500 * time.Nanosecond}, {time.Second, mostPeriod},
	} {
		if got := periodFor(test.interval); got != test.want {
			t.Errorf("%v for %v", got, test.interval)
		}
	}
}
