package capture

import (
	"testing"

	"stacksnap/task"
)

// fakeWatch shows what it is told to.
type fakeWatch struct {
	activity task.ThreadActivity
	counters task.Counters
	err      error
}

func (w *fakeWatch) Observe() (task.ThreadActivity, error) { return w.activity, w.err }
func (w *fakeWatch) Counters() (task.Counters, error)      { return w.counters, w.err }
func (w *fakeWatch) Close() error                          { return nil }

// TestSleptOn: a thread that is found asleep twice may have been awake between.
func TestSleptOn(t *testing.T) {
	asleep := task.ThreadActivity{State: task.Sleeping, Call: task.Syscall{State: task.InCall}}
	before := task.Counters{Sleeps: 7, HasSleeps: true}
	for name, c := range map[string]struct {
		now      fakeWatch
		isAsleep bool
		on       bool
	}{
		"asleep":     {fakeWatch{activity: asleep, counters: before}, true, true},
		"once more":  {fakeWatch{activity: asleep, counters: task.Counters{Sleeps: 8, HasSleeps: true}}, true, false},
		"not told":   {fakeWatch{activity: asleep, counters: task.Counters{Sleeps: 7}}, true, false},
		"awake":      {fakeWatch{activity: task.ThreadActivity{State: task.Running, Call: asleep.Call}, counters: before}, false, false},
		"in no call": {fakeWatch{activity: task.ThreadActivity{State: task.Sleeping}, counters: before}, false, false},
		"gone":       {fakeWatch{activity: asleep, counters: before, err: task.ErrThreadGone}, false, false},
	} {
		s := sleeper{watch: &c.now, before: before}
		if s.isAsleep() != c.isAsleep || s.sleptOn() != c.on {
			t.Errorf("%s: isAsleep %t, slept on %t", name, s.isAsleep(), s.sleptOn())
		}
	}
}

// TestHasWoken: a stopped process's threads do not sleep, and do not wake.
func TestHasWoken(t *testing.T) {
	before := task.Counters{Sleeps: 7, HasSleeps: true}
	for name, c := range map[string]struct {
		now  fakeWatch
		want bool
	}{
		"asleep":     {fakeWatch{activity: task.ThreadActivity{State: task.Sleeping}, counters: before}, false},
		"stopped":    {fakeWatch{activity: task.ThreadActivity{State: task.Stopped}, counters: before}, false},
		"runs":       {fakeWatch{activity: task.ThreadActivity{State: task.Running}, counters: before}, true},
		"slept once": {fakeWatch{activity: task.ThreadActivity{State: task.Sleeping}, counters: task.Counters{Sleeps: 8, HasSleeps: true}}, true},
		"gone":       {fakeWatch{counters: before, err: task.ErrThreadGone}, true},
	} {
		s := sleeper{watch: &c.now, before: before}
		if got := s.hasWoken(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
