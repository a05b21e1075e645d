package capture

import (
	"maps"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestStateIsThatOfTheStop: a thread that the stop found in a wait does not run as well, but for
// one in a call that ended.
func TestStateIsThatOfTheStop(t *testing.T) {
	s := &shot{snapshot: task.Snapshot{Threads: []task.Thread{
		{ID: 1, State: task.Running, OnCPUState: task.OnCPU, Processor: 3},
		{ID: 2, State: task.Running, OnCPUState: task.OnCPU, Processor: 3},
		{ID: 3, State: task.Running, OnCPUState: task.Queued, HasEnded: true},
		{ID: 4, State: task.Uninterruptible},
	}}}
	wait := &profile.Wait{Call: "futex"}
	s.looks = []profile.Look{{Thread: 1, Wait: wait}, {Thread: 2}, {Thread: 3, Wait: wait}, {Thread: 4, Wait: wait}}
	s.settleStates()
	want := []task.Thread{
		{State: task.Sleeping}, {State: task.Running, OnCPUState: task.OnCPU, Processor: 3},
		{State: task.Running, OnCPUState: task.Queued}, {State: task.Uninterruptible},
	}
	for i, w := range want {
		if got := &s.snapshot.Threads[i]; got.State != w.State || got.OnCPUState != w.OnCPUState || got.Processor != w.Processor {
			t.Errorf("thread %d: %v, %v, %d", got.ID, got.State, got.OnCPUState, got.Processor)
		}
	}
}

// TestNotRunIsAskedByStops: of a thread that was stopped, as many stops are known as there were, of one
// that was read where it waits none, and one that runs is not asked for. Short times are left out.
func TestNotRunIsAskedByStops(t *testing.T) {
	s := &shot{stops: 3, snapshot: task.Snapshot{Threads: []task.Thread{
		{ID: 1, State: task.Sleeping}, {ID: 2, State: task.Sleeping, Skipped: true}, {ID: 3, State: task.Running},
		{ID: 4, State: task.Uninterruptible, Unstopped: true}, {ID: 5, State: task.Stopped},
	}}}
	asked := map[task.ThreadID]int{}
	s.blocked = func(stops map[task.ThreadID]int) map[task.ThreadID]time.Duration {
		asked = stops
		return map[task.ThreadID]time.Duration{1: time.Second, 2: time.Minute + 1, 5: leastNotRun}
	}
	s.readNotRun()
	if want := (map[task.ThreadID]int{1: 3, 2: 0, 4: 0, 5: 3}); !maps.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	for i, want := range []time.Duration{0, time.Minute, 0, 0, leastNotRun} {
		if got := s.snapshot.Threads[i].NotRun; got != want {
			t.Errorf("thread %d: %v, want %v", i+1, got, want)
		}
	}
}
