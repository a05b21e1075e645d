package waits_test

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task/live"
	"stacksnap/task/live/livetest"
)

// TestHung runs programs whose threads all wait. It checks whether captures prove that none can wake
// another.
func TestHung(t *testing.T) {
	path := livetest.Build(t, "hung")
	for how, c := range map[string]struct{ threads, hung int }{
		"alone": {1, 1}, "several": {3, 3}, "fault": {1, 1},
		"timed": {2, 0}, "reads": {2, 0}, "shared": {2, 0}, "passes": {3, 0}, "handler": {1, 0},
	} {
		t.Run(how, func(t *testing.T) {
			pid := livetest.Start(t, path, how)
			until := time.Now().Add(time.Minute)
			for seen := 0; seen < 5; {
				if time.Now().After(until) {
					t.Fatalf("not all of %d threads were seen to wait", c.threads)
				}
				p := shot(t, pid, profile.ThreadFilter{})
				if len(p.Threads) != c.threads || c.hung > 0 && hungIn(p) == 0 || how != "passes" && !allWait(p) {
					continue
				}
				if seen++; hungIn(p) != c.hung {
					t.Fatalf("hung %d, want %d", hungIn(p), c.hung)
				}
			}
			if p := shot(t, pid, profile.ThreadFilter{Main: true}); c.threads == 3 && hungIn(p) > 0 && hungIn(p) != 3 {
				t.Errorf("of the main thread alone: %d", hungIn(p))
			}
		})
	}
}

func shot(t *testing.T, pid int, threads profile.ThreadFilter) *profile.Profile {
	t.Helper()
	process, err := live.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Close() }()
	p, err := capture.OneShot(process, capture.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func allWait(p *profile.Profile) bool {
	for _, th := range p.Threads {
		if th.Wait == nil {
			return false
		}
	}
	return true
}

// hungIn returns the Hung of all threads, -1 if they differ.
func hungIn(p *profile.Profile) (n int) {
	for i, th := range p.Threads {
		switch {
		case th.Wait == nil:
			return 0
		case i > 0 && th.Wait.Hung != n:
			return -1
		}
		n = th.Wait.Hung
	}
	return n
}
