//go:build linux

package ptrace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// sample takes n snapshots and calls see with each.
func sample(t testing.TB, p *Process, n int, o task.Options, see func(*task.Snapshot)) error {
	t.Helper()
	if o.Interval == 0 {
		o.Interval = time.Millisecond
	}
	o.Count = n
	for s, err := range task.Sample(context.Background(), p, o) {
		if err != nil {
			skipRefused(t, err)
			return err
		}
		see(s)
	}
	return nil
}

func TestSleepingThreadsAreNotStoppedAgain(t *testing.T) {
	for _, mode := range []string{"sleep", "epoll", "nanosleep", "read"} {
		t.Run(mode, func(t *testing.T) {
			// The first stops may find a thread on its way into the call, and end that.
			const threads, settled, snapshots = 8, 10, 50
			g := startThreads(t, threads, mode)
			asleep := func() bool { return strings.Count(states(g.pid), "S") == threads && offProcessors(t, g.pid) }
			eventually(t, "all threads sleep", asleep)
			p := attach(t, g.pid)
			stops, same, n := 0, 0, 0
			err := sample(t, p, snapshots, task.Options{}, func(s *task.Snapshot) {
				if len(s.Threads) != threads {
					t.Errorf("%d threads", len(s.Threads))
				}
				if n++; n > settled {
					stops += s.Stops
				}
				for i := range s.Threads {
					if n > settled && s.Threads[i].Same {
						same++
					}
				}
				eventually(t, "all threads sleep again", asleep)
			})
			if err != nil {
				t.Fatal(err)
			}
			if all := threads * (snapshots - settled); n != snapshots || stops > 0 || same != all {
				t.Errorf("%d snapshots, %d late stops, %d of %d the same", n, stops, same, all)
			}
		})
	}
}

// offProcessors reports whether the kernel found all threads of a process switched out:
// one that is about to sleep has the state S already.
func offProcessors(t *testing.T, pid int) bool {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && string(b) == "running\n" {
			return false
		}
	}
	return true
}

// TestRestingThreadsSleep: a thread that was seen procfstest.Running, as it went back to
// sleep after a stop, is not running for as long as it then rests.
func TestRestingThreadsSleep(t *testing.T) {
	p := attach(t, startThreads(t, 2, "sleep").pid)
	var s task.Snapshot
	if err := task.Take(p, &s); err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	for i := range s.Threads {
		th := &s.Threads[i]
		idle := false
		for range 1000 {
			th.State = task.Running
			if idle = p.NotRun(th.ID, th); idle {
				break
			}
			runtime.Gosched()
		}
		if idle && th.State != task.Sleeping {
			t.Errorf("thread %d is idle and %v", th.ID, th.State)
		}
	}
}

func TestEachSuspensionSeesTheSameThreads(t *testing.T) {
	for _, how := range []task.Suspension{task.SuspendTask, task.SuspendThread, task.SuspendTogether, task.SuspendNone} {
		for _, mode := range []string{"busy", "nap", "sleep"} {
			t.Run(how.String()+"/"+mode, func(t *testing.T) {
				g := startThreads(t, 4, mode)
				p := attach(t, g.pid)
				stacks, missing := 0, 0
				err := sample(t, p, 50, task.Options{Suspend: how}, func(s *task.Snapshot) {
					for i := range s.Threads {
						th := &s.Threads[i]
						switch {
						case th.Err != nil && th.Unstopped && len(th.Stacks) == 0:
							t.Errorf("thread %d: nothing was read, and that without a stop: %v", th.ID, th.Err)
						case th.Err != nil:
							missing++
						case len(th.Stacks) == 0 || !th.Stacks[0].Contains(th.Registers.SP(), 8):
							t.Errorf("thread %d: sp %v is not in its stack", th.ID, th.Registers.SP())
						case how != task.SuspendNone && (th.Unstopped || th.Skipped):
							t.Errorf("thread %d: unstopped %v, skipped %v", th.ID, th.Unstopped, th.Skipped)
						case how == task.SuspendNone && th.Unstopped == th.Skipped:
							t.Errorf("thread %d was read without a stop: unstopped %v, skipped %v", th.ID, th.Unstopped, th.Skipped)
						case mode == "sleep" && th.Unstopped:
							t.Errorf("thread %d is not known to have slept", th.ID)
						default:
							stacks++
						}
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d stacks, %d missing", stacks, missing)
				if how == task.SuspendNone && mode == "busy" {
					return // a running thread is not read, but said to run
				}
				if stacks == 0 || missing > 0 && how != task.SuspendNone {
					t.Errorf("%d stacks, %d missing", stacks, missing)
				}
				if mode != "sleep" {
					g.advances(t)
				}
			})
		}
	}
}

// TestTogetherAllStand: each thread is captured while those before it still
// stand, and when all are, all run on.
func TestTogetherAllStand(t *testing.T) {
	g := startThreads(t, 4, "nap")
	p := attach(t, g.pid)
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	var captured []int
	var ended []task.ThreadID
	th := task.Thread{Stacks: make([]task.Stack, 0, 4)}
	err = p.CaptureThreads(task.SuspendTogether, task.StopOptions{}, ids, func(i int) {
		if err := p.Capture(ids[i], &th); err != nil {
			t.Errorf("thread %d: %v", ids[i], err)
		}
		captured = append(captured, i)
		for _, before := range captured {
			if s, _ := p.Files.State(int(ids[before])); s != task.Stopped {
				t.Errorf("thread %d is in state %v while %d is captured", ids[before], s, ids[i])
			}
		}
	}, func(i int, stood time.Duration, err error) {
		if err != nil || stood <= 0 || len(captured) != len(ids) {
			t.Errorf("thread %d: stood %v, %v, with %d of %d captured", ids[i], stood, err, len(captured), len(ids))
		}
		ended = append(ended, ids[i])
	})
	if err != nil || len(ended) != len(ids) {
		t.Errorf("%d of %d threads, %v", len(ended), len(ids), err)
	}
	for _, id := range ids {
		if p.isIn(int(id), task.Stopped) {
			t.Errorf("thread %d still stands", id)
		}
	}
	g.advances(t)
}

func TestSamplingAllocatesNothing(t *testing.T) {
	for _, c := range []struct {
		mode string
		how  task.Suspension
	}{
		{"nap", task.SuspendDefault}, {"sleep", task.SuspendDefault}, {"busy", task.SuspendDefault},
		{"nap", task.SuspendTogether}, {"busy", task.SuspendTogether},
	} {
		t.Run(c.mode+"/"+c.how.String(), func(t *testing.T) {
			p := attach(t, startThreads(t, 4, c.mode).pid)
			var before, after runtime.MemStats
			n := 0
			err := sample(t, p, 400, task.Options{Suspend: c.how}, func(*task.Snapshot) {
				if n++; n == 100 {
					runtime.ReadMemStats(&before)
				}
			})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			each := float64(after.Mallocs-before.Mallocs) / 300
			t.Logf("%.3f allocations a snapshot", each)
			if each > 0.5 { // other goroutines allocate a little
				t.Errorf("%.2f allocations a snapshot", each)
			}
		})
	}
}

func TestThreadsThatComeAndGoLeaveNothingBehind(t *testing.T) {
	p := attach(t, startThreads(t, 0, "churn").pid)
	seen := map[task.ThreadID]bool{}
	files, most := countFiles(t), 0
	err := sample(t, p, 2000, task.Options{}, func(s *task.Snapshot) {
		for i := range s.Threads {
			seen[s.Threads[i].ID] = true
		}
		// How many are listed depends on when those that end get a processor to do so.
		if most = max(most, len(p.threads.all)); p.Files.Len() > 2*most {
			t.Errorf("%d threads are kept, and never more than %d were listed", p.Files.Len(), most)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	now := countFiles(t)
	t.Logf("%d threads seen, %d files, %d rests", len(seen), now, p.Files.Len())
	const others = 10   // what the runtime and a clock may have opened
	const filesEach = 2 // of a thread: its counts, its stat
	if now > files+filesEach*p.Files.Len()+others {
		t.Errorf("%d files are open, %d were, and %d threads are kept", now, files, p.Files.Len())
	}
}

func countFiles(t testing.TB) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestSamplingEndsWithTheTarget(t *testing.T) {
	g := startThreads(t, 4, "busy")
	p := attach(t, g.pid)
	n := 0
	err := sample(t, p, math.MaxInt, task.Options{}, func(*task.Snapshot) {
		if n++; n == 20 {
			_ = g.Process.Kill()
		}
	})
	var exited *task.ExitedError
	if !errors.As(err, &exited) || n < 20 {
		t.Errorf("after %d snapshots: %v", n, err)
	}
}

// TestHurryOnlyWhileThreadsStand: our thread is put before others for the stops
// alone, and keeps its nice value.
func TestHurryOnlyWhileThreadsStand(t *testing.T) {
	p := attach(t, startThreads(t, 4, "nap").pid)
	if !p.priority.ordinary {
		needs.Skip(t, "the ordinary scheduling policy", "")
	}
	policy := func() uintptr {
		n, _, _ := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
		return n
	}
	nice := niceOf(p.tracer)
	inStop := func(int) {
		want := uintptr(unix.SCHED_NORMAL)
		if p.priority.isRealtime {
			want = unix.SCHED_FIFO
		}
		if policy() != want {
			t.Errorf("policy %d in a stop, want %d", policy(), want)
		}
	}
	for _, how := range []task.Suspension{task.SuspendThread, task.SuspendTogether, task.SuspendTask} {
		ids, err := p.Threads()
		if err != nil {
			t.Fatal(err)
		}
		if how == task.SuspendTask {
			resume, err := p.Suspend(task.StopOptions{})
			if err != nil {
				t.Fatal(err)
			}
			inStop(0)
			err = resume()
			if err != nil {
				t.Fatal(err)
			}
		} else if err := p.CaptureThreads(how, task.StopOptions{}, ids, inStop, func(int, time.Duration, error) {}); err != nil {
			t.Fatal(err)
		}
		if policy() != unix.SCHED_NORMAL || niceOf(p.tracer) != nice || p.priority.isRealtime {
			t.Errorf("%v: policy %d, nice %d after the stop, want nice %d", how, policy(), niceOf(p.tracer), nice)
		}
	}
}
