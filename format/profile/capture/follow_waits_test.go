package capture

import (
	"slices"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestAhead goes from thread to thread, through locks of one process as well.
func TestAhead(t *testing.T) {
	to := func(pid int, thread task.ThreadID) *profile.Wait {
		return &profile.Wait{Call: "read", Peer: profile.Peer{PID: pid, Thread: thread, Action: profile.Write}}
	}
	shotOf := func(pid int, looks ...profile.Look) *shot {
		return &shot{pid: pid, target: &target{}, looks: looks}
	}
	g := &several{
		shots: []*shot{
			shotOf(1, profile.Look{Thread: 11, Wait: &profile.Wait{Lock: profile.Mutex, Owner: 12}}, profile.Look{Thread: 12, Wait: to(2, 21)},
				profile.Look{Thread: 13, Wait: to(3, 0)}, profile.Look{Thread: 14}),
			shotOf(2, profile.Look{Thread: 21, Wait: to(4, 41)}, profile.Look{Thread: 22, Wait: to(5, 0)}, profile.Look{Thread: 23, Wait: to(1, 11)}),
		},
		tried: []int{6},
	}
	for _, c := range []struct {
		from threadOf
		want []int
	}{
		{threadOf{1, 11}, []int{4}}, // by the owner of a lock
		{threadOf{1, 13}, []int{3}},
		{threadOf{1, 14}, nil},
		{threadOf{1, 0}, []int{3, 4}},
		{threadOf{2, 0}, []int{4, 5}}, // and round a circle
		{threadOf{6, 0}, nil},
		{threadOf{7, 0}, []int{7}},
	} {
		if got := g.ahead([]threadOf{c.from}); !slices.Equal(got, c.want) {
			t.Errorf("from %+v: %v, want %v", c.from, got, c.want)
		}
	}
}

// TestFollowNothing: that the system does not tell is of no process.
func TestFollowNothing(t *testing.T) {
	if got := OneShots(nil, Options{Follow: true}).Missing; !slices.Equal(got, []profile.Missing{{Why: errNotLinked.Error()}}) {
		t.Errorf("%+v", got)
	}
	if got := OneShots(nil, Options{}).Missing; len(got) > 0 {
		t.Errorf("not asked for: %+v", got)
	}
}
