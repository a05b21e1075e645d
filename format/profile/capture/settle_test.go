package capture

import (
	"testing"

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
