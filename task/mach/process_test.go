package mach

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stacksnap/task"
)

func mustOpen(t *testing.T, s *scripted) *Process {
	t.Helper()
	p, err := open(s, s.pid)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustClose(t *testing.T, p *Process) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestSnapshotOfALiveTask(t *testing.T) {
	for _, host := range []task.Arch{task.AMD64, task.ARM64} {
		s := newScripted(host, 8)
		p := mustOpen(t, s)
		var snap task.Snapshot
		for range 3 {
			if err := task.Take(p, &snap); err != nil {
				t.Fatal(err)
			}
			checkSnapshot(t, s, &snap)
		}
		if snap.Threads[0].Queue != "com.apple.main-thread" || snap.Threads[1].Queue != "" {
			t.Errorf("queues %q and %q", snap.Threads[0].Queue, snap.Threads[1].Queue)
		}
		if snap.Threads[1].Name != "worker" {
			t.Errorf("name %q", snap.Threads[1].Name)
		}
		mustClose(t, p)
		s.balance(t)
		if s.lateReleases != 0 {
			t.Errorf("%d references given back while the task stood", s.lateReleases)
		}
		if s.suspends != 3 {
			t.Errorf("%d suspensions", s.suspends)
		}
	}
}

func checkSnapshot(t *testing.T, s *scripted, snap *task.Snapshot) {
	t.Helper()
	if len(snap.Threads) != len(s.threadList) {
		t.Fatalf("%d threads, want %d", len(snap.Threads), len(s.threadList))
	}
	for i := range snap.Threads {
		th := &snap.Threads[i]
		if th.Err != nil || len(th.Stacks) != 1 {
			t.Fatalf("thread %d: %v, %d stacks", th.ID, th.Err, len(th.Stacks))
		}
		st, sp := th.Stacks[0], th.Registers.SP()
		if st.Base != sp-task.RedZone || st.Top != sp+1024 || len(st.Bytes) != 1024+task.RedZone || st.Truncated() {
			t.Errorf("thread %d: stack %v + %d, top %v, sp %v", th.ID, st.Base, len(st.Bytes), st.Top, sp)
		}
		m := s.at(sp)
		if !bytes.Equal(st.Bytes, m.bytes[st.Base-m.start:]) {
			t.Errorf("thread %d: another stack's bytes", th.ID)
		}
		if th.State != task.Sleeping || th.SuspendCount != 0 || !s.odd && th.User == 0 {
			t.Errorf("thread %d: facts %v %d %v", th.ID, th.State, th.SuspendCount, th.User)
		}
	}
}

// scenario does all that a caller can do, and comes back with all errors. snap
// is kept from one to the next, for its large buffers.
func scenario(k kernel, pid int, snap *task.Snapshot) []error {
	var errs []error
	add := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	p, err := open(k, pid)
	if err != nil {
		return []error{err}
	}
	_ = p.Info()
	add(p.SetQueueOffsets(testQueues))
	for range 2 {
		add(task.Take(p, snap))
		for i := range snap.Threads {
			add(snap.Threads[i].Err)
		}
	}
	for _, err := range p.Regions() {
		add(err)
	}
	_ = p.PathAt(testText)
	_, err = p.Memory().ReadMemory(make([]byte, 100), testStacks)
	add(err)
	add(p.Close())
	return errs
}

// withOffsets writes good offsets where scenario sets them from.
func withOffsets(s *scripted) *scripted {
	m := s.at(testQueues)
	slot := append([]byte(nil), m.bytes[:8]...)
	copy(m.bytes, offsetBytes(4, 0x48, 8, 0, 0, 0x40, 8))
	copy(m.bytes[0x300:], slot)
	s.threadList[0].qaddr = testQueues + 0x300
	return s
}

// worlds are the kernels in which everything that may go wrong is tried.
var worlds = map[string]func() *scripted{
	"amd64":   func() *scripted { return withOffsets(newScripted(task.AMD64, 3)) },
	"arm64":   func() *scripted { return withOffsets(newScripted(task.ARM64, 3)) },
	"control": func() *scripted { s := withOffsets(newScripted(task.AMD64, 3)); s.noReadPort = notPermitted; return s },
	"odd":     func() *scripted { return withOffsets(newOdd(3)) },
}

var answers = []Return{invalidAddress, noSpace, invalidArgument, failure, resourceShortage, aborted, terminated, sendInvalidDest, sendInterrupted}

func TestNothingFailsWhereNothingIsScripted(t *testing.T) {
	var snap task.Snapshot
	for name, world := range worlds {
		s := world()
		if errs := scenario(s, s.pid, &snap); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
		s.balance(t)
	}
}

func TestEveryCallFailingInTurn(t *testing.T) {
	var snap task.Snapshot
	for name, world := range worlds {
		calls := world()
		scenario(calls, calls.pid, &snap)
		for _, r := range answers {
			for i := 1; i <= calls.step; i++ {
				s := world()
				s.failAt, s.failWith = i, r
				errs := scenario(s, s.pid, &snap)
				t.Run(fmt.Sprintf("%s/%s %d is %v", name, s.failed, i, r), func(t *testing.T) {
					s.balance(t)
					checkErrors(t, errs)
				})
			}
		}
	}
}

// checkErrors wants every error to say what happened.
func checkErrors(t *testing.T, errs []error) {
	t.Helper()
	for _, err := range errs {
		if msg := err.Error(); len(msg) < 12 || strings.Contains(msg, "%!") || strings.Contains(msg, "KERN_SUCCESS") {
			t.Errorf("unclear error: %q", msg)
		}
	}
}

// Calls that fail for good. Holds and references are left only where the calls
// that give them back are those, and then Close says so.
func TestEveryKindOfCallFailingForGood(t *testing.T) {
	var snap task.Snapshot
	kinds := map[string]bool{}
	for _, world := range worlds {
		s := world()
		s.before = func(_ int, call string) { kinds[call] = true }
		scenario(s, s.pid, &snap)
	}
	for kind := range kinds {
		for name, world := range worlds {
			for _, r := range answers {
				s := world()
				s.failCall, s.failWith = kind, r
				errs := scenario(s, s.pid, &snap)
				t.Run(fmt.Sprintf("%s/%s is %v", name, kind, r), func(t *testing.T) {
					checkErrors(t, errs)
					switch kind {
					case "task_resume", "mach_port_deallocate", "vm_deallocate":
						if s.failed != "" && len(errs) == 0 {
							t.Error("nothing was said")
						}
					default:
						s.balance(t)
					}
				})
			}
		}
	}
}

func TestAThreadLostBetweenAnyTwoCalls(t *testing.T) {
	var snap task.Snapshot
	for name, world := range worlds {
		calls := world()
		scenario(calls, calls.pid, &snap)
		for which := range 3 {
			for i := 1; i <= calls.step; i++ {
				s := world()
				s.before = func(step int, _ string) {
					if step == i {
						s.endThread(which)
					}
				}
				errs := scenario(s, s.pid, &snap)
				t.Run(fmt.Sprintf("%s/thread %d before call %d", name, which, i), func(t *testing.T) {
					s.balance(t)
					if len(errs) > 0 {
						t.Errorf("one thread's end costs %v", errs)
					}
				})
			}
		}
	}
}

func TestTheTaskLostBetweenAnyTwoCalls(t *testing.T) {
	var snap task.Snapshot
	losses := map[string]func(*scripted){
		"killed":   (*scripted).kill,
		"zombie":   func(s *scripted) { s.exec(); s.bsd.status = statusZombie },
		"replaced": (*scripted).exec,
	}
	for name, world := range worlds {
		calls := world()
		scenario(calls, calls.pid, &snap)
		for how, lose := range losses {
			for i := 1; i <= calls.step; i++ {
				s := world()
				s.before = func(step int, _ string) {
					if step == i {
						lose(s)
					}
				}
				errs := scenario(s, s.pid, &snap)
				t.Run(fmt.Sprintf("%s/%s before call %d", name, how, i), func(t *testing.T) {
					s.balance(t)
					checkErrors(t, errs)
					for _, err := range errs {
						checkLoss(t, err)
					}
				})
			}
		}
	}
}

// checkLoss wants a lost task to be called so.
func checkLoss(t *testing.T, err error) {
	t.Helper()
	var exited *task.ExitedError
	var none *task.NoProcessError
	if !errors.As(err, &exited) && !errors.As(err, &none) && !errors.Is(err, task.ErrThreadGone) {
		t.Errorf("%v (%T)", err, err)
	}
}

func TestATaskKilledInAStopIsReported(t *testing.T) {
	for _, at := range []string{"thread_get_state", "mach_vm_region_recurse", "mach_vm_read_overwrite"} {
		s := newScripted(task.ARM64, 3)
		s.before = func(_ int, call string) {
			if call == at && s.holds > 0 {
				s.kill()
			}
		}
		p := mustOpen(t, s)
		var snap task.Snapshot
		var exited *task.ExitedError
		if err := task.Take(p, &snap); !errors.As(err, &exited) {
			t.Errorf("killed before %s: %v", at, err)
		}
		if len(snap.Threads) != 1 || !errors.As(snap.Threads[0].Err, &exited) {
			t.Errorf("killed before %s: %d threads", at, len(snap.Threads))
		}
		mustClose(t, p)
		s.balance(t)
	}
}

func TestTheTargetRunsAfterClose(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	p := mustOpen(t, s)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Suspend(task.StopOptions{}); err == nil {
		t.Error("stopped twice")
	}
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	mustClose(t, p)
	mustClose(t, p)
	if err := resume(); err != nil {
		t.Error(err)
	}
	s.balance(t)
}

func TestResumeIsDoneOnce(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.holds = 1 // somebody else's
	p := mustOpen(t, s)
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := resume(); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, p)
	if s.holds != 1 {
		t.Errorf("%d holds left, want the other's", s.holds)
	}
}

func TestAResumeThatFailsForGoodIsReported(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	p := mustOpen(t, s)
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.failCall, s.failWith = "task_resume", denied
	if err := resume(); !errors.Is(err, denied) || !strings.Contains(err.Error(), "ending stacksnap") {
		t.Error(err)
	}
	s.failCall = ""
	mustClose(t, p) // and Close tries again
	s.balance(t)
}

func TestAResumeBySomeoneElseIsReported(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	p := mustOpen(t, s)
	resume, _ := p.Suspend(task.StopOptions{})
	s.holds = 0
	if err := resume(); err == nil || !strings.Contains(err.Error(), "someone else") {
		t.Error(err)
	}
	mustClose(t, p)
	s.balance(t)
}

func TestASuspendThatHoldsButFailsIsUndone(t *testing.T) {
	for _, r := range []Return{resourceShortage, noSpace} {
		s := newScripted(task.ARM64, 1)
		p := mustOpen(t, s)
		s.noHold, s.failCall, s.failWith = true, "task_suspend", r
		if _, err := p.Suspend(task.StopOptions{}); !errors.Is(err, r) {
			t.Error(err)
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// TestAThreadThatSomeoneElseHasSuspended is stopped, and the others are not.
func TestAThreadThatSomeoneElseHasSuspended(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	s.threadList[1].held = 2
	var snap task.Snapshot
	take(t, s, &snap)
	for i, want := range []task.State{task.Sleeping, task.Stopped, task.Sleeping} {
		if th := &snap.Threads[i]; th.State != want || th.SuspendCount != int(s.threadList[i].held) || th.Err != nil {
			t.Errorf("thread %d: %v, %d holds, %v", i, th.State, th.SuspendCount, th.Err)
		}
	}
}
