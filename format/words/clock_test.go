package words

import (
	"testing"
	"time"

	"stacksnap/format/profile"
)

// TestClock does not take missed snapshots for taken ones, nor believe in less than none.
func TestClock(t *testing.T) {
	for missed, want := range map[int]time.Duration{0: 10 * time.Millisecond, -50: 10 * time.Millisecond, 300: 40 * time.Millisecond} {
		p := &profile.Profile{Snapshots: 100, Interval: 10 * time.Millisecond, MissedTicks: missed}
		if got := NewClock(p).each; got != want {
			t.Errorf("%d missed: %v, want %v", missed, got, want)
		}
	}
}
