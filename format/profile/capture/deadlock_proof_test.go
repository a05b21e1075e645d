package capture

import (
	"testing"

	"stacksnap/task"
)

// fakeWatch shows what it is told to.
type fakeWatch struct {
	glance   task.Glance
	counters task.Counters
	err      error
}

func (w *fakeWatch) Glance() (task.Glance, error)     { return w.glance, w.err }
func (w *fakeWatch) Counters() (task.Counters, error) { return w.counters, w.err }
func (w *fakeWatch) Close() error                     { return nil }

// TestSleptOn: a thread that is found asleep twice may have been awake between.
func TestSleptOn(t *testing.T) {
	asleep := task.Glance{State: task.Sleeping, Call: task.Syscall{State: task.InCall}}
	before := task.Counters{Sleeps: 7, HasSleeps: true}
	for name, c := range map[string]struct {
		now      fakeWatch
		isAsleep bool
		on       bool
	}{
		"asleep":     {fakeWatch{glance: asleep, counters: before}, true, true},
		"once more":  {fakeWatch{glance: asleep, counters: task.Counters{Sleeps: 8, HasSleeps: true}}, true, false},
		"not told":   {fakeWatch{glance: asleep, counters: task.Counters{Sleeps: 7}}, true, false},
		"awake":      {fakeWatch{glance: task.Glance{State: task.Running, Call: asleep.Call}, counters: before}, false, false},
		"in no call": {fakeWatch{glance: task.Glance{State: task.Sleeping}, counters: before}, false, false},
		"gone":       {fakeWatch{glance: asleep, counters: before, err: task.ErrThreadGone}, false, false},
	} {
		s := sleeper{watch: &c.now, before: before}
		if s.isAsleep() != c.isAsleep || s.sleptOn() != c.on {
			t.Errorf("%s: isAsleep %t, slept on %t", name, s.isAsleep(), s.sleptOn())
		}
	}
}
