//go:build linux && (amd64 || arm64)

package ptrace

import (
	"testing"
	"time"
)

// TestStart compares the time at which a process was started with the clock around
// it. The kernel cuts it to a hundredth of a second.
func TestStart(t *testing.T) {
	before := time.Now()
	g := startHelper(t, "spin")
	after := time.Now()
	const unit = time.Second / userHZ
	if got := attach(t, g.Process.Pid).Info().Start; got.Before(before.Add(-2*unit)) || got.After(after.Add(unit)) {
		t.Errorf("started at %v, want %v to %v", got, before, after)
	}
}
