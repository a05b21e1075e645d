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
	locked.OwnerPID, peer.Peer = 7, Peer{PID: 8, Act: Read}
	child.Peer = Peer{PID: 9, Act: End}
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
