package mach

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"stacksnap/task"
)

// withData gives every thread data of its own above its stack, as libpthread does,
// but the first.
func withData(s *scripted) {
	for i, t := range s.threadList {
		if i > 0 {
			t.handle = testStacks + task.Addr(i)<<20 + testStack - 0x100
		}
	}
}

// regionCallsInStop takes a snapshot and tells how many questions about regions
// were asked meanwhile. Every stack has to be the target's.
func regionCallsInStop(t *testing.T, s *scripted, p *Process, snap *task.Snapshot) int {
	t.Helper()
	stopped, _ := s.count()
	if err := task.Take(p, snap); err != nil {
		t.Fatal(err)
	}
	for i := range snap.Threads {
		th := &snap.Threads[i]
		if th.Err != nil || len(th.Stacks) != 1 || !s.right(&th.Stacks[0]) {
			t.Errorf("thread %d: %v, not its stack", th.ID, th.Err)
		}
	}
	return stopped["mach_vm_region_recurse"] + stopped["mach_vm_region"]
}

// TestStacksAreForeseen: where one thread's stack ends tells where those of all
// others do, and where they were tells the next time.
func TestStacksAreForeseen(t *testing.T) {
	const n = 40
	for _, host := range []task.Arch{task.AMD64, task.ARM64} {
		s := newScripted(host, n)
		withData(s)
		p := mustOpen(t, s)
		var snap task.Snapshot
		for i, want := range []int{2, 0, 0} {
			if got := regionCallsInStop(t, s, p, &snap); got != want || len(snap.Threads) != n {
				t.Errorf("%d: %d questions in the stop, want %d", i, got, want)
			}
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// TestStacksThatAreNotWhereForeseen are asked for, and not missed.
func TestStacksThatAreNotWhereForeseen(t *testing.T) {
	const readWrite = task.Read | task.Write
	stack := func(s *scripted) *scriptedRegion { return s.at(testStacks + 2<<20) }
	tests := []struct {
		name   string
		change func(*scripted)
		want   int
	}{
		{"as it was", func(*scripted) {}, 0},
		{"it ends later", func(s *scripted) {
			m := stack(s)
			m.bytes = append(m.bytes, pattern...)
			m.end += testPage
		}, 0}, // which is found out when it runs again
		{"it ends earlier", func(s *scripted) {
			m := stack(s)
			m.end -= testPage
			s.setSP(s.threadList[2], m.end-512)
		}, 1},
		{"other memory adjoins", func(s *scripted) {
			s.addRegion(stack(s).end, testPage, readWrite, 1, false)
			sortMemory(s)
		}, 0},
		{"sp is elsewhere", func(s *scripted) {
			s.addRegion(testStacks-1<<30, testStack, readWrite, 1, false)
			sortMemory(s)
			s.setSP(s.threadList[2], testStacks-1<<30+512)
		}, 1},
		{"sp is near the begin", func(s *scripted) { s.setSP(s.threadList[2], stack(s).start+8) }, 0},
	}
	for _, test := range tests {
		s := newScripted(task.AMD64, 4)
		withData(s)
		p := mustOpen(t, s)
		var snap task.Snapshot
		regionCallsInStop(t, s, p, &snap)
		p.lookup(s.threadList[2].id).foreseen.region = region{} // by its data alone
		for range 2 {                                           // and then by where it was
			if test.name == "sp is near the begin" {
				p.lookup(s.threadList[2].id).foreseen.region = stack(s).region
			}
			test.change(s)
			test.change = func(*scripted) {}
			if got := regionCallsInStop(t, s, p, &snap); got != test.want {
				t.Errorf("%s: %d questions in the stop, want %d", test.name, got, test.want)
			}
			test.want = 0
		}
		if st := &snap.Threads[2].Stacks[0]; st.Truncated() {
			t.Errorf("%s: only %d bytes of its stack", test.name, len(st.Bytes))
		}
		mustClose(t, p)
		s.balance(t)
	}
}

// TestAStackOfSeveralRegions is foreseen as a whole, once one was copied short.
func TestAStackOfSeveralRegions(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	p := mustOpen(t, s)
	var snap task.Snapshot
	regionCallsInStop(t, s, p, &snap)
	s.addRegion(testStacks+testStack, testPage, task.Read|task.Write, memoryStack, false)
	sortMemory(s)
	for i := range 3 {
		stopped, _ := s.count()
		if err := task.Take(p, &snap); err != nil {
			t.Fatal(err)
		}
		st := &snap.Threads[0].Stacks[0]
		if st.Top != testStacks+testStack+testPage || st.Truncated() != (i == 0) {
			t.Errorf("%d: up to %v of %v", i, st.End(), st.Top)
		}
		if got := stopped["mach_vm_region_recurse"]; got != 0 {
			t.Errorf("%d: %d questions in the stop", i, got)
		}
	}
	mustClose(t, p)
	s.balance(t)
}

// TestCallsOfAStop: of each thread two, its registers and its stack.
func TestCallsOfAStop(t *testing.T) {
	const n = 40
	s := newScripted(task.ARM64, n)
	withData(s)
	p := mustOpen(t, s)
	var snap task.Snapshot
	regionCallsInStop(t, s, p, &snap)
	stopped, _ := s.count()
	if err := task.Take(p, &snap); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"task_threads": 1, "thread_get_state": n, "mach_vm_read_overwrite": n, "task_resume": 1}
	if !maps.Equal(stopped, want) { // task_suspend is counted before it
		t.Errorf("%v, want %v", stopped, want)
	}
	mustClose(t, p)
	s.balance(t)
}

// TestRegionOfManyStacks is asked for once in a stop: Go's are parts of one.
func TestRegionOfManyStacks(t *testing.T) {
	s := newScripted(task.ARM64, 8)
	m := s.addRegion(testStacks-1<<30, 4<<20, task.Read|task.Write, 0, false)
	for i, th := range s.threadList {
		s.setSP(th, m.start+task.Addr(i)<<16)
	}
	sortMemory(s)
	p := mustOpen(t, s)
	var snap task.Snapshot
	for i, want := range []int{1, 0} {
		if got := regionCallsInStop(t, s, p, &snap); got != want {
			t.Errorf("%d: %d questions in the stop, want %d", i, got, want)
		}
	}
	mustClose(t, p)
	s.balance(t)
}

// TestForeseenStacksAreMapped, though where they begin is asked for only when the
// target runs.
func TestForeseenStacksAreMapped(t *testing.T) {
	s := newScripted(task.AMD64, 8)
	withData(s)
	stopped, _ := s.count()
	series(t, s, 8, nothing, func(n int, snap *task.Snapshot) {
		noErrors(t)(n, snap)
		if got := stopped["mach_vm_region_recurse"]; n == 1 && got != 2 || n > 1 && got != 0 {
			t.Errorf("sample %d: %d questions in the stop", n, got)
		}
		clear(stopped)
	})
	if s.made != 8 {
		t.Errorf("%d mappings made", s.made)
	}
}

func sortMemory(s *scripted) {
	slices.SortFunc(s.memory, func(a, b scriptedRegion) int { return cmp.Compare(a.start, b.start) })
}
