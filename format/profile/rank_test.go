package profile

import (
	"slices"
	"testing"
	"time"

	"stacksnap/task"
)

// TestByNeed puts what is stuck first, then what waits for others, and what runs, and of
// two alike that with more CPU time.
func TestByNeed(t *testing.T) {
	one := func(pid int, state task.State, used time.Duration, waits ...Waited) *Profile {
		return &Profile{Target: task.Info{PID: pid}, Threads: []*Thread{{State: task.Sleeping}, {State: state, User: used, Waits: waits}}}
	}
	locked, peer, child := Waited{}, Waited{}, Waited{}
	locked.OwnerPID, peer.Peer = 7, Peer{PID: 8, Action: Read}
	child.Peer = Peer{PID: 9, Action: End}
	all := []*Profile{
		one(1, task.Sleeping, 1), one(2, task.Sleeping, 9, child), one(3, task.Running, 1), one(4, task.Sleeping, 0, peer),
		one(5, task.Running, 2), one(6, task.Uninterruptible, 0), one(7, task.Sleeping, 5, locked),
	}
	ByNeed(all)
	var got []int
	for _, p := range all {
		got = append(got, p.Target.PID)
	}
	if want := []int{6, 7, 4, 5, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestByNeedOfSamples: of sampled processes what was seen counts, not what was used before
// or is the case at the end.
func TestByNeedOfSamples(t *testing.T) {
	one := func(pid int, state task.State, states States, used, ran time.Duration) *Profile {
		th := &Thread{State: state, States: states, Samples: 10, User: time.Duration(100 - pid), Used: used, Spent: Spent{OnCPU: ran}}
		return &Profile{Target: task.Info{PID: pid}, Snapshots: 10, Threads: []*Thread{th}}
	}
	all := []*Profile{
		one(1, task.Sleeping, States{task.Sleeping: 10}, 0, 0),
		one(2, task.Uninterruptible, States{task.Sleeping: 5, task.Uninterruptible: 5}, 0, 0),
		one(3, task.Sleeping, States{task.Sleeping: 9, task.Running: 1}, 0, 0),
		one(4, task.Sleeping, States{task.Sleeping: 10}, 0, 2),
		one(5, task.Sleeping, States{task.Sleeping: 10}, 3, 1),
		one(6, task.Sleeping, States{task.Sleeping: 4, task.Uninterruptible: 6}, 0, 0),
	}
	ByNeed(all)
	var got []int
	for _, p := range all {
		got = append(got, p.Target.PID)
	}
	if want := []int{6, 5, 4, 3, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
