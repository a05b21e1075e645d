package task

import (
	"context"
	"slices"
	"testing"
	"time"
)

// unable is what a fake does not care for of the capabilities that it has.
type unable struct{}

func (unable) CanStop(Suspension) error                        { return nil }
func (unable) Traced() error                                   { return nil }
func (unable) SetLimits(Limits)                                {}
func (unable) LastStop() Stop                                  { return Stop{Ordered: time.Now()} }
func (unable) DetachLate() int                                 { return 0 }
func (unable) NotRun(ThreadID, *Thread) bool                   { return false }
func (unable) NothingRan() bool                                { return false }
func (unable) WatchThread(ThreadID) (ThreadWatch, error)       { return nil, ErrUnsupported }
func (unable) CPUTimes(ThreadID) (a, b time.Duration, ok bool) { return 0, 0, false }

// resting is a process whose threads do not run once they were captured. At
// first each is described as running.
type resting struct {
	*fakeProcess
	unable
	described map[ThreadID]int
}

func (p *resting) Capabilities() Capabilities    { return Capabilities{Stopper: p, Activity: p} }
func (p *resting) NotRun(ThreadID, *Thread) bool { return true }

func (p *resting) Describe(id ThreadID, t *Thread) error {
	p.described[id]++
	t.State = Running
	if p.described[id] > 2 {
		t.State = Sleeping
	}
	return nil
}

func (p *resting) CaptureThreads(_ Suspension, _ StopOptions, ids []ThreadID, stopped func(int), runs func(int, time.Duration, error)) error {
	p.stopped = true
	for i := range ids {
		stopped(i)
		runs(i, time.Microsecond, nil)
	}
	p.stopped = false
	return nil
}

// TestStateOfThreadsThatRest: a thread that has just been let go looks as if it
// ran. As long as it rests it is described again, until it no longer does.
func TestStateOfThreadsThatRest(t *testing.T) {
	p := &resting{fakeProcess: sampledProcess(), described: map[ThreadID]int{}}
	c := &fakeClock{}
	n := 0
	for s, err := range Sample(context.Background(), p, c.options(Options{Interval: time.Millisecond, Count: 10})) {
		if err != nil {
			t.Fatal(err)
		}
		want := Running
		if n++; n > 2 {
			want = Sleeping
		}
		for i := range s.Threads {
			if s.Threads[i].State != want {
				t.Errorf("snapshot %d: %v, want %v", n, s.Threads[i].State, want)
			}
		}
	}
	if p.described[1] != 3 {
		t.Errorf("described %d times, want 3", p.described[1])
	}
}

// counting is a process whose system counts how its threads are scheduled: twice
// as long as it is told each time, and half a microsecond.
type counting struct {
	*resting
	asked map[ThreadID]time.Duration
}

func (p *counting) Capabilities() Capabilities    { return Capabilities{Stopper: p, Activity: p} }
func (p *counting) NotRun(ThreadID, *Thread) bool { return false }

func (p *counting) CPUTimes(id ThreadID) (ran, queued time.Duration, ok bool) {
	p.asked[id] += time.Millisecond
	return p.asked[id] + 500, 2*p.asked[id] + 500, id != 2
}

// TestScheduleOfSamples: each sample of a thread has what was counted until then,
// and how long the thread stood before while it could have run.
func TestScheduleOfSamples(t *testing.T) {
	p := &counting{&resting{fakeProcess: sampledProcess(), described: map[ThreadID]int{}}, map[ThreadID]time.Duration{}}
	c := &fakeClock{}
	n := time.Duration(0)
	for s, err := range Sample(context.Background(), p, c.options(Options{Interval: time.Millisecond, Count: 6})) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		for i := range s.Threads {
			th := &s.Threads[i]
			// It is running in the first two samples.
			want := Schedule{Ran: n * time.Millisecond, Queued: 2 * n * time.Millisecond, Stopped: min(n-1, 2) * time.Microsecond}
			if th.ID == 2 {
				want = Schedule{}
			}
			if th.Schedule != want || th.Schedule.Known() != (th.ID != 2) {
				t.Errorf("sample %d of thread %d: %v, want %v", n, th.ID, th.Schedule, want)
			}
		}
	}
}

// captures is a process that counts how often each thread is captured.
type captures struct {
	*resting
	of map[ThreadID]int
}

func (p *captures) Capabilities() Capabilities { return Capabilities{Stopper: p, Activity: p} }

func (p *captures) CaptureThreads(how Suspension, o StopOptions, ids []ThreadID, stopped func(int), runs func(int, time.Duration, error)) error {
	for _, id := range ids {
		p.of[id]++
	}
	return p.resting.CaptureThreads(how, o, ids, stopped, runs)
}

// TestOtherRangesAreCaptured: a thread that sleeps is captured again whenever other
// ranges of its stack are wanted, be they as many as before, and not otherwise.
func TestOtherRangesAreCaptured(t *testing.T) {
	p := &captures{&resting{fakeProcess: sampledProcess(), described: map[ThreadID]int{}}, map[ThreadID]int{}}
	const x, y, z = 0x1000_0000, 0x2000_0000, 0x3000_0000
	wants := [][]Addr{nil, {x}, {x}, {x, y}, {x, y}, {y, z}, {y, z}, {y}}
	wantCaptures := []int{1, 2, 2, 3, 3, 4, 4, 5}
	c := &fakeClock{}
	n := 0
	for s, err := range Sample(context.Background(), p, c.options(Options{Interval: time.Millisecond, Count: len(wants)})) {
		if err != nil {
			t.Fatal(err)
		}
		if p.of[1] != wantCaptures[n] || p.of[2] != 1 {
			t.Errorf("with %v wanted: captured %d times, want %d; the other thread %d times", wants[n], p.of[1], wantCaptures[n], p.of[2])
		}
		var ranges []Addr
		for _, st := range s.Threads[0].Stacks[1:] {
			ranges = append(ranges, st.Base)
		}
		if !slices.Equal(ranges, wants[n]) {
			t.Errorf("captured %v, want %v", ranges, wants[n])
		}
		if n++; n < len(wants) {
			s.Want = map[ThreadID][]Addr{1: append([]Addr(nil), wants[n]...)}
		}
	}
}
