//go:build linux

package ptrace

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs"
)

// TestSparedThreadsShareOnePatience: skipped threads that have run, and do not stop when
// they are told to after all, are waited for together, for the others stand as long.
func TestSparedThreadsShareOnePatience(t *testing.T) {
	const n = 60
	r, w, err := os.Pipe()
	must(t, err)
	defer func() { _ = w.Close() }()
	g := startThreadsWith(t, func(cmd *exec.Cmd) { cmd.Stdin = r }, n, "rouse")
	_ = r.Close()
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == n })
	p := attach(t, g.pid)
	var ids []task.ThreadID
	var resume func() error
	eventually(t, "all threads are skipped", func() bool {
		if resume != nil {
			must(t, resume())
		}
		ids, err = p.Threads()
		must(t, err)
		for _, id := range ids {
			must(t, p.Describe(id, &task.Thread{}))
		}
		resume, err = p.Suspend(task.StopOptions{Skip: true})
		if err != nil {
			needs.Ptrace(t, err)
			t.Fatal(err)
		}
		return p.threads.count(skipped) == n
	})
	must(t, w.Close())
	eventually(t, "all threads are in vfork", func() bool { return strings.Count(states(g.pid), "D") == n })
	began := time.Now()
	for _, id := range ids {
		err := p.Capture(id, &task.Thread{})
		if !errors.Is(err, errUninterruptible) && !errors.Is(err, errNotStopped) { // the stopTimeout may be over before it is looked at
			t.Errorf("thread %d: %v, want %v", id, err, errUninterruptible)
		}
	}
	// One after the other takes no less. On arm64, which CI emulates, the calls alone do.
	if took := time.Since(began); procfs.HostArch() == task.AMD64 && took >= n*sleepTimeout {
		t.Errorf("the others stood for %v", took)
	}
	must(t, resume())
	must(t, unix.Kill(-g.pid, unix.SIGKILL)) // so that they stop at last
	eventually(t, "all are let go of", func() bool { return p.DetachLate() == 0 })
}

// TestAlarmEnds: the timer that ends waits, 1,000 times a second, does not go on when all
// threads were served before the wait for the last.
func TestAlarmEnds(t *testing.T) {
	g := startThreads(t, 4, "sleep")
	p := attach(t, g.pid)
	if !p.alarm.has {
		needs.Skip(t, "timers that signal one thread", "timer_create was refused")
	}
	for range 3 {
		ids, err := p.Threads()
		must(t, err)
		err = p.CaptureThreads(task.SuspendThread, task.StopOptions{}, ids, func(int) {
			p.alarm.start() // as where more wait for a processor than are waited for at once
		}, func(int, time.Duration, error) {})
		if err != nil {
			needs.Ptrace(t, err)
			t.Fatal(err)
		}
		if left := timeLeft(t, p); p.alarm.runs || left != 0 {
			t.Fatalf("the timer runs: %v, and fires in %v", p.alarm.runs, left)
		}
	}
}

// timeLeft is until the alarm's timer fires, 0 where it does not.
func timeLeft(t *testing.T, p *Process) time.Duration {
	t.Helper()
	var at [2]unix.Timespec // struct itimerspec: interval, then what is left
	if _, _, errno := unix.RawSyscall(unix.SYS_TIMER_GETTIME, uintptr(p.alarm.timer), uintptr(unsafe.Pointer(&at)), 0); errno != 0 {
		t.Fatal(errno)
	}
	return time.Duration(at[1].Nano())
}

// TestCloseOfWhatWasLeftRunning: a suspension that left everything where it is holds no
// gate that Close would leave.
func TestCloseOfWhatWasLeftRunning(t *testing.T) {
	g := startThreads(t, 2, "sleep")
	p, err := Look(g.pid)
	if err != nil {
		t.Fatal(err)
	}
	var gate task.Gate
	p.SetLimits(task.Limits{Gate: &gate})
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Suspend(task.StopOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	gate.Between(func() {})
}

// TestCloseLeavesTheGate that a suspension has entered.
func TestCloseLeavesTheGate(t *testing.T) {
	g := startThreads(t, 2, "sleep")
	p := attach(t, g.pid)
	var gate task.Gate
	p.SetLimits(task.Limits{Gate: &gate})
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Suspend(task.StopOptions{}); err != nil {
		needs.Ptrace(t, err)
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	gate.Between(func() {})
}
