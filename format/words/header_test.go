package words

import (
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
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
