package mach

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"stacksnap/task"
)

// TestAFaultIsNoEndInDarling: there KERN_FAILURE answers an unmapped read, and
// the flags of a process that lives look as if it was about to end.
func TestAFaultIsNoEndInDarling(t *testing.T) {
	p := mustOpen(t, newDarling(1))
	var b [8]byte
	_, err := p.Memory().ReadMemory(b[:], 0x1000)
	var fault *task.FaultError
	if !errors.As(err, &fault) || fault.Addr != 0x1000 {
		t.Error(err)
	}
	mustClose(t, p)
}

// TestAReadEndsWhereMemoryDoes, although Darling says that it goes on.
func TestAReadEndsWhereMemoryDoes(t *testing.T) {
	s := newDarling(1)
	start := testStacks + testStack - 3*testPage/2
	for n, size := range map[int]int{3 * testPage / 2: 2 * testPage, 100: 100} {
		p := mustOpen(t, s)
		b := bytes.Repeat([]byte{0xEE}, size)
		var fault *task.FaultError
		got, err := p.Memory().ReadMemory(b, start)
		if got != n || (n < size) != (errors.As(err, &fault) && fault.Addr == start+task.Addr(n)) {
			t.Errorf("%d bytes: %d, %v", size, got, err)
		}
		if m := s.at(start); !bytes.Equal(b[:n], m.bytes[start-m.start:][:n]) {
			t.Errorf("%d bytes: others", size)
		}
		mustClose(t, p)
	}
}

// TestAnExecutableStack is one, where the kernel hides that it can be written.
func TestAnExecutableStack(t *testing.T) {
	for _, s := range []*scripted{newDarling(1), newScripted(task.AMD64, 1)} {
		s.at(testStacks).prot = task.Read | task.Execute
		var snap task.Snapshot
		take(t, s, &snap)
		if (snap.Threads[0].Err == nil) != s.darling {
			t.Errorf("Darling %v: %v", s.darling, snap.Threads[0].Err)
		}
	}
}

func TestAProcessThatExitsIsGone(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.bsd.flags |= flagExiting
	if !gone(s, s.pid) {
		t.Error("it is about to end")
	}
}

// TestEveryThreadRestsBeforeItIsLetRun, also those that are not captured.
func TestEveryThreadRestsBeforeItIsLetRun(t *testing.T) {
	s := newDarling(3)
	main := s.threadList[0].id
	o := task.Options{Count: 5, Threads: func(th *task.Thread) bool { return th.ID == main }}
	sampleScripted(t, s, o, func(n int, snap *task.Snapshot) {
		if len(snap.Threads) != 1 || snap.Threads[0].Err != nil {
			t.Errorf("snapshot %d: %d threads", n, len(snap.Threads))
		}
	})
	if s.suspends != 5 || s.early > 0 {
		t.Errorf("%d stops, of which %d ended before all threads had come to rest", s.suspends, s.early)
	}
}

// TestAThreadWithoutRestIsWaitedForOnce: it must not cost the target a quarter
// of a second at each sample.
func TestAThreadWithoutRestIsWaitedForOnce(t *testing.T) {
	s := newDarling(3)
	s.restless = time.Millisecond
	words := s.threadList[1].words
	s.threadList[1].words = make([]uint32, len(words))
	sampleScripted(t, s, task.Options{Count: 10}, func(n int, snap *task.Snapshot) {
		if (snap.Threads[1].Err == nil) != (n > 7) || snap.Threads[0].Err != nil || snap.Threads[2].Err != nil {
			t.Errorf("snapshot %d: %v, %v, %v", n, snap.Threads[0].Err, snap.Threads[1].Err, snap.Threads[2].Err)
		}
		if stop := s.now - s.stoppedAt; n > 1 && stop > 20*time.Millisecond {
			t.Errorf("stop %d took %v", n, stop)
		}
		if n == 7 {
			s.threadList[1].words = words
		}
	})
}

// TestATargetRunsAsLongAsItStands, whatever interval is asked for.
func TestATargetRunsAsLongAsItStands(t *testing.T) {
	s := newDarling(2)
	var stood, last time.Duration
	s.before = func(_ int, call string) {
		switch call {
		case "task_suspend":
			if ran := s.now - last; last > 0 && ran < stood {
				t.Errorf("ran %v after it stood %v", ran, stood)
			}
		case "task_resume":
			stood, last = s.now-s.stoppedAt, s.now
		}
	}
	sampleScripted(t, s, task.Options{Count: 5}, func(int, *task.Snapshot) {})
	if stood < 100*time.Millisecond {
		t.Errorf("stood %v", stood)
	}
}

// TestALostWakeUpIsMadeUpFor: a thread that rests on when the target is let run
// is woken by one stop more.
func TestALostWakeUpIsMadeUpFor(t *testing.T) {
	for lost, want := range map[int]int{0: 1, 2: 2, 100: 1 + wakeTries} {
		s := newDarling(2)
		s.lost = lost // one by each stop
		var snap task.Snapshot
		take(t, s, &snap)
		if s.suspends != want || s.early > 0 {
			t.Errorf("%d wake-ups lost: %d stops, want %d; %d too short", lost, s.suspends, want, s.early)
		}
	}
	s := newScripted(task.AMD64, 2)
	s.threadList[0].run = 2 // and stopped threads are left alone on XNU
	var snap task.Snapshot
	take(t, s, &snap)
	if s.suspends != 1 {
		t.Errorf("%d stops", s.suspends)
	}
}

func TestALoaderThatNeverTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newDarling(1)
		s.unanswered = make(chan struct{})
		p := mustOpen(t, s)
		if info := p.Info(); info.LoaderInfo != 0 || info.Arch != task.AMD64 {
			t.Errorf("%+v", info)
		}
		mustClose(t, p)
		s.balance(t)
		close(s.unanswered)
	})
}

// TestAProgramThatIsJustStarted has a path when its loader has run, and a new
// task.
func TestAProgramThatIsJustStarted(t *testing.T) {
	for _, after := range []time.Duration{20 * time.Millisecond, time.Hour} {
		s := newDarling(1)
		path := s.execPath
		s.execPath = ""
		var calls []string
		s.before = func(_ int, call string) {
			if s.now >= after {
				s.execPath = path
			}
			if call == "task_for_pid" || call == "task_info" {
				calls = append(calls, call)
			}
		}
		p := mustOpen(t, s)
		if !slices.Equal(calls, []string{"task_for_pid", "task_for_pid", "task_info"}) || p.Info().LoaderInfo == 0 || s.now > loaderPatience {
			t.Errorf("after %v: %v, %+v", s.now, calls, p.Info())
		}
		mustClose(t, p)
		s.balance(t)
	}
}

func TestListInDarling(t *testing.T) {
	s := newDarling(1)
	s.allProcs = []task.Candidate{{PID: 42, Name: "mldr"}}
	want := task.Candidate{PID: 42, Name: "program", Path: s.execPath, ParentPID: 1}
	if got, err := list(s); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("%+v %v", got, err)
	}
	s.execPath = "" // as long as its loader has not run
	if got, err := list(s); err != nil || len(got) != 1 || !got[0].Forked || got[0].Name != "mldr" {
		t.Errorf("%+v %v", got, err)
	}
	s.bsd.flags = 0 // a process of the host
	if got, err := list(s); err != nil || len(got) != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestARunningThreadHasNoStateInDarling: zeros are no registers.
func TestARunningThreadHasNoStateInDarling(t *testing.T) {
	s := newDarling(2)
	s.mayRun, s.restless = true, time.Hour
	p := mustOpen(t, s)
	ids, _ := p.Threads()
	w, err := p.WatchThread(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if g, err := w.Glance(); err != nil || g.State != task.Sleeping || g.Registers != (task.Registers{}) {
		t.Errorf("%+v, %v", g, err)
	}
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 1, Suspend: task.SuspendNone}) {
		if err != nil || len(snap.Threads) != 2 || snap.Threads[0].Err == nil {
			t.Errorf("%+v, %v", snap.Threads, err)
		}
	}
	if s.paused > 0 || s.suspends > 0 {
		t.Errorf("paused %v, %d stops", s.paused, s.suspends)
	}
	mustClose(t, p)
}
