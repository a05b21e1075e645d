package hang

import (
	"testing"
	"time"
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

func TestLate(t *testing.T) {
	for by, told := range map[time.Duration]bool{0: false, 900 * ms: false, time.Second: true, time.Hour: true} {
		if line := late(by, threshold); (line != "") != told {
			t.Errorf("late by %v: %q", by, line)
		}
	}
	if line := late(5*time.Second, 6*time.Second); line != "" {
		t.Errorf("within the threshold: %q", line)
	}
}

func TestHaltIsToldOnce(t *testing.T) {
	var h halt
	var lines []string
	for at := range 100 {
		s := Sight{At: time.Duration(at) * 100 * ms}
		switch {
		case at == 3: // someone else's snapshot
			s.Wait = Halted
		case at >= 10 && at < 50:
			s.Wait = Halted
		}
		if line := h.see(s, threshold); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) != 2 || lines[0] != targetHalted || lines[1] != targetGoesOn {
		t.Errorf("told %q", lines)
	}
}
