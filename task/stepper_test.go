package task

import (
	"slices"
	"testing"
	"time"
)

// restful is a process that reports whether it rests.
type restful struct {
	*resting
	rests bool
	asked int
}

func (p *restful) Capabilities() Capabilities { return Capabilities{Stopper: p, Activity: p} }
func (p *restful) NothingRan() bool           { p.asked++; return p.rests }

// TestStepperAsksLittleOfWhatRests: once each thread was found to be idle a process is
// asked only whether it rests, until it does not.
func TestStepperAsksLittleOfWhatRests(t *testing.T) {
	p := &restful{resting: &resting{fakeProcess: sampledProcess(), described: map[ThreadID]int{1: 2, 2: 2}}}
	s, err := NewStepper(p, Options{Interval: time.Second, Suspend: SuspendNone})
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	before := time.Time{}
	step := func(wantAsked int, wantStill bool) {
		t.Helper()
		snapshot, still, err := s.Next()
		if err != nil || still != wantStill || p.asked != wantAsked || len(snapshot.Threads) != 2 || snapshot.Time.Before(before) {
			t.Errorf("still %v, asked %d times, %v, %d threads", still, p.asked, err, len(snapshot.Threads))
		}
		before = snapshot.Time
	}
	p.rests = true
	step(0, false) // captured
	step(0, false) // found to be idle
	step(1, true)
	step(2, true)
	p.rests = false
	step(3, false)
	p.rests = true
	step(4, true)
	p.before = append(p.before, 3)
	p.during = p.before
	p.rests = false
	if snapshot, still, _ := s.Next(); still || !slices.Equal(ids(snapshot), []ThreadID{1, 2, 3}) {
		t.Errorf("still %v with threads %v", still, ids(snapshot))
	}
	p.rests = true
	if _, still, _ := s.Next(); still {
		t.Error("a thread that was captured just now was not found to be idle yet")
	}
}

// TestStepperOfSome: where not all threads are wanted, the others may have run.
func TestStepperOfSome(t *testing.T) {
	p := &restful{resting: &resting{fakeProcess: sampledProcess(), described: map[ThreadID]int{1: 2, 2: 2}}, rests: true}
	s, err := NewStepper(p, Options{Suspend: SuspendNone, Threads: func(t *Thread) bool { return t.ID == 1 }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	for range 4 {
		if snapshot, still, err := s.Next(); still || err != nil || !slices.Equal(ids(snapshot), []ThreadID{1}) {
			t.Errorf("still %v, %v, threads %v", still, err, ids(snapshot))
		}
	}
}
