package task

import (
	"slices"
	"testing"
	"time"
)

// TestEveryFor halves the rate until stops would take no more than they may, and doubles it only
// where there is room for more than that.
func TestEveryFor(t *testing.T) {
	for _, c := range []struct {
		every int
		share float64
		want  int
	}{
		{1, 0, 1}, {1, .02, 1}, {1, .021, 2}, {1, .04, 2}, {1, .041, 4}, {1, .5, 32}, {1, 1, 50}, {1, 100, 50},
		{4, .02, 4}, {4, .01, 4}, {4, .005, 4}, {4, .0049, 2}, {4, 0, 2}, {2, 0, 1}, {4, .03, 8}, {32, .03, 50}, {50, .03, 50}, {50, 0, 25},
	} {
		if got := everyFor(c.every, c.share, .02, 50); got != c.want {
			t.Errorf("1 in %d, stopped for %v: 1 in %d, want %d", c.every, c.share, got, c.want)
		}
	}
	if got := everyFor(1, 1, .02, 1); got != 1 {
		t.Errorf("1 in %d where none may be left out", got)
	}
}

// TestPace follows the stops of a second each, but for the first snapshot's.
func TestPace(t *testing.T) {
	ms := time.Millisecond
	p := newPace(.02, 10*ms)
	now, got := time.Duration(0), []int(nil)
	p.next(now, time.Minute)
	for _, stopped := range []time.Duration{ms / 10, ms, 0, 0} {
		for end := now + judgedTime; now < end; {
			now += 10 * ms * time.Duration(p.every)
			p.next(now, stopped)
		}
		got = append(got, p.every)
	}
	if !slices.Equal(got, []int{1, 8, 4, 2}) {
		t.Error(got)
	}
	for _, p := range []pace{newPace(0, ms), newPace(.02, 0)} {
		for now := range 10 {
			if got := p.next(time.Duration(now)*time.Second, time.Second); got != 1 {
				t.Errorf("%+v: 1 in %d", p, got)
			}
		}
	}
}

// TestSampleSparesTheTarget: of the snapshots that are due, those are left out, and counted, that
// would stop the target for too long.
func TestSampleSparesTheTarget(t *testing.T) {
	ms := time.Millisecond
	c := &fakeClock{}
	every, taken, missed, leftOut := []int(nil), 0, 0, 0
	for s, err := range Sample(t.Context(), sampledProcess(), c.options(Options{Interval: 10 * ms, Jitter: 10 * ms, Duration: 4 * time.Second, StopShare: 1e-12, Ended: func(n int) { missed += n }})) {
		if err != nil {
			t.Fatal(err)
		}
		taken, missed, leftOut = taken+1, missed+s.MissedTicks, leftOut+s.LeftOut
		if len(every) == 0 || every[len(every)-1] != s.Every {
			every = append(every, s.Every)
		}
	}
	if !slices.Equal(every, []int{1, 50}) || taken+missed < 400 || leftOut < 200 || leftOut > missed || taken > 120 {
		t.Errorf("one in %v; %d taken, %d missed, %d of them left out", every, taken, missed, leftOut)
	}
}
