package words

import (
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
