package mach

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"stacksnap/task"
)

// TestZerosAreNoRegisters, where a thread is not stopped.
func TestZerosAreNoRegisters(t *testing.T) {
	s := newOdd(2)
	s.mayRun, s.restless = true, time.Hour
	p := mustOpen(t, s)
	ids, _ := p.Threads()
	w, err := p.WatchThread(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if g, err := w.Observe(); err != nil || g.State != task.Sleeping || g.Registers != (task.Registers{}) {
		t.Errorf("%+v, %v", g, err)
	}
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 1, Suspend: task.SuspendNone}) {
		if err != nil || len(snap.Threads) != 2 || snap.Threads[0].Err == nil {
			t.Errorf("%+v, %v", snap.Threads, err)
		}
	}
	if s.paused > maxStateWait || s.suspends != 1 {
		t.Errorf("paused %v, %d stops", s.paused, s.suspends)
	}
	mustClose(t, p)
	s.balance(t)
}

// TestAWatchStopsWhereItLearnsNothingOtherwise, and no more than now and then,
// and not at all while the thread has not run.
func TestAWatchStopsWhereItLearnsNothingOtherwise(t *testing.T) {
	const stop = 4 * time.Millisecond
	for _, tells := range []bool{true, false} { // how long threads have run
		s := newScripted(task.AMD64, 2)
		s.noRunning, s.restless = true, stop
		s.mute = !tells
		p := mustOpen(t, s)
		ids, _ := p.Threads()
		w, err := p.WatchThread(ids[0])
		if err != nil {
			t.Fatal(err)
		}
		var stood int
		look := func() task.Addr {
			s.now += time.Millisecond
			g, err := w.Observe()
			if err != nil || g.State != task.Sleeping {
				t.Fatalf("%+v, %v", g, err)
			}
			stood += int(s.holds)
			return g.Registers.PC()
		}
		first := look()
		for range 9 {
			look()
		}
		if first != testText || s.suspends != 1 {
			t.Errorf("tells %v: pc %v, %d stops in ten looks", tells, first, s.suspends)
		}
		s.now += time.Second
		look()
		if want := map[bool]int{true: 1, false: 2}[tells]; s.suspends != want {
			t.Errorf("tells %v: %d stops, want %d", tells, s.suspends, want)
		}
		s.now += time.Second
		s.threadList[0].words = stateWords(task.AMD64, testText+64, testStacks+testStack-1024)
		s.threadList[0].ran += time.Millisecond
		if pc := look(); pc != testText+64 || stood != 0 {
			t.Errorf("tells %v: gone on, but at %v", tells, pc)
		}
		// No stop is due yet, and where it was is not where it is.
		s.threadList[0].ran += time.Millisecond
		if g, err := w.Observe(); err != nil || !g.Later || g.Registers.Known != 0 {
			t.Errorf("tells %v: %+v, %v; it has run", tells, g, err)
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// TestAWatchStopsSoonerForOneWait: where the thread has not run since the last look, and
// no stop has shown where it waits, one is due sooner, and is enough for the whole wait.
func TestAWatchStopsSoonerForOneWait(t *testing.T) {
	const stop = 40 * time.Millisecond
	s := newScripted(task.AMD64, 1)
	s.noRunning, s.restless = true, stop
	p := mustOpen(t, s)
	ids, _ := p.Threads()
	w, err := p.WatchThread(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	look := func(after time.Duration) bool {
		s.now += after
		g, err := w.Observe()
		if err != nil {
			t.Fatal(err)
		}
		return !g.Later
	}
	look(0)
	s.threadList[0].ran += time.Millisecond
	if look(stop / 2) {
		t.Error("a stop right after the last one, of a thread that has run")
	}
	if look(stop / 2) {
		t.Error("a stop before twice the time of the last one")
	}
	if !look(2 * stop) {
		t.Error("it waits where it did, and is not looked at")
	}
	if !look(0) || !look(time.Second) || s.suspends != 2 {
		t.Errorf("%d stops for two waits", s.suspends)
	}
	before := s.suspends
	for range stillShare - 1 { // it has run before each look
		s.threadList[0].ran += time.Millisecond
		look(stop / 2)
	}
	if s.suspends > before+1 {
		t.Errorf("%d stops of a thread that runs and waits in turns", s.suspends-before)
	}
	mustClose(t, p)
	s.balance(t)
}

// TestAWatchWaitsForAThreadToBeBack: what a stop has it run is over by the end of
// the look, and is not taken for its going on; one that has gone on is not taken
// to stand where it was stopped.
func TestAWatchWaitsForAThreadToBeBack(t *testing.T) {
	for _, rests := range []bool{true, false} {
		s := newScripted(task.AMD64, 1)
		s.noRunning = true
		stopped := false
		s.before = func(_ int, call string) {
			switch runs := s.now-s.stoppedAt < 2*time.Millisecond || !rests; {
			case call == "task_suspend":
				stopped = true
			case call == "pause" && stopped && runs:
				s.threadList[0].ran += 100 * time.Microsecond
			}
		}
		p := mustOpen(t, s)
		ids, _ := p.Threads()
		w, err := p.WatchThread(ids[0])
		if err != nil {
			t.Fatal(err)
		}
		g, err := w.Observe()
		if err != nil || g.Later || g.Registers.PC() != testText {
			t.Errorf("rests %v: %+v, %v", rests, g, err)
		}
		s.before = nil
		s.now += time.Second
		if g, err = w.Observe(); err != nil || g.Registers.PC() != testText {
			t.Errorf("rests %v: %+v, %v", rests, g, err)
		}
		if want := map[bool]int{true: 1, false: 2}[rests]; s.suspends != want {
			t.Errorf("rests %v: %d stops, want %d", rests, s.suspends, want)
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// TestAFaultIsNoEnd: KERN_FAILURE may answer an unmapped read, and the flags of a
// process that lives may look as if it was about to end.
func TestAFaultIsNoEnd(t *testing.T) {
	s := newOdd(1)
	p := mustOpen(t, s)
	var b [8]byte
	_, err := p.Memory().ReadMemory(b[:], 0x1000)
	var fault *task.FaultError
	if !errors.As(err, &fault) || fault.Addr != 0x1000 {
		t.Error(err)
	}
	s.inactive = true
	if _, err = p.Memory().ReadMemory(b[:], 0x1000); !errors.Is(err, errTaskEnded) {
		t.Error(err)
	}
	s.bsd.flags = flagExec // and without that mark the fault is one again
	if _, err = p.Memory().ReadMemory(b[:], 0x1000); !errors.As(err, &fault) {
		t.Error(err)
	}
	mustClose(t, p)
	s.balance(t)
}

// TestAThreadWithoutRestIsWaitedForEverLess: it must not cost the target a
// quarter of a second at each sample.
func TestAThreadWithoutRestIsWaitedForEverLess(t *testing.T) {
	s := newOdd(3)
	s.restless = time.Millisecond
	words := s.threadList[1].words
	s.threadList[1].words = make([]uint32, len(words))
	var waits []int
	sampleScripted(t, s, task.Options{Count: 30}, func(n int, snap *task.Snapshot) {
		if (snap.Threads[1].Err == nil) != (n > 27) || snap.Threads[0].Err != nil || snap.Threads[2].Err != nil {
			t.Errorf("snapshot %d: %v, %v, %v", n, snap.Threads[0].Err, snap.Threads[1].Err, snap.Threads[2].Err)
		}
		if s.now-s.stoppedAt > 20*time.Millisecond {
			waits = append(waits, n)
		}
		if n == 27 {
			s.threadList[1].words = words
		}
	})
	if s.suspends != 30 || !slices.Equal(waits, []int{1, 4, 9, 18}) {
		t.Errorf("%d stops, those that waited: %v", s.suspends, waits)
	}
}

// TestAllThreadsSlowToRest: those that were not waited for in one stop are in
// the next.
func TestAllThreadsSlowToRest(t *testing.T) {
	s := newOdd(8)
	s.restless = time.Hour
	sampleScripted(t, s, task.Options{Count: 4}, func(n int, snap *task.Snapshot) {
		if stop := s.now - s.stoppedAt; stop > maxStateWait+20*time.Millisecond {
			t.Errorf("stop %d took %v", n, stop)
		}
		for i := range snap.Threads {
			if th := &snap.Threads[i]; (th.Err == nil) != (n == 4) {
				t.Errorf("snapshot %d, thread %d: %v", n, i, th.Err)
			}
		}
		if n == 3 {
			s.restless = maxStateWait / 2
		}
	})
}

func TestListWithoutAListOfPIDs(t *testing.T) {
	s := newOdd(1)
	s.allProcs = []task.Candidate{{PID: 42, Name: "mldr"}}
	want := task.Candidate{PID: 42, Name: "program", Path: s.execPath, ParentPID: 1, Forked: true}
	if got, err := list(s); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := listPIDs(s); err != nil || !slices.Equal(got, []int{42}) {
		t.Errorf("%v %v", got, err)
	}
}

// TestAShortListIsAskedForAgain, until nothing new comes, and not for ever.
func TestAShortListIsAskedForAgain(t *testing.T) {
	s := newOdd(1)
	s.allProcs = []task.Candidate{{PID: 1}, {PID: 2}, {PID: 42}}
	s.shortProcs = [][]task.Candidate{{{PID: 1}}, {{PID: 1}, {PID: 42}}}
	if got, err := listPIDs(s); err != nil || !slices.Equal(got, []int{1, 42, 2}) {
		t.Errorf("%v %v", got, err)
	}
	asked := 0
	s.before = func(_ int, call string) {
		if call == "sysctl(KERN_PROC_ALL)" {
			asked++
			s.allProcs = []task.Candidate{{PID: 100 + asked}}
		}
	}
	if got, err := listPIDs(s); err != nil || len(got) != maxListings || asked != maxListings {
		t.Errorf("%d pids, %v, asked %d times", len(got), err, asked)
	}
}
