package hang

import (
	"context"
	"testing"
	"time"

	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// setClock stands at a time.
type setClock struct {
	stillClock
	now time.Duration
}

func (c setClock) Now() time.Duration { return c.now }

func TestMissedReportsAreNotMadeUpFor(t *testing.T) {
	for now, want := range map[time.Duration]struct {
		missed int
		next   time.Duration
	}{
		10 * time.Second: {0, 20 * time.Second},
		19 * time.Second: {0, 20 * time.Second},
		20 * time.Second: {1, 30 * time.Second},
		99 * time.Second: {8, 100 * time.Second},
	} {
		w := &watcher{clock: setClock{now: now}, nextTime: 10 * time.Second}
		w.options.Every = 10 * time.Second
		if missed := w.schedule(); missed != want.missed || w.nextTime != want.next {
			t.Errorf("at %v: %d missed, the next at %v; want %+v", now, missed, w.nextTime, want)
		}
	}
}

func TestHaltIsToldOnce(t *testing.T) {
	var h stopState
	var lines []string
	for at := range 100 {
		s := Observation{At: time.Duration(at) * 100 * ms}
		switch {
		case at == 3: // someone else's snapshot
			s.Wait = waits.Stopped
		case at >= 10 && at < 50:
			s.Wait = waits.Stopped
		}
		if line := h.see(s, threshold); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) != 2 || lines[0] != targetStopped || lines[1] != targetGoesOn {
		t.Errorf("told %q", lines)
	}
}

// steppingClock goes on only when it is slept by.
type steppingClock struct {
	stillClock
	now *time.Duration
}

func (c steppingClock) Now() time.Duration         { return *c.now }
func (c steppingClock) SleepUntil(t time.Duration) { *c.now = max(*c.now, t) }

// lateProcess has a thread that stops too late.
type lateProcess struct {
	task.ThreadStopper
	asked *[]time.Duration
	clock steppingClock
}

func (p lateProcess) DetachLate() (left int) {
	*p.asked = append(*p.asked, p.clock.Now())
	return max(0, 4-len(*p.asked))
}

// TestLateThreadsAreLetGo: a watch lets go soon of a thread that stopped too late
// for a capture, however long it has nothing else to do.
func TestLateThreadsAreLetGo(t *testing.T) {
	var now time.Duration
	var asked []time.Duration
	clock := steppingClock{now: &now}
	w := &watcher{ctx: context.Background(), clock: clock, alarm: task.NewAlarm(clock), nextTime: time.Hour}
	defer w.alarm.Close()
	w.stopper, w.options.Every = lateProcess{asked: &asked, clock: clock}, time.Hour
	for range 3 {
		if r, err := w.step(); r != nil || err != nil {
			t.Fatal(r, err)
		}
	}
	w.unsettled = w.stopper.DetachLate() > 0
	for i, at := range asked {
		if want := time.Duration(i) * task.DetachEvery; at != want {
			t.Errorf("let go of at %v, want %v", at, want)
		}
	}
	if what, err := w.await(); what != timeToReport || err != nil || now != time.Hour {
		t.Errorf("then %v, %v at %v, want the report", what, err, now)
	}
}

// TestBetweenLooks: of snapshots that are far apart, the end of a hang is seen soon all the
// same, and so is that of the watch.
func TestBetweenLooks(t *testing.T) {
	for interval, want := range map[time.Duration]time.Duration{
		time.Minute: mostBetween, 2 * time.Second: mostBetween, 40 * time.Millisecond: 10 * time.Millisecond, 0: shortest,
	} {
		if got := betweenObservations(interval); got != want {
			t.Errorf("%v: %v, want %v", interval, got, want)
		}
	}
}
