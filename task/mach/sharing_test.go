package mach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"stacksnap/task"
)

// busy has every thread run and write to its stack.
func (s *scripted) busy(n int) {
	for i, t := range s.threadList {
		t.ran += time.Millisecond
		if m := s.at(s.sp(t)); m != nil {
			m.bytes[s.sp(t)-m.start+8] = byte(100 + n + i)
		}
	}
}

func (s *scripted) sp(t *scriptedThread) task.Addr {
	regs := task.Registers{Arch: s.host}
	stateLayout(s.host).decode(t.words, ^uint64(0), &regs)
	return regs.SP()
}

// setSP puts a thread onto another stack.
func (s *scripted) setSP(t *scriptedThread, sp task.Addr) {
	t.words = stateWords(s.host, testText, sp)
}

// right reports whether a stack is what the target has there.
func (s *scripted) right(st *task.Stack) bool {
	m := s.at(st.Base)
	return m != nil && st.Top == m.end && bytes.Equal(st.Bytes, m.bytes[st.Base-m.start:][:len(st.Bytes)])
}

// series samples a scripted process whose threads are busy, and closes it. before
// is done before each sample, counted from 1, and see is given each. Every stack
// must be the target's.
func series(t *testing.T, s *scripted, count int, before func(n int), see func(n int, snap *task.Snapshot)) {
	t.Helper()
	p := mustOpen(t, s)
	n := 1
	before(n)
	s.busy(n)
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: count, Interval: 10 * time.Millisecond}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range snap.Threads {
			th := &snap.Threads[i]
			if th.Err == nil && (len(th.Stacks) != 1 || !s.right(&th.Stacks[0])) {
				t.Errorf("sample %d, thread %d: not its stack", n, th.ID)
			}
		}
		see(n, snap)
		n++
		before(n)
		s.busy(n)
	}
	mustClose(t, p)
	s.balance(t)
}

func nothing(int) {}
func noErrors(t *testing.T) func(int, *task.Snapshot) {
	return func(n int, snap *task.Snapshot) {
		t.Helper()
		for i := range snap.Threads {
			if th := &snap.Threads[i]; th.Err != nil {
				t.Errorf("sample %d, thread %d: %v", n, th.ID, th.Err)
			}
		}
	}
}

// calls counts the calls of a kernel by name, those in a stop apart.
func (s *scripted) count() (stopped, running map[string]int) {
	stopped, running = map[string]int{}, map[string]int{}
	s.before = func(_ int, call string) {
		if s.holds > 0 {
			stopped[call]++
		} else {
			running[call]++
		}
	}
	return stopped, running
}

func TestASampleCostsOneCallForEachThreadThatRan(t *testing.T) {
	for _, host := range []task.Arch{task.AMD64, task.ARM64} {
		s := newScripted(host, 8)
		stopped, running := s.count()
		series(t, s, 20, nothing, func(n int, snap *task.Snapshot) {
			noErrors(t)(n, snap)
			if n > mapAfter+1 {
				want := map[string]int{"task_threads": 1, "thread_get_state": 8, "task_resume": 1}
				if fmt.Sprint(stopped) != fmt.Sprint(want) {
					t.Errorf("sample %d: %v in the stop, want %v", n, stopped, want)
				}
				if running["mach_vm_region_recurse"] != 8 || running["mach_vm_remap_new"] != 0 {
					t.Errorf("sample %d: %v", n, running)
				}
			}
			clear(stopped)
			clear(running)
		})
		if s.made != 8 {
			t.Errorf("%d mappings made", s.made)
		}
	}
}

func TestASnapshotMapsNothing(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	p := mustOpen(t, s)
	var snap task.Snapshot
	for range 2 * mapAfter {
		if err := task.Take(p, &snap); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, p)
	s.balance(t)
	if s.made != 0 || len(s.policies) != 0 {
		t.Errorf("%d mappings made, %d policies", s.made, len(s.policies))
	}
}

func TestAKernelThatSharesNothingIsAskedOnce(t *testing.T) {
	s := newOdd(3)
	s.restless = 0
	asked := 0
	s.before = func(_ int, call string) {
		if call == "mach_vm_remap" {
			asked++
		}
	}
	series(t, s, 10, nothing, noErrors(t))
	if asked > 1 || s.made != 0 {
		t.Errorf("asked %d times, %d mappings", asked, s.made)
	}
}

func TestASeriesThatIsBrokenOffLeavesNothing(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	p := mustOpen(t, s)
	n := 0
	for range task.Sample(context.Background(), p, task.Options{Interval: 10 * time.Millisecond}) {
		s.busy(n)
		if n++; n == 5 {
			break
		}
	}
	if s.made != 3 || p.sharing.count != 0 {
		t.Errorf("%d mappings made, %d left", s.made, p.sharing.count)
	}
	s.balanceMappings(t)
	mustClose(t, p)
}

// Without a stop there is no one moment that could be confirmed.
func TestWithoutAStopNoMappingIsRead(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	s.mayRun = true
	p := mustOpen(t, s)
	threads := withRoom(t, p)
	p.BeginSeries(time.Millisecond)
	for n := range 2 * mapAfter {
		s.busy(n)
		captureAll(t, p, s, threads)
	}
	s.reads = 0
	ids := []task.ThreadID{threads[0].ID, threads[1].ID}
	err := p.CaptureThreads(task.SuspendNone, task.StopOptions{}, ids, func(i int) {
		if err := p.Capture(ids[i], &threads[i]); err != nil || !s.right(&threads[i].Stacks[0]) {
			t.Errorf("thread %d: %v", i, err)
		}
	}, func(int, time.Duration, error) {})
	if err != nil || s.reads != 2 || s.made != 2 {
		t.Errorf("%v, %d reads, %d mappings", err, s.reads, s.made)
	}
	p.EndSeries()
	for _, err := range task.Sample(context.Background(), p, task.Options{Count: 5, Interval: time.Millisecond, Suspend: task.SuspendNone}) {
		if err != nil {
			t.Fatal(err)
		}
		s.busy(1)
	}
	if s.made != 2 {
		t.Errorf("%d mappings made by a sampling that stops nothing", s.made-2)
	}
	mustClose(t, p)
	s.balance(t)
}

// A kernel without names of objects cannot be asked whether a mapping holds.
func TestWithoutNamesOfObjectsNothingIsMapped(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	for i := range s.memory {
		s.memory[i].object = 0
	}
	_, running := s.count()
	series(t, s, 10, nothing, noErrors(t))
	if running["mach_vm_remap_new"] != 0 {
		t.Errorf("asked %d times", running["mach_vm_remap_new"])
	}
}

// A mapping is of one region, so it does not serve for a stack of several, nor
// for one whose end was not reached.
func TestAStackOfSeveralRegionsIsNotMapped(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	top := s.at(s.sp(s.threadList[0])).end
	s.addRegion(top, testPage, task.Read|task.Write, memoryStack, false)
	p := mustOpen(t, s)
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 10, Interval: time.Millisecond}) {
		if err != nil || snap.Threads[0].Stacks[0].Top != top+testPage {
			t.Fatalf("%v, stack up to %v", err, snap.Threads[0].Stacks[0].Top)
		}
		s.busy(1)
	}
	mustClose(t, p)
	s.balance(t)
	s = newScripted(task.ARM64, 0)
	s.setSP(s.addThread(0), s.addRegion(stackAt+1<<30, 2*task.FirstStackLimit, task.Read|task.Write, memoryStack, false).start+512)
	series(t, s, 10, nothing, func(_ int, snap *task.Snapshot) {
		if !snap.Threads[0].Stacks[0].Truncated() {
			t.Error("the stack is not as deep as meant")
		}
	})
	if s.made != 0 {
		t.Errorf("%d mappings", s.made)
	}
}

func TestClosingInASeriesLeavesNothing(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	p := mustOpen(t, s)
	n := 0
	for range task.Sample(context.Background(), p, task.Options{Interval: 10 * time.Millisecond}) {
		s.busy(n)
		if n++; n == 5 {
			mustClose(t, p)
			s.balance(t)
			break
		}
	}
	s.balance(t)
}

// A kernel whose mappings are copies is found out, and asked no more.
func TestCopiesAreNotTrusted(t *testing.T) {
	s := newScripted(task.ARM64, 2*maxUnequal)
	s.copies = true
	series(t, s, 20, nothing, noErrors(t))
	if s.made != 2*maxUnequal {
		t.Errorf("%d mappings made", s.made)
	}
	s = newScripted(task.ARM64, 1)
	s.copies = true
	series(t, s, 20, func(n int) {
		if n > 5 && len(s.threadList) < maxUnequal+5 {
			s.addThread(len(s.threadList))
		}
	}, noErrors(t))
	if s.made > maxUnequal+mapAfter { // some are made before the others are found out
		t.Errorf("%d mappings made", s.made)
	}
}

// What a mapping that never changes shows may be a copy.
func TestAMappingThatNeverChangedIsNotTrusted(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	s.copies = true
	stopped, _ := s.count()
	p := mustOpen(t, s)
	n := 0
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 20, Interval: time.Millisecond}) {
		if err != nil || !s.right(&snap.Threads[0].Stacks[0]) {
			t.Fatalf("%v, or a wrong stack", err)
		}
		s.threadList[0].ran += time.Millisecond
		if n++; n == 15 {
			s.busy(n) // and so the copy is found out
		}
	}
	mustClose(t, p)
	s.balance(t)
	if stopped["mach_vm_read_overwrite"] != 20 || s.made != 1 {
		t.Errorf("%d reads of 20 samples, %d mappings", stopped["mach_vm_read_overwrite"], s.made)
	}
}

func TestRefusalsAreRemembered(t *testing.T) {
	for _, r := range []Return{noSpace, invalidArgument, failure, resourceShortage, notSupported, denied, sendInvalidDest} {
		for _, control := range []bool{false, true} {
			s := newScripted(task.ARM64, 4)
			s.noRemapNew, s.noRemap = r, r
			if control {
				s.noReadPort = notPermitted
			}
			stopped, running := s.count()
			series(t, s, 10, nothing, noErrors(t))
			want := 0
			if control {
				want = 1
			}
			if running["mach_vm_remap_new"] != 1 || running["mach_vm_remap"] != want || s.made != 0 {
				t.Errorf("%v, control port %v: %v", r, control, running)
			}
			if stopped["mach_vm_read_overwrite"] != 4*10 {
				t.Errorf("%v: %v", r, stopped)
			}
		}
	}
}

// A stack that is gone before it was mapped says nothing of the others.
func TestARefusalOfOneStackIsNotOfAll(t *testing.T) {
	for _, r := range []Return{invalidAddress, protectionFailure} {
		s := newScripted(task.ARM64, 4)
		s.noRemapNew = r
		series(t, s, 20, func(n int) {
			if n == 5 {
				s.noRemapNew = success
			}
		}, noErrors(t))
		if s.made != 4 {
			t.Errorf("%v: %d mappings", r, s.made)
		}
		s = newScripted(task.ARM64, 1)
		s.noRemapNew = r
		_, running := s.count()
		series(t, s, 20, nothing, noErrors(t))
		if running["mach_vm_remap_new"] != maxMapTry {
			t.Errorf("%v: asked %d times", r, running["mach_vm_remap_new"])
		}
	}
}

func TestTheOlderCallNeedsTheControlPortAndIsForReadingOnly(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	s.noReadPort, s.noRemapNew = notPermitted, notSupported
	stopped, running := s.count()
	series(t, s, 10, nothing, func(n int, snap *task.Snapshot) {
		noErrors(t)(n, snap)
		if s.writable != 0 {
			t.Errorf("sample %d: %d mappings can be written", n, s.writable)
		}
		if n > mapAfter+1 && stopped["mach_vm_read_overwrite"] != 0 {
			t.Errorf("sample %d: %v", n, stopped)
		}
		clear(stopped)
	})
	if s.made != 3 || running["mach_vm_remap_new"] != 1 {
		t.Errorf("%d mappings made; %v", s.made, running)
	}
	s = newScripted(task.ARM64, 3)
	s.noReadPort, s.noRemapNew, s.noReadOnly = notPermitted, notSupported, denied
	series(t, s, 10, nothing, noErrors(t))
	if s.made != 1 {
		t.Errorf("%d mappings made that cannot be for reading only", s.made)
	}
}

// The kernel reports whether a mapping is of one object, and of the stack's.
func TestAMappingOfOtherMemoryIsUnmapped(t *testing.T) {
	for what, spoil := range map[string]func(b *backing){
		"no object":       func(b *backing) { b.object = 0 },
		"another object":  func(b *backing) { b.object += 100 },
		"another place":   func(b *backing) { b.offset += testPage },
		"several objects": func(b *backing) { b.size -= testPage },
	} {
		s := newScripted(task.ARM64, 1)
		s.spoil = spoil
		stopped, _ := s.count()
		series(t, s, 10, nothing, func(n int, snap *task.Snapshot) {
			noErrors(t)(n, snap)
			if len(s.mappings) != 0 {
				t.Errorf("%s: it stays mapped", what)
			}
		})
		if stopped["mach_vm_read_overwrite"] != 10 || s.made == 0 || s.made > maxMapTry {
			t.Errorf("%s: %d mappings; %v", what, s.made, stopped)
		}
	}
}

func TestAStackThatGrowsIsMappedAnew(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	th := s.threadList[0]
	stopped, _ := s.count()
	series(t, s, 20, func(n int) {
		if n == 8 {
			old := s.at(s.sp(th))
			bigger := *old
			bigger.start -= testPage
			bigger.bytes = append(make([]byte, testPage, testPage+len(old.bytes)), old.bytes...)
			bigger.object = s.newObject()
			s.memory = append(s.memory[:len(s.memory)-2], bigger) // in the place of the guard
			s.setSP(th, bigger.start+256)
		}
	}, func(n int, snap *task.Snapshot) {
		noErrors(t)(n, snap)
		if reads := stopped["mach_vm_read_overwrite"]; n > 8+mapAfter && reads != 0 {
			t.Errorf("sample %d: %d reads", n, reads)
		}
		clear(stopped)
	})
	if s.made != 2 {
		t.Errorf("%d mappings", s.made)
	}
}

// Another stack than the thread's own is read by the kernel each time, and the
// mapping of its own waits.
func TestAnotherStackIsNotMapped(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	th := s.threadList[0]
	own := s.sp(th)
	s.addRegion(stackAt+1<<30, 2*testPage, task.Read|task.Write, 0, false)
	stopped, _ := s.count()
	series(t, s, 30, func(n int) {
		s.setSP(th, own)
		if n > 5 && n <= 15 {
			s.setSP(th, stackAt+1<<30+512)
		}
	}, func(n int, snap *task.Snapshot) {
		noErrors(t)(n, snap)
		want := 0
		if n <= mapAfter+1 || n > 5 && n <= 15 {
			want = 1
		}
		if reads := stopped["mach_vm_read_overwrite"]; reads != want {
			t.Errorf("sample %d: %d reads, want %d", n, reads, want)
		}
		clear(stopped)
	})
	if s.made != 1 {
		t.Errorf("%d mappings", s.made)
	}
}

// Between two stacks that both look like a thread's own nothing goes back and
// forth for ever.
func TestSeveralOwnStacksAreMappedAFewTimesOnly(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	th := s.threadList[0]
	own := s.sp(th)
	s.addRegion(stackAt+1<<30, 2*testPage, task.Read|task.Write, memoryStack, false)
	series(t, s, 100, func(n int) {
		s.setSP(th, own)
		if n/5%2 == 1 {
			s.setSP(th, stackAt+1<<30+512)
		}
	}, noErrors(t))
	if s.made > maxMapTry {
		t.Errorf("%d mappings", s.made)
	}
}

// replace gives the target other memory where a thread's stack is, which a
// mapping does not show.
func (s *scripted) replace(i int) *scriptedRegion {
	m := s.at(s.sp(s.threadList[i]))
	m.bytes = bytes.Clone(m.bytes)
	for j := range m.bytes {
		m.bytes[j] ^= 0xff
	}
	m.object = s.newObject()
	return m
}

func TestMemoryThatIsReplacedIsNotTakenFromTheMapping(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	series(t, s, 20, func(n int) {
		if n == 8 {
			s.replace(1)
		}
	}, func(n int, snap *task.Snapshot) {
		for i := range snap.Threads {
			th := &snap.Threads[i]
			if gone := n == 8 && i == 1; errors.Is(th.Err, errReplaced) != gone || gone == (len(th.Stacks) == 1) {
				t.Errorf("sample %d, thread %d: %v, %d stacks", n, i, th.Err, len(th.Stacks))
			}
		}
	})
	if s.made != 4 {
		t.Errorf("%d mappings", s.made)
	}
}

// Only an offset tells that the target has moved an object's memory.
func TestMemoryThatIsMovedIsNotTakenFromTheMapping(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	lost := 0
	series(t, s, 10, func(n int) {
		if n == 8 {
			m := s.replace(0)
			m.object, m.offset = m.object-1, m.offset+testPage
		}
	}, func(n int, snap *task.Snapshot) {
		if snap.Threads[0].Err != nil {
			lost++
		}
	})
	if lost != 1 {
		t.Errorf("%d samples lost", lost)
	}
}

// Even if the kernel's names of objects told nothing, reads would, in time.
func TestAMappingIsReadAgainNowAndThen(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	p := mustOpen(t, s)
	n, wrong := 0, 0
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 4 * checkEvery, Interval: time.Millisecond}) {
		if err != nil {
			t.Fatal(err)
		}
		if th := &snap.Threads[0]; th.Err != nil || !s.right(&th.Stacks[0]) {
			wrong++
		}
		if n++; n == 10 {
			m := s.replace(0)
			m.object--
		}
		s.busy(n)
	}
	mustClose(t, p)
	s.balance(t)
	if wrong == 0 || wrong > checkEvery {
		t.Errorf("%d samples were wrong", wrong)
	}
}

// A region that the kernel has divided is the same memory still.
func TestADividedRegionIsTheSameMemory(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	whole := *s.at(s.sp(s.threadList[0]))
	middle := whole.start + testPage
	s.setSP(s.threadList[0], middle-1024)
	lower, upper := whole, whole
	lower.end, lower.bytes = middle, whole.bytes[:testPage]
	upper.start, upper.bytes, upper.offset = middle, whole.bytes[testPage:], testPage
	p := mustOpen(t, s)
	n := 0
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 20, Interval: time.Millisecond}) {
		if err != nil || snap.Threads[0].Err != nil {
			t.Fatalf("sample %d: %v, %v", n, err, snap.Threads[0].Err)
		}
		if n++; n == 8 {
			s.memory = append(s.memory[:len(s.memory)-1], lower, upper)
		}
		s.busy(n)
	}
	if s.made != 1 || p.sharing.unequal != 0 {
		t.Errorf("%d mappings", s.made)
	}
	mustClose(t, p)
	s.balance(t)
}

// A thread that ends after the stop takes its stack with it, which was right.
func TestAThreadThatEndsAfterTheStopKeepsItsCapture(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	n := 0
	s.before = func(_ int, call string) {
		if call == "mach_vm_region_recurse" && n == 8 && s.holds == 0 && len(s.threadList) == 2 {
			s.replace(1)
			s.endThread(1)
		}
	}
	p := mustOpen(t, s)
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 12, Interval: time.Millisecond}) {
		if err != nil {
			t.Fatal(err)
		}
		if n == 8 && (len(snap.Threads) != 2 || snap.Threads[1].Err != nil || len(snap.Threads[1].Stacks) != 1) {
			t.Errorf("%d threads", len(snap.Threads))
		}
		n++
		s.busy(n)
	}
	mustClose(t, p)
	s.balance(t)
}

func TestAThreadOfTheSameIDHasItsOwnStack(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	series(t, s, 30, func(n int) {
		if n%6 != 0 {
			return
		}
		old := s.threadList[1]
		s.endThread(1)
		next := s.addThread(n + 2)
		next.id = old.id
	}, noErrors(t))
	if s.made != 1+5 {
		t.Errorf("%d mappings", s.made)
	}
}

func TestThreadsThatComeAndGoAreUnmapped(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	most := 0
	series(t, s, 60, func(n int) {
		if n > 2 {
			s.addThread(n)
		}
		if len(s.threadList) > 5 {
			s.endThread(1)
		}
	}, func(_ int, snap *task.Snapshot) { most = max(most, len(s.mappings)) })
	if s.made < 40 || most > 6 {
		t.Errorf("%d mappings made, %d at once", s.made, most)
	}
}

// A thread for which a listing in a stop has no room any more is known no longer,
// nor is its mapping.
func TestAMappedThreadThatIsCrowdedOutIsUnmapped(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	p := mustOpen(t, s)
	threads := withRoom(t, p)
	p.BeginSeries(time.Millisecond)
	for n := range 2 * mapAfter {
		s.busy(n)
		captureAll(t, p, s, threads)
	}
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 * spareThreads {
		s.addThread(2 + i)
	}
	s.threadList = append(s.threadList[2:], s.threadList[:2]...)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	p.Confirm()
	if len(s.mappings) != 0 || s.made != 2 {
		t.Errorf("%d mappings of %d left", len(s.mappings), s.made)
	}
	mustClose(t, p)
	s.balance(t)
}

func TestMappingsAreBounded(t *testing.T) {
	s := newScripted(task.ARM64, maxMappings+20)
	series(t, s, 5, nothing, func(n int, snap *task.Snapshot) {
		noErrors(t)(n, snap)
		if len(s.mappings) > maxMappings {
			t.Errorf("%d mappings", len(s.mappings))
		}
	})
	if s.made != maxMappings {
		t.Errorf("%d mappings made", s.made)
	}
	s = newScripted(task.ARM64, 0)
	for i := range 2 {
		th := s.addThread(i)
		m := s.addRegion(testStacks+task.Addr(1+i)<<32, maxMapping+i*testPage, task.Read|task.Write, memoryStack, false)
		s.setSP(th, m.end-1024)
	}
	series(t, s, 5, nothing, noErrors(t))
	if s.made != 1 {
		t.Errorf("%d mappings made of stacks of the largest size and above", s.made)
	}
	p := &Process{k: s}
	p.sharing = sharing{on: true, size: maxMapped - testStack + 1}
	p.mapStack(&held{stack: known{start: testStacks, end: testStacks + testStack}})
	if s.made != 1 {
		t.Error("more was mapped than is allowed of all stacks together")
	}
}

func TestNothingIsMappedWhileTheTaskStands(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	p := mustOpen(t, s)
	threads := withRoom(t, p)
	p.BeginSeries(time.Millisecond)
	for n := range mapAfter {
		s.busy(n)
		resume, err := p.Suspend(task.StopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ids, _ := p.Threads()
		for i, id := range ids {
			if err := p.Capture(id, &threads[i]); err != nil {
				t.Fatal(err)
			}
		}
		p.Confirm() // not resumed: a resume may be refused
		if err := resume(); err != nil {
			t.Fatal(err)
		}
	}
	if s.made != 0 {
		t.Errorf("%d mappings", s.made)
	}
	if p.Confirm(); s.made != 3 {
		t.Errorf("then %d mappings", s.made)
	}
	mustClose(t, p)
	s.balance(t)
}

// withRoom makes threads to capture into.
func withRoom(t *testing.T, p *Process) []task.Thread {
	t.Helper()
	var snap task.Snapshot
	if err := task.Take(p, &snap); err != nil {
		t.Fatal(err)
	}
	return snap.Threads
}

// captureAll captures all threads in one stop, as a sampling does.
func captureAll(t *testing.T, p *Process, s *scripted, threads []task.Thread) {
	t.Helper()
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := p.Threads()
	if err != nil || len(ids) != len(threads) {
		t.Fatal(len(ids), err)
	}
	for i, id := range ids {
		threads[i].ID = id
		err = errors.Join(err, p.Capture(id, &threads[i]))
	}
	if err = errors.Join(err, resume()); err != nil {
		t.Fatal(err)
	}
	p.Confirm()
}

func TestNothingIsAllocatedInAStopThatReadsMappings(t *testing.T) {
	s := newScripted(task.ARM64, 8)
	p := mustOpen(t, s)
	threads := withRoom(t, p)
	p.BeginSeries(time.Millisecond)
	for n := range 2 * mapAfter {
		s.busy(n)
		captureAll(t, p, s, threads)
	}
	stopped, _ := s.count()
	if n := testing.AllocsPerRun(2*checkEvery, func() {
		clear(stopped)
		captureAll(t, p, s, threads)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if stopped["thread_get_state"] != 8 || stopped["mach_vm_region_recurse"] != 0 {
		t.Errorf("%v", stopped)
	}
	resume, _ := p.Suspend(task.StopOptions{})
	for range 2 * maxMappings { // more than there can be mappings
		if err := p.Capture(threads[0].ID, &threads[0]); err != nil {
			t.Fatal(err)
		}
	}
	if cap(p.sharing.used) != maxMappings {
		t.Errorf("%d copies noted", cap(p.sharing.used))
	}
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	s.before = nil
	mustClose(t, p)
	s.balance(t)
}

// sampling samples a process, wherever it fails, and tells of errors. What was
// captured without one is right.
func sampling(t *testing.T, s *scripted) (errs []error) {
	p, err := open(s, s.pid)
	if err != nil {
		return []error{err}
	}
	n := 0
	for snap, err := range task.Sample(context.Background(), p, task.Options{Count: 5, Interval: 10 * time.Millisecond}) {
		if err != nil {
			errs = append(errs, err)
		}
		for i := range snap.Threads {
			th := &snap.Threads[i]
			if th.Err != nil {
				errs = append(errs, th.Err)
			} else if len(th.Stacks) != 1 || !s.right(&th.Stacks[0]) {
				t.Errorf("sample %d, thread %d: not its stack", n, th.ID)
			}
		}
		n++
		s.busy(n)
	}
	return append(errs, p.Close())
}

func samplingWorlds() map[string]func() *scripted {
	return map[string]func() *scripted{
		"read port": func() *scripted { return newScripted(task.ARM64, 2) },
		"old call": func() *scripted {
			s := newScripted(task.AMD64, 2)
			s.noReadPort, s.noRemapNew = notPermitted, notSupported
			return s
		},
		"copies": func() *scripted { s := newScripted(task.AMD64, 2); s.copies = true; return s },
	}
}

func TestSamplingWithEveryCallFailingInTurn(t *testing.T) {
	for name, world := range samplingWorlds() {
		calls := world()
		sampling(t, calls)
		for _, r := range []Return{invalidAddress, failure, sendInvalidDest} {
			for i := 1; i <= calls.step; i++ {
				s := world()
				s.failAt, s.failWith = i, r
				sampling(t, s)
				if t.Failed() {
					t.Fatalf("%s: %s, call %d, is %v", name, s.failed, i, r)
				}
				if s.balance(t); t.Failed() {
					t.Fatalf("%s: %s, call %d, is %v", name, s.failed, i, r)
				}
			}
		}
	}
}

func TestSamplingWhileAThreadOrTheTaskIsLost(t *testing.T) {
	for name, world := range samplingWorlds() {
		calls := world()
		sampling(t, calls)
		for how, lose := range map[string]func(*scripted){
			"thread": func(s *scripted) { s.endThread(1) },
			"thread and stack": func(s *scripted) {
				if len(s.threadList) > 1 {
					s.at(s.sp(s.threadList[1])).object = s.newObject()
				}
				s.endThread(1)
			},
			"task": (*scripted).exec,
		} {
			for i := 1; i <= calls.step; i++ {
				s := world()
				s.before = func(step int, _ string) {
					if step == i {
						lose(s)
					}
				}
				errs := sampling(t, s)
				if s.balance(t); t.Failed() {
					t.Fatalf("%s: %s lost before call %d: %v", name, how, i, errs)
				}
			}
		}
	}
}
