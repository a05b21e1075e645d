package hang

import (
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// TestCoverage: what is counted as not looked at, and what is told at once.
func TestCoverage(t *testing.T) {
	const threshold = 250 * time.Millisecond
	waiting := func(at, cpu time.Duration) Observation {
		return Observation{At: at, Wait: waits.Loop, Counters: task.Counters{CPU: cpu}, Before: cpu, Steady: true}
	}
	blind := func(at time.Duration) Observation { return Observation{At: at, Blind: true} }
	sleeps := func(at time.Duration, n uint64) Observation {
		s := waiting(at, 0)
		s.Counters.Sleeps, s.Counters.HasSleeps = n, true
		return s
	}
	runs := func(at, cpu time.Duration) Observation {
		s := waiting(at, cpu)
		s.Wait = waits.None
		return s
	}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		looks []Observation
		stuck bool
		gaps  int
		told  bool
	}{
		"in time":                       {looks: []Observation{waiting(ms, ms), waiting(251*ms, 2*ms)}},
		"late":                          {looks: []Observation{waiting(ms, ms), waiting(252*ms, 2*ms)}, gaps: 1},
		"blind between":                 {looks: []Observation{waiting(ms, ms), blind(200 * ms), blind(900 * ms), waiting(1000*ms, 2*ms)}, gaps: 1},
		"very late":                     {looks: []Observation{waiting(ms, ms), waiting(1251*ms, 2*ms)}, gaps: 1, told: true},
		"not so very late":              {looks: []Observation{waiting(ms, ms), waiting(1250*ms, 2*ms)}, gaps: 1},
		"blind for long":                {looks: []Observation{waiting(ms, ms), blind(500 * ms), waiting(2001*ms, 2*ms)}, gaps: 1, told: true},
		"it did not run":                {looks: []Observation{waiting(ms, ms), waiting(3000*ms, ms)}},
		"it ran, and nobody counts":     {looks: []Observation{waiting(ms, 0), waiting(3000*ms, 0)}, gaps: 1, told: true},
		"it did not begin to wait anew": {looks: []Observation{sleeps(ms, 7), sleeps(3000*ms, 7)}},
		"it began to wait anew":         {looks: []Observation{sleeps(ms, 7), sleeps(3000*ms, 8)}, gaps: 1, told: true},
		"it runs":                       {looks: []Observation{runs(ms, ms), runs(900*ms, ms)}, gaps: 1},
		"it ran at first":               {looks: []Observation{runs(ms, ms), waiting(900*ms, ms)}, gaps: 1},
		"it runs at last":               {looks: []Observation{waiting(ms, ms), runs(900*ms, ms)}, gaps: 1},
		"stuck":                         {looks: []Observation{runs(ms, ms), runs(3000*ms, 2*ms)}, stuck: true},
		"the first":                     {looks: []Observation{waiting(5000*ms, ms)}},
		"twice":                         {looks: []Observation{waiting(ms, ms), waiting(501*ms, 2*ms), waiting(1001*ms, 3*ms)}, gaps: 2},
	} {
		var watch coverage
		var told string
		for _, s := range c.looks {
			told += watch.see(s, c.stuck, threshold)
		}
		if watch.Gaps != c.gaps || strings.Contains(told, "could not be observed") != c.told {
			t.Errorf("%s: %+v, told %q", name, watch.Coverage, told)
		}
		var want time.Duration
		if c.gaps > 0 {
			want = c.looks[len(c.looks)-1].At - c.looks[0].At
		}
		if watch.Unseen != want {
			t.Errorf("%s: %v unseen, want %v", name, watch.Unseen, want)
		}
	}
}

// TestCoverageEnds: what nobody looked at before the end counts, too.
func TestCoverageEnds(t *testing.T) {
	var watch coverage
	watch.end(time.Hour, time.Second) // before any look
	watch.see(Observation{At: time.Second}, false, time.Second)
	watch.end(2*time.Second, time.Second)
	if watch.Coverage != (Coverage{}) {
		t.Errorf("%+v", watch.Coverage)
	}
	watch.end(time.Hour, 0)
	watch.end(3*time.Second, time.Second)
	if watch.Coverage != (Coverage{Unseen: 2 * time.Second, Gaps: 1}) {
		t.Errorf("%+v", watch.Coverage)
	}
}
