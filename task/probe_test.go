package task

import (
	"context"
	"slices"
	"testing"
	"time"
)

// mappedProcess has something mapped at each address, which changes as a test
// says; at address 13 it cannot tell.
type mappedProcess struct {
	*fakeProcess
	MapReader
	shows   Mapping
	renewed int
}

func (p *mappedProcess) Capabilities() Capabilities { return Capabilities{Maps: p} }
func (p *mappedProcess) Renew()                     { p.renewed++ }

func (p *mappedProcess) MappedAt(a Addr) (Mapped, bool, error) {
	if a == 13 {
		return Mapped{}, false, errFake
	}
	return Mapped{a, a + 1, p.shows}, true, nil
}

type fakeError string

func (e fakeError) Error() string { return string(e) }

const errFake = fakeError("not told")

// eachProcess is the same, of which single threads can be had.
type eachProcess struct {
	*mappedProcess
	unable
	during func(id ThreadID) // while a thread is captured
}

func (p *eachProcess) Capabilities() Capabilities {
	return Capabilities{Stopper: p, Activity: p, Maps: p}
}

func (p *eachProcess) Capture(id ThreadID, t *Thread) error {
	p.during(id)
	p.stopped = true
	defer func() { p.stopped = false }()
	t.Unstopped = p.fakeProcess.before[0] == 0
	return p.fakeProcess.Capture(id, t)
}

func (p *eachProcess) CaptureThreads(_ Suspension, _ StopOptions, ids []ThreadID, stopped func(int), runs func(int, time.Duration, error)) error {
	for i := range ids {
		stopped(i)
		runs(i, 1, nil)
	}
	return nil
}

func probes(t *testing.T, p Process, o Options) [][]StopProbe {
	t.Helper()
	var all [][]StopProbe
	for s, err := range Sample(context.Background(), p, (&fakeClock{}).options(o)) {
		if err != nil {
			t.Fatal(err)
		}
		var now []StopProbe
		for i := range s.Threads {
			var own StopProbe
			own.keep(&s.Threads[i].Probe)
			now = append(now, own)
		}
		all = append(all, now)
	}
	return all
}

func watchAll() Watch {
	w := Watch{Mark: 0x2000}
	for i := range 2 * MaxWatch {
		w.Mapped = append(w.Mapped, Addr(10+i))
	}
	return w
}

// TestOneSightOfATaskThatStands: all threads have it, of no more addresses than
// there is room for, without those of which nothing is known.
func TestOneSightOfATaskThatStands(t *testing.T) {
	p := &mappedProcess{fakeProcess: sampledProcess(), shows: Mapping{Inode: 5}}
	for _, threads := range probes(t, p, Options{Interval: time.Second, Count: 3, Watch: watchAll}) {
		if len(threads) != 2 || !threads[0].equals(&threads[1]) {
			t.Fatalf("%+v", threads)
		}
		s := &threads[0]
		if len(s.Mapped) != MaxWatch-1 || s.Mapped[0] != (ProbedMapping{10, Mapped{10, 11, p.shows}}) || s.Mapped[3].At != 14 {
			t.Errorf("%d: %+v", len(s.Mapped), s.Mapped)
		}
		if !s.HasMark || s.Mark != 0xEEEEEEEEEEEEEEEE {
			t.Errorf("mark %#x %v", s.Mark, s.HasMark)
		}
	}
	if p.renewed != 3 {
		t.Errorf("%d looks, want 3", p.renewed)
	}
}

func TestNothingIsLookedAtUnlessItIsAskedFor(t *testing.T) {
	p := &mappedProcess{fakeProcess: sampledProcess()}
	for _, watch := range []func() Watch{nil, func() Watch { return Watch{} }} {
		for _, s := range probes(t, p, Options{Interval: time.Second, Count: 1, Watch: watch})[0] {
			if len(s.Mapped) > 0 || s.HasMark {
				t.Errorf("%+v", s)
			}
		}
	}
	if p.renewed > 0 {
		t.Error("asked what is mapped")
	}
}

// TestASightOfEachThread: what is mapped changes before each capture.
func TestASightOfEachThread(t *testing.T) {
	p := &eachProcess{mappedProcess: &mappedProcess{fakeProcess: sampledProcess()}}
	p.mappedProcess.fakeProcess.during = p.mappedProcess.before
	p.during = func(ThreadID) { p.shows.Inode++ }
	for n, threads := range probes(t, p, Options{Interval: time.Second, Count: 2, Watch: watchAll}) {
		for i, s := range threads {
			if want := uint64(2*n + i + 1); len(s.Mapped) != MaxWatch-1 || s.Mapped[0].Inode != want {
				t.Errorf("snapshot %d, thread %d: %+v, want inode %d", n, i, s, want)
			}
		}
	}
}

// TestOtherCodeIsNotTheSame: a thread at the same place with the same stack is in
// other code when that was exchanged.
func TestOtherCodeIsNotTheSame(t *testing.T) {
	p := &mappedProcess{fakeProcess: sampledProcess()}
	n := 0
	for s, err := range Sample(context.Background(), p, (&fakeClock{}).options(Options{Interval: time.Second, Count: 4, Watch: watchAll})) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if same := s.Threads[0].Same; same != (n == 2 || n == 4) {
			t.Errorf("snapshot %d: same %v", n, same)
		}
		if n == 2 {
			p.shows.Inode++
		}
	}
}

// TestSightsWithoutAStopAreTwoAlike: what changed while a thread was read is not
// known.
func TestSightsWithoutAStopAreTwoAlike(t *testing.T) {
	p := &eachProcess{mappedProcess: &mappedProcess{fakeProcess: sampledProcess()}}
	p.mappedProcess.fakeProcess.before = []ThreadID{0, 1}
	p.during = func(id ThreadID) {
		if id == 1 {
			p.shows.Inode++
		}
	}
	for _, threads := range probes(t, p, Options{Interval: time.Second, Count: 2, Suspend: SuspendNone, Watch: watchAll}) {
		if len(threads[0].Mapped) != MaxWatch-1 || !threads[0].HasMark {
			t.Errorf("unchanged: %+v", threads[0])
		}
		if len(threads[1].Mapped) != 0 || threads[1].HasMark {
			t.Errorf("changed: %+v", threads[1])
		}
	}
}

// TestIDsOfImages: those that can be read, and that others cannot.
func TestIDsOfImages(t *testing.T) {
	ids := func() Watch {
		w := Watch{IDs: []Addr{0x2000, 0}}
		for i := range 2 * MaxIDs {
			w.IDs = append(w.IDs, Addr(0x3000+16*i))
		}
		return w
	}
	p := &shortProcess{sampledProcess()}
	for _, threads := range probes(t, p, Options{Interval: time.Second, Count: 2, Watch: ids}) {
		s := &threads[0]
		if len(s.IDs) != MaxIDs || !s.equals(&threads[1]) {
			t.Fatalf("%d: %+v", len(s.IDs), s.IDs)
		}
		if id, seen := s.IDAt(0x2000); !seen || id[0] != 0xEE || id[15] != 0xEE {
			t.Errorf("%x %v", id, seen)
		}
		if id, seen := s.IDAt(0); !seen || id != [16]byte{} {
			t.Errorf("%x %v of what cannot be read", id, seen)
		}
		if _, seen := s.IDAt(0x9000); seen {
			t.Error("seen without a look")
		}
		other := *s
		other.IDs = slices.Clone(s.IDs)
		other.IDs[1].ID[3]++
		if s.equals(&other) {
			t.Error("equal with another ID")
		}
	}
	var s Snapshot
	s.Watch = ids()
	if err := Take(p, &s); err != nil || len(s.Threads[0].Probe.IDs) != 2*MaxIDs+2 {
		t.Errorf("%d IDs, %v", len(s.Threads[0].Probe.IDs), err)
	}
}

// shortProcess has less than an ID at address 0.
type shortProcess struct{ *fakeProcess }

func (p *shortProcess) Memory() Memory { return p }

func (p *shortProcess) ReadMemory(b []byte, a Addr) (int, error) {
	if a == 0 {
		return p.fakeProcess.ReadMemory(b[:min(len(b), 7)], a)
	}
	return p.fakeProcess.ReadMemory(b, a)
}
