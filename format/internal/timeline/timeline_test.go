package timeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/internal/fixtures"
	"stacksnap/task"
)

// TestHangs: long absences from a run loop are told, of threads that have one.
func TestHangs(t *testing.T) {
	p := fixtures.Timed()
	want := []absence{{100 * time.Millisecond, 500 * time.Millisecond, 40}}
	if diff := cmp.Diff(want, LongAbsences(p, p.Find(4242)), cmp.AllowUnexported(absence{})); diff != "" {
		t.Error(diff)
	}
	if all := LongAbsences(p, p.Find(4243)); all != nil {
		t.Errorf("%v of one that has no run loop", all)
	}
}

// TestStretches: samples that found the same are put together where they follow each other.
func TestStretches(t *testing.T) {
	p := fixtures.Timed()
	type row struct {
		From, Until    time.Duration
		Samples, Looks int
		State          task.State
		Waits, Frame   bool
	}
	rows := func(id task.ThreadID) (all []row) {
		for s := range Stretches(p, p.Find(id)) {
			all = append(all, row{s.At / time.Millisecond, s.Until / time.Millisecond, s.samples, s.Looks, s.State, s.Waits(), s.Node != nil})
		}
		return all
	}
	for id, want := range map[task.ThreadID][]row{
		4242: {{0, 100, 10, 1, task.Sleeping, true, true}, {100, 500, 40, 0, task.Running, false, true}, {500, 600, 10, 1, task.Sleeping, true, true}},
		4243: {{0, 600, 60, 4, task.Sleeping, true, true}},
		4244: {{200, 250, 5, 0, task.Uninterruptible, false, true}, {250, 260, 1, 0, task.Uninterruptible, false, false}, {260, 300, 4, 0, task.Uninterruptible, false, true}},
	} {
		if diff := cmp.Diff(want, rows(id)); diff != "" {
			t.Errorf("thread %d (-want +got):\n%s", id, diff)
		}
	}
}

// TestStretchesOfChoice: what a view leaves out is in no stretch, also between two alike.
func TestStretchesOfChoice(t *testing.T) {
	p := fixtures.Timed().Select(fixtures.Matching("epoll"), nil, nil)
	var got [][2]time.Duration
	for s := range Stretches(p, p.Find(4242)) {
		got = append(got, [2]time.Duration{s.At, s.Until})
	}
	want := [][2]time.Duration{{0, 100 * time.Millisecond}, {500 * time.Millisecond, 600 * time.Millisecond}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
