package mach

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"stacksnap/task"
)

func take(t *testing.T, s *scripted, snap *task.Snapshot) {
	t.Helper()
	p := mustOpen(t, s)
	if err := task.Take(p, snap); err != nil {
		t.Error(err)
	}
	mustClose(t, p)
	s.balance(t)
}

func TestOddAnswersCostOnlyTheirFacts(t *testing.T) {
	s := newOdd(4)
	var snap task.Snapshot
	take(t, s, &snap)
	checkSnapshot(t, s, &snap)
	if s.paused < 100*time.Millisecond || s.paused > 110*time.Millisecond {
		t.Errorf("paused %v for threads that rest after 100 ms", s.paused)
	}
	if s.extendeds != 1 {
		t.Errorf("an unknown flavor was asked for %d times", s.extendeds)
	}
}

func TestAnUnknownFlavorIsAskedForOnce(t *testing.T) {
	s := newScripted(task.AMD64, 4)
	s.noExtended = invalidArgument
	var snap task.Snapshot
	take(t, s, &snap)
	checkSnapshot(t, s, &snap)
	if s.extendeds != 1 {
		t.Errorf("asked %d times", s.extendeds)
	}
}

func TestPatienceIsForAllThreadsTogether(t *testing.T) {
	s := newOdd(50)
	s.restless = time.Hour
	var snap task.Snapshot
	take(t, s, &snap)
	if s.paused > maxStateWait {
		t.Errorf("paused %v", s.paused)
	}
	for i := range snap.Threads {
		if err := snap.Threads[i].Err; err == nil || !strings.Contains(err.Error(), "did not come to rest") {
			t.Errorf("thread %d: %v", i, err)
		}
	}
	s.restless = 0 // and the next stop is as patient as the first
	take(t, s, &snap)
	checkSnapshot(t, s, &snap)
}

func TestOneThreadThatNeverRestsCostsOnlyItself(t *testing.T) {
	s := newScripted(task.AMD64, 3)
	clear(s.threadList[1].words)
	var snap task.Snapshot
	take(t, s, &snap)
	if snap.Threads[1].Err == nil || snap.Threads[1].Registers.Known != 0 {
		t.Errorf("%v, registers %x", snap.Threads[1].Err, snap.Threads[1].Registers.Known)
	}
	if snap.Threads[0].Err != nil || snap.Threads[2].Err != nil {
		t.Errorf("%v, %v", snap.Threads[0].Err, snap.Threads[2].Err)
	}
}

func TestACallOfANullPointerIsAState(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.threadList[0].words = stateWords(task.AMD64, 0, s.memory[len(s.memory)-1].end-64)
	var snap task.Snapshot
	take(t, s, &snap)
	if th := &snap.Threads[0]; th.Err != nil || len(th.Stacks) != 1 || s.paused > 2*nullPCWait {
		t.Errorf("%v, paused %v", th.Err, s.paused)
	}
}

func TestARefusedStateCostsOnlyItsThread(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	s.threadList[1].stateErr = invalidArgument
	var snap task.Snapshot
	take(t, s, &snap)
	err := snap.Threads[1].Err
	if !errors.Is(err, invalidArgument) || err.Error() != "thread_get_state: KERN_INVALID_ARGUMENT (4)" {
		t.Error(err)
	}
	if snap.Threads[0].Err != nil || snap.Threads[2].Err != nil {
		t.Errorf("%v, %v", snap.Threads[0].Err, snap.Threads[2].Err)
	}
}

// The errors of one stop are not overwritten by the next.
func TestErrorsOutliveTheirStop(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	s.threadList[0].stateErr = invalidArgument
	p := mustOpen(t, s)
	var first, second task.Snapshot
	if err := task.Take(p, &first); err != nil {
		t.Fatal(err)
	}
	s.threadList[0].stateErr = denied
	if err := task.Take(p, &second); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(first.Threads[0].Err, invalidArgument) || !errors.Is(second.Threads[0].Err, denied) {
		t.Errorf("%v, %v", first.Threads[0].Err, second.Threads[0].Err)
	}
	mustClose(t, p)
}

func TestThreadsThatAppearInAStop(t *testing.T) {
	for _, more := range []int{5, spareThreads, 3 * spareThreads} {
		s := newScripted(task.AMD64, 2)
		s.before = func(_ int, call string) {
			if call == "task_threads" && s.holds > 0 && len(s.threadList) == 2 {
				for i := range more {
					s.addThread(2 + i)
				}
			}
		}
		p := mustOpen(t, s)
		var snap task.Snapshot
		if err := task.Take(p, &snap); err != nil {
			t.Fatal(err)
		}
		if tooMany := more > 2*spareThreads; tooMany != (len(p.held) < 2+more) {
			t.Errorf("%d threads held of %d", len(p.held), 2+more)
		}
		if want := 2 + min(more, spareThreads); len(snap.Threads) < want {
			t.Errorf("%d threads, want %d", len(snap.Threads), want)
		}
		if ids, err := p.Threads(); err != nil || len(ids) != 2+more {
			t.Errorf("then %d threads, %v", len(ids), err)
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// 2,000 threads are listed in a number of look-ups that does not grow with
// their square.
func TestManyThreads(t *testing.T) {
	s := newScripted(task.AMD64, 0)
	for i := range 900 {
		s.threadList = append(s.threadList, &scriptedThread{id: task.ThreadID(i + 1), port: firstThread + port(i)})
	}
	p := mustOpen(t, s)
	for range 3 {
		ids, err := p.Threads()
		if err != nil || len(ids) != 900 || ids[899] != 900 {
			t.Fatal(len(ids), err)
		}
		for i := range 100 {
			s.endThread(i * 3)
		}
		if ids, err = p.Threads(); err != nil || len(ids) != 800 {
			t.Fatal(len(ids), err)
		}
		for i := range s.dead {
			s.dead[i] = false
		}
		s.threadList = nil
		for i := range 900 {
			s.threadList = append(s.threadList, &scriptedThread{id: task.ThreadID(i + 1), port: firstThread + port(i)})
		}
	}
	mustClose(t, p)
	s.balance(t)
}

func TestNothingIsAllocatedDuringAStop(t *testing.T) {
	for name, s := range map[string]*scripted{
		"xnu": newScripted(task.ARM64, 8), "odd": newOdd(8), "failing": newOdd(8), "unreadable": newScripted(task.AMD64, 8),
	} {
		switch name {
		case "failing":
			s.restless = time.Hour
		case "unreadable":
			for i := range s.memory {
				s.memory[i].holes = map[int]bool{15: true}
			}
		}
		p := mustOpen(t, s)
		threads := make([]task.Thread, 8)
		for i := range threads {
			threads[i].Stacks = make([]task.Stack, 0, 1)
		}
		var b [64]byte
		if n := testing.AllocsPerRun(20, func() {
			p.failures = p.failures[:0]
			stop(t, p, threads, b[:])
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// stop is all that a caller does while the target stands.
func stop(t *testing.T, p *Process, threads []task.Thread, b []byte) {
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := p.Threads()
	if err != nil || len(ids) != len(threads) {
		t.Fatal(err)
	}
	for i, id := range ids {
		_ = p.Capture(id, &threads[i])
	}
	_, _ = p.Memory().ReadMemory(b, testStacks+8)
	_, _ = p.Memory().ReadMemory(b, 8)
	if err := resume(); err != nil {
		t.Fatal(err)
	}
}

func TestReadingUpToWhatCannotBeRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := newScripted(task.AMD64, 0)
	m := s.addRegion(testStacks, 64*testPage, task.Read|task.Write, 0, false)
	p := mustOpen(t, s)
	defer mustClose(t, p)
	for range 500 {
		hole := rng.IntN(70)
		m.holes = map[int]bool{hole: true}
		from, size := rng.IntN(64*testPage), rng.IntN(70*testPage)
		want := min(max(0, min(hole, 64)*testPage-from), size)
		if from >= (hole+1)*testPage {
			want = min(64*testPage-from, size)
		}
		b := make([]byte, size)
		s.reads = 0
		n, err := p.Memory().ReadMemory(b, testStacks+task.Addr(from))
		if n != want || !bytes.Equal(b[:n], m.bytes[from:from+n]) {
			t.Fatalf("%d bytes from %d, hole in page %d: read %d, want %d", size, from, hole, n, want)
		}
		var fault *task.FaultError
		if n < size && (!errors.As(err, &fault) || fault.Addr != testStacks+task.Addr(from+n) || !errors.Is(err, invalidAddress)) {
			t.Fatalf("fault at %v: %v", testStacks+task.Addr(from+n), err)
		}
		if n == size && err != nil || s.reads > 20 {
			t.Fatalf("%v after %d reads", err, s.reads)
		}
	}
}

func TestReadsThatRunOverTheEndOfTheAddressSpace(t *testing.T) {
	s := newScripted(task.AMD64, 0)
	p := mustOpen(t, s)
	defer mustClose(t, p)
	for _, a := range []task.Addr{^task.Addr(0), ^task.Addr(0) - 5, 0} {
		if n, err := p.Memory().ReadMemory(make([]byte, 100), a); n != 0 || err == nil {
			t.Errorf("%v: %d %v", a, n, err)
		}
	}
	if n, err := p.Memory().ReadMemory(nil, 5); n != 0 || err != nil {
		t.Errorf("nothing: %d %v", n, err)
	}
}
