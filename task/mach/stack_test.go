package mach

import (
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
)

// stackWorld is one thread whose sp is at, with no stack but those added.
func stackWorld(sp task.Addr, add func(*scripted)) *scripted {
	s := newScripted(task.AMD64, 0)
	s.threadList = []*scriptedThread{{id: 1, port: firstThread, words: stateWords(task.AMD64, testText, sp)}}
	add(s)
	return s
}

const stackAt task.Addr = 0x700000000000

func TestStacks(t *testing.T) {
	const readWrite = task.Read | task.Write
	one := func(s *scripted) { s.addRegion(stackAt, 4*testPage, readWrite, 30, false) }
	tests := []struct {
		name      string
		sp        task.Addr
		add       func(*scripted)
		base, top task.Addr
		n         int
		err       string
	}{
		{name: "plain", sp: stackAt + 0x1000, add: one,
			base: stackAt + 0x1000 - 128, top: stackAt + 0x4000, n: 0x3000 + 128},
		{name: "the red zone ends where the region begins", sp: stackAt + 8, add: one,
			base: stackAt, top: stackAt + 0x4000, n: 0x4000},
		{name: "at the region's start", sp: stackAt, add: one, base: stackAt, top: stackAt + 0x4000, n: 0x4000},
		{name: "joined with what adjoins", sp: stackAt + 0x3000, add: func(s *scripted) {
			one(s)
			s.addRegion(stackAt+0x4000, testPage, readWrite, 30, false)
			s.addRegion(stackAt+0x5000, testPage, readWrite, 30, false)
			s.addRegion(stackAt+0x6000, testPage, task.Read, 30, false)
		}, base: stackAt + 0x3000 - 128, top: stackAt + 0x6000, n: 0x3000 + 128},
		{name: "not joined with other memory", sp: stackAt + 0x3000, add: func(s *scripted) {
			one(s)
			s.addRegion(stackAt+0x4000, testPage, readWrite, 1, false)
		}, base: stackAt + 0x3000 - 128, top: stackAt + 0x4000, n: 0x1000 + 128},
		{name: "not joined over a gap", sp: stackAt + 0x3000, add: func(s *scripted) {
			one(s)
			s.addRegion(stackAt+0x5000, testPage, readWrite, 30, false)
		}, base: stackAt + 0x3000 - 128, top: stackAt + 0x4000, n: 0x1000 + 128},
		{name: "joined no more than so often", sp: stackAt, add: func(s *scripted) {
			for i := range task.Addr(20) {
				s.addRegion(stackAt+i*testPage, testPage, readWrite, 30, false)
			}
		}, base: stackAt, top: stackAt + (1+maxJoined)*testPage, n: (1 + maxJoined) * testPage},
		{name: "overflown into the guard", sp: stackAt - 16, add: func(s *scripted) {
			s.addRegion(stackAt-testPage, testPage, 0, 30, false)
			one(s)
		}, base: stackAt, top: stackAt + 0x4000, n: 0x4000},
		{name: "an unreadable page costs what lies above it", sp: stackAt + 0x100, add: func(s *scripted) {
			one(s)
			s.memory[len(s.memory)-1].holes = map[int]bool{2: true}
		}, base: stackAt + 0x80, top: stackAt + 0x4000, n: 0x1f80},
		{name: "nothing readable", sp: stackAt + 0x100, add: func(s *scripted) {
			one(s)
			s.memory[len(s.memory)-1].holes = map[int]bool{0: true}
		}, err: "the stack cannot be read at 0x700000000080: KERN_INVALID_ADDRESS (1)"},
		{name: "garbage", sp: 0x123456789, add: one, err: "no memory is mapped where the stack pointer is, at 0x123456789"},
		{name: "beyond everything", sp: 0xfffffffffffffff8, add: one, err: "no memory is mapped where the stack pointer is,"},
		{name: "code", sp: testText + 8, add: one, err: "no stack, at 0x100000008"},
	}
	for _, test := range tests {
		s := stackWorld(test.sp, test.add)
		var snap task.Snapshot
		take(t, s, &snap)
		th := &snap.Threads[0]
		if test.err != "" {
			if th.Err == nil || !strings.Contains(th.Err.Error(), test.err) || th.Registers.SP() != test.sp {
				t.Errorf("%s: %v, sp %v", test.name, th.Err, th.Registers.SP())
			}
			continue
		}
		if th.Err != nil || len(th.Stacks) != 1 {
			t.Errorf("%s: %v", test.name, th.Err)
			continue
		}
		if st := th.Stacks[0]; st.Base != test.base || st.Top != test.top || len(st.Bytes) != test.n || st.Truncated() != (st.Base+task.Addr(test.n) < test.top) {
			t.Errorf("%s: %v + %#x of %v, want %v + %#x of %v", test.name, st.Base, len(st.Bytes), st.Top, test.base, test.n, test.top)
		}
	}
}

func TestADeepStackIsCutAtTheBuffersEnd(t *testing.T) {
	s := stackWorld(stackAt+128, func(s *scripted) {
		s.addRegion(stackAt, 2*task.FirstStackLimit, task.Read|task.Write, 30, false)
	})
	var snap task.Snapshot
	take(t, s, &snap)
	if st := snap.Threads[0].Stacks[0]; len(st.Bytes) != task.FirstStackLimit || !st.Truncated() {
		t.Errorf("%d bytes, truncated %v", len(st.Bytes), st.Truncated())
	}
	snap.Limit = 2 * task.FirstStackLimit
	take(t, s, &snap)
	if st := snap.Threads[0].Stacks[0]; len(st.Bytes) != 2*task.FirstStackLimit || st.Truncated() {
		t.Errorf("%d bytes, truncated %v", len(st.Bytes), st.Truncated())
	}
}

func TestRegions(t *testing.T) {
	for name, s := range map[string]*scripted{"xnu": newScripted(task.AMD64, 2), "odd": newOdd(2)} {
		p := mustOpen(t, s)
		i := 0
		for r, err := range p.Regions() {
			if err != nil {
				t.Fatal(err)
			}
			if want := s.memory[i]; r.Start != want.start || r.End != want.end || r.Prot != want.prot || r.Path != "" {
				t.Errorf("%s: %+v, want %+v", name, r, want.region)
			}
			i++
		}
		if i != len(s.memory) {
			t.Errorf("%s: %d regions of %d", name, i, len(s.memory))
		}
		for range p.Regions() {
			break
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// TestRegionAt: a place in a region, in a gap and beyond all.
func TestRegionAt(t *testing.T) {
	for name, s := range map[string]*scripted{"xnu": newScripted(task.AMD64, 2), "odd": newOdd(2)} {
		p := mustOpen(t, s)
		paths := 0
		s.before = func(_ int, call string) {
			if call == "proc_regionfilename" {
				paths++
			}
		}
		for a, want := range map[task.Addr]task.Addr{testText: testText, testText + 8: testText, testText + testPage: testQueues, testStacks + 8: testStacks, 1 << 63: 0} {
			r, found, err := p.RegionAt(a)
			if err != nil || r.Start != want || found != (want != 0) {
				t.Errorf("%s: at %v: %+v, %v, %v", name, a, r, found, err)
			}
		}
		if path := p.PathAt(testText); path != "/a/file" || paths != 1 {
			t.Errorf("%s: %q after %d questions for paths", name, path, paths)
		}
		s.kill()
		if _, _, err := p.RegionAt(testText); !errors.Is(err, errTaskEnded) {
			t.Errorf("%s: %v", name, err)
		}
		mustClose(t, p)
	}
}

// TestRegionsCostOneQuestionEach, after a few, where the recursive call gives no
// protection; where it does, guards that have none change nothing.
func TestRegionsCostOneQuestionEach(t *testing.T) {
	for name, s := range map[string]*scripted{"xnu": newScripted(task.AMD64, 40), "odd": newOdd(40)} {
		asked := map[string]int{}
		s.before = func(_ int, call string) { asked[call]++ }
		var snap task.Snapshot
		take(t, s, &snap)
		checkSnapshot(t, s, &snap)
		want := [2]int{40, 0} // recursive, plain
		if s.odd {
			want = [2]int{maxMissed, 40}
		}
		if got := [2]int{asked["mach_vm_region_recurse"], asked["mach_vm_region"]}; got != want {
			t.Errorf("%s: %v questions, want %v", name, got, want)
		}
	}
	s := newScripted(task.AMD64, 1)
	p := mustOpen(t, s)
	n := 0
	for range p.Regions() {
		n++
	}
	asked := 0
	s.before = func(_ int, call string) {
		if call == "mach_vm_region_recurse" {
			asked++
		}
	}
	for range 2 * maxMissed {
		_, _, _ = p.RegionAt(testStacks - testPage) // the guard
	}
	if asked != 2*maxMissed {
		t.Errorf("asked %d times", asked)
	}
	mustClose(t, p)
}

func TestAListingThatBreaksOffSaysSo(t *testing.T) {
	s := newScripted(task.AMD64, 2)
	p := mustOpen(t, s)
	s.endOfMap = denied
	var last error
	for _, err := range p.Regions() {
		last = err
	}
	if last == nil {
		t.Error("no error")
	}
	mustClose(t, p)
}
