//go:build linux

package ptrace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// sigrtmin is the C library's SIGRTMIN: the kernel's 32 and 33 are its own.
const sigrtmin = 34

// queue sends a real-time signal with the value 42, which never merges with
// another, and reports whether there was room in the target's queue.
func queue(pid int) bool { return queueTo(pid, 0) }

// queueTo sends one to a thread, or to the process where that is 0.
func queueTo(pid, tid int) bool {
	info := struct {
		signo, errno, code, _ int32
		pid, uid              int32
		value                 uint64
		_                     [96]byte
	}{signo: sigrtmin, code: -1, pid: int32(os.Getpid()), uid: int32(os.Getuid()), value: 42}
	if tid == 0 {
		_, _, errno := unix.RawSyscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), sigrtmin, uintptr(unsafe.Pointer(&info)))
		return errno == 0
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(pid), uintptr(tid), sigrtmin, uintptr(unsafe.Pointer(&info)), 0, 0)
	return errno == 0
}

// often returns how often to do what -tags long does n times, for rare interleavings: a
// tenth of it where the tests are to be short, as on an emulated processor.
func often(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n / fewer
}

// sender sends real-time signals until it is stopped, at least 500, and returns
// how many.
func sender(pid int) (stop func() int) {
	var quit atomic.Bool
	sent := make(chan int)
	go func() {
		n := 0
		for n < often(500) || !quit.Load() {
			if queue(pid) {
				n++
			}
			_ = unix.Kill(pid, unix.SIGUSR1)
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		}
		sent <- n
	}()
	return func() int {
		quit.Store(true)
		return <-sent
	}
}

func TestNoSignalIsLostOrDoubled(t *testing.T) {
	for _, mode := range []string{"busy", "nap", "sleep", "read", "churn"} {
		t.Run(mode, func(t *testing.T) {
			g := startThreads(t, 4, mode)
			p := attach(t, g.pid)
			stop := sender(g.pid)
			sent := make(chan int, 1)
			var s task.Snapshot
			for i := 0; len(sent) == 0; i++ {
				if i == often(500) {
					go func() { sent <- stop() }()
				}
				take(t, p, &s)
			}
			g.gotAll(t, <-sent)
		})
	}
}

// gotAll waits until the target has received what was sent, and looks once more
// after another signal went through that nothing came on top.
func (g *target) gotAll(t *testing.T, sent int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d signals have arrived", sent), func() bool { return g.count(realtime) >= sent })
	before := g.count(usr1)
	_ = unix.Kill(g.pid, unix.SIGUSR1)
	eventually(t, "one more signal has arrived", func() bool { return g.count(usr1) > before })
	if got := g.count(realtime); got != sent || g.count(bad) != 0 {
		t.Errorf("%d signals sent, %d received, %d of them without their value", sent, got, g.count(bad))
	}
	t.Logf("%d signals", sent)
}

func TestStoppedTargetStaysStopped(t *testing.T) {
	g := startThreads(t, 4, "busy")
	p := attach(t, g.pid)
	_ = unix.Kill(g.pid, unix.SIGSTOP)
	eventually(t, "all threads stop", func() bool { return states(g.pid) == "TTTT" })
	was := g.count(work)
	var s task.Snapshot
	for range 50 {
		take(t, p, &s)
		if len(s.Threads) != 4 || s.Threads[0].State != task.Stopped || s.Threads[3].Err != nil {
			t.Fatalf("%d threads, state %v, error %v", len(s.Threads), s.Threads[0].State, s.Threads[3].Err)
		}
		eventually(t, "all threads are stopped again", func() bool { return states(g.pid) == "TTTT" })
	}
	if now := g.count(work); now != was {
		t.Errorf("a stopped target worked: %d, then %d", was, now)
	}
	_ = unix.Kill(g.pid, unix.SIGCONT)
	g.advances(t)
}

// TestStoppedTargetIsNeverSetRunning: a thread that is let go of before it is back
// in the stop that a signal made does nothing of the program's either, and on Close
// all are back.
func TestStoppedTargetIsNeverSetRunning(t *testing.T) {
	g := startThreads(t, 4, "busy")
	p := attach(t, g.pid)
	_ = unix.Kill(g.pid, unix.SIGSTOP)
	eventually(t, "all threads stop", func() bool { return states(g.pid) == "TTTT" })
	was := g.count(work)
	for range often(20) {
		var s task.Snapshot
		for range 50 {
			take(t, p, &s)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if now := states(g.pid); now != "TTTT" {
			t.Fatalf("states on Close: %s", now)
		}
		p = attach(t, g.pid)
	}
	if now := g.count(work); now != was {
		t.Errorf("a stopped target worked: %d, then %d", was, now)
	}
	_ = unix.Kill(g.pid, unix.SIGCONT)
	g.advances(t)
}

// TestStoppedThreadsRest: threads that a signal has stopped are stopped by us once.
func TestStoppedThreadsRest(t *testing.T) {
	g := startThreads(t, 4, "busy")
	p := attach(t, g.pid)
	_ = unix.Kill(g.pid, unix.SIGSTOP)
	eventually(t, "all threads stop", func() bool { return states(g.pid) == "TTTT" })
	for s, err := range task.Sample(t.Context(), p, task.Options{Interval: time.Millisecond, Count: 20}) {
		if err != nil || len(s.Threads) != 4 {
			t.Fatalf("%d threads, %v", len(s.Threads), err)
		}
		eventually(t, "all threads are stopped again", func() bool { return states(g.pid) == "TTTT" })
		if s.Stops == 0 {
			return
		}
	}
	t.Error("they are stopped each time")
}

func TestStopAndContinueInFlight(t *testing.T) {
	g := startThreads(t, 4, "busy")
	p := attach(t, g.pid)
	for round := range 20 {
		done := make(chan struct{})
		last := [...]unix.Signal{unix.SIGSTOP, unix.SIGCONT}[round%2]
		go func() {
			defer close(done)
			for range 20 {
				_ = unix.Kill(g.pid, [...]unix.Signal{unix.SIGSTOP, unix.SIGCONT}[rand.IntN(2)])
				time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			}
			_ = unix.Kill(g.pid, last)
		}()
		snapshotsUntil(t, p, done)
		if last == unix.SIGCONT {
			g.advances(t)
			continue
		}
		eventually(t, "all threads are stopped", func() bool { return states(g.pid) == "TTTT" })
		was := g.count(work)
		var s task.Snapshot
		take(t, p, &s)
		if now := g.count(work); now != was {
			t.Errorf("a stopped target worked: %d, then %d", was, now)
		}
	}
}

// TestRescueLeavesStops: what ends a deadlock with exec, which may run at any
// moment, does not take away the stops of threads that live.
func TestRescueLeavesStops(t *testing.T) {
	g := startThreads(t, 4, "busy")
	p := attach(t, g.pid)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	p.rescue.reap()
	for _, th := range p.threads.all {
		var info childInfo
		if errno := checkStop(th.tid, &info); errno != 0 || info.pid == 0 {
			t.Errorf("the stop of thread %d is not found: %v", th.tid, errno)
		}
	}
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	g.advances(t)
}

func snapshotsUntil(t *testing.T, p *Process, done <-chan struct{}) {
	t.Helper()
	var s task.Snapshot
	for {
		select {
		case <-done:
			return
		default:
			take(t, p, &s)
		}
	}
}

// A stop ends some calls early: those that the kernel does not restart after a
// signal without handler, epoll_wait among them (signal(7), "Interruption of
// system calls by stop signals"). PTRACE_ATTACH has the same effect.
func TestInterruptedCallsAreThoseOfAnyTracer(t *testing.T) {
	const takes = 30
	for mode, most := range map[string]int{"read": 0, "nanosleep": 0, "epoll": 4 * takes} {
		t.Run(mode, func(t *testing.T) {
			g := startThreads(t, 4, mode)
			eventually(t, "all threads sleep", func() bool { return states(g.pid) == "SSSS" })
			p := attach(t, g.pid)
			var s task.Snapshot
			for range takes {
				take(t, p, &s)
				eventually(t, "all threads sleep again", func() bool { return states(g.pid) == "SSSS" })
			}
			ours := g.count(eintr)
			if ours > most {
				t.Errorf("%d calls ended early, at most %d expected", ours, most)
			}
			if _, err := exec.LookPath("eu-stack"); err != nil {
				t.Logf("%d calls ended early in %d stops; no eu-stack to compare", ours, takes)
				return
			}
			for range takes {
				_ = exec.Command("eu-stack", "-p", strconv.Itoa(g.pid)).Run()
				eventually(t, "all threads sleep again", func() bool { return states(g.pid) == "SSSS" })
			}
			theirs := g.count(eintr) - ours
			t.Logf("calls ended early in %d stops: %d, by eu-stack %d", takes, ours, theirs)
			if ours > theirs {
				t.Errorf("%d calls ended early, by eu-stack %d", ours, theirs)
			}
		})
	}
}

// kills is how often the tracer is killed; STACKSNAP_KILLS sets another number.
func kills(t *testing.T) int {
	s := os.Getenv("STACKSNAP_KILLS")
	if s == "" {
		return often(100)
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKilledTracerLeavesTheTargetRunning(t *testing.T) {
	for _, test := range []struct{ how, mode string }{
		{"snapshots", "busy"}, {"snapshots", "nap"}, {"together", "busy"}, {"together", "nap"},
	} {
		t.Run(test.how+" "+test.mode, func(t *testing.T) {
			g := startThreads(t, 8, test.mode)
			stop := sender(g.pid)
			n := kills(t) / 4
			for range n {
				tracer := startHelper(t, test.how, strconv.Itoa(g.pid))
				time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond) // the random moment
				_ = tracer.Process.Kill()
				_ = tracer.Wait()
				eventually(t, "nobody traces the target", func() bool { return tracerOf(g.pid) == 0 })
				if s := states(g.pid); strings.ContainsAny(s, "tT") {
					t.Fatalf("left stopped: %s", s)
				}
				g.advances(t)
			}
			g.gotAll(t, stop())
			t.Logf("%d kills", n)
		})
	}
}

func TestOtherDebuggerIsNamed(t *testing.T) {
	g := startThreads(t, 2, "sleep")
	holder := startHelper(t, "hold", strconv.Itoa(g.pid))
	p := attach(t, g.pid)
	var s task.Snapshot
	for what, err := range map[string]error{
		"task": task.CanStop(p, task.SuspendTask), "default": task.CanStop(p, task.SuspendDefault),
		"thread": task.CanStop(p, task.SuspendThread), "a snapshot": task.Take(p, &s),
	} {
		var refused *task.PermissionError
		var traced *task.TracedError
		if !errors.As(err, &refused) || !errors.As(err, &traced) || traced.Tracer != holder.Process.Pid {
			t.Errorf("%s: error %v, want PermissionError with %d", what, err, holder.Process.Pid)
		}
	}
}

func TestDebuggerThatCameLaterIsNamed(t *testing.T) {
	g := startThreads(t, 2, "sleep")
	p := attach(t, g.pid)
	holder := startHelper(t, "hold", strconv.Itoa(g.pid))
	var s task.Snapshot
	err := task.Take(p, &s)
	var refused *task.PermissionError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), strconv.Itoa(holder.Process.Pid)) {
		t.Fatalf("error %v, want PermissionError with %d", err, holder.Process.Pid)
	}
}

// TestNoSignalIsHeld: where threads are stopped together, one that stopped to deliver a
// signal does not stand until the others are captured, and its stop is never consumed:
// were we killed meanwhile, the signal would be lost.
func TestNoSignalIsHeld(t *testing.T) {
	const n = 8
	g := startThreads(t, n, "busy")
	p := attach(t, g.pid)
	stop := sender(g.pid)
	met := 0
	for end := time.Now().Add(time.Minute); met < often(50) && !t.Failed() && time.Now().Before(end); {
		ids, err := p.Threads()
		if err != nil {
			t.Fatal(err)
		}
		check := func(int) {
			for _, h := range p.round.held {
				if th := p.threads.find(h.tid); th.signal != 0 {
					t.Errorf("thread %d is held with signal %d", th.tid, th.signal)
				}
			}
		}
		deliver := func(i int, _ time.Duration, err error) {
			if th := p.threads.find(int(ids[i])); err == nil && th.signal != 0 {
				met++
			}
		}
		if err := p.CaptureThreads(task.SuspendTogether, task.StopOptions{}, ids, check, deliver); err != nil {
			skipRefused(t, err)
			t.Fatal(err)
		}
	}
	if met == 0 {
		t.Error("no thread stopped to deliver a signal")
	}
	g.gotAll(t, stop())
}

// TestKilledWhileASignalIsDelivered: the signals arrive, too, that threads have stopped to
// deliver when we are killed, with all threads stopped together.
func TestKilledWhileASignalIsDelivered(t *testing.T) {
	const threads = 8
	g := startThreads(t, threads, "busy")
	n := kills(t) / 2
	for i := range n {
		tracer := helper(t, "delivering", strconv.Itoa(g.pid), strconv.Itoa(i%3))
		said, err := tracer.Output()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != unix.SIGKILL {
			skipRefused(t, errors.New(string(said)))
			t.Fatalf("it was to be killed: %v, %s", err, said)
		}
		if s := states(g.pid); tracerOf(g.pid) != 0 || strings.ContainsAny(s, "tT") {
			t.Fatalf("left stopped: %s", s)
		}
	}
	g.gotAll(t, n*threads)
	t.Logf("%d kills", n)
}
