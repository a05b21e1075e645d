package words

import (
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestCost is a share of a CPU only of what took long enough for one.
func TestCost(t *testing.T) {
	const ms = time.Millisecond
	for want, c := range map[string]struct {
		length, used time.Duration
		snapshots    int
	}{
		"":                                       {time.Second, 10 * ms, 1},
		"1.00 % of a CPU used by the capture":    {time.Second, 10 * ms, 2},
		"3.3 ms of CPU time used by the capture": {2 * ms, 3300 * time.Microsecond, 2},
	} {
		p := &profile.Profile{Start: time.Unix(0, 0), End: time.Unix(0, 0).Add(c.length), OwnCPU: c.used, Snapshots: c.snapshots}
		if got := cost(p); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// TestNotes leaves out what is missing of lines that no frame of own code lacks, and says it once
// of an image.
func TestNotes(t *testing.T) {
	image := &profile.Image{Path: "/bin/shop", Main: true}
	p := &profile.Profile{Snapshots: 1, Notes: []string{
		"shop: no lines of code from /b/a.o: it is missing", "lib.dylib: no lines of code from /b/b.o: it is missing",
		"shop: no lines of code from /b/c.o: it has changed since that was linked", "another",
	}}
	n := &profile.Node{Location: profile.Location{Image: image, Function: "buy", File: "/src/shop.c", Line: 3}}
	p.Threads = []*profile.Thread{{ID: 1, Roots: []*profile.Node{n}}}
	if got := Notes(p); !slices.Equal(got, p.Notes[3:]) {
		t.Errorf("with lines: %q", got)
	}
	n.File = ""
	if got := Notes(p); !slices.Equal(got, []string{p.Notes[0], p.Notes[3]}) {
		t.Errorf("without: %q", got)
	}
}

// TestAge: the time since the launch is in the first lines of a snapshot, not of samples.
func TestAge(t *testing.T) {
	launch := time.Unix(100, 0)
	for want, after := range map[string]time.Duration{
		"": 0, "; the process was 510 ms old": 510 * time.Millisecond, "; the process was 59.99 s old": 59990 * time.Millisecond,
		"; the process was 1m0s old": time.Minute, "; the process was 26h3m5s old": 26*time.Hour + 3*time.Minute + 5400*time.Millisecond,
	} {
		p := &profile.Profile{Snapshots: 1, Start: launch.Add(after), Target: task.Info{Start: launch}}
		if got := age(p); got != want {
			t.Errorf("%v: %q, want %q", after, got, want)
		}
	}
	unknown := &profile.Profile{Snapshots: 1, Start: launch}
	samples := &profile.Profile{Snapshots: 2, Start: launch.Add(time.Second), Target: task.Info{Start: launch}}
	for _, p := range []*profile.Profile{unknown, samples, {Snapshots: 1, Target: task.Info{Start: launch}}} {
		if got := age(p); got != "" {
			t.Errorf("%+v: %q", p, got)
		}
	}
}
