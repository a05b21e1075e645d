package family

import (
	"context"
	"testing"
	"time"

	"stacksnap/format/profile/capture"
)

// TestNoMoreAtOnceThanAllowed looks at a program with three workers where two
// processes may be recorded at once: one worker is, and the others wait until it
// has ended.
func TestNoMoreAtOnceThanAllowed(t *testing.T) {
	cmd, _ := start(t)
	root := cmd.Process.Pid
	ctx, stop := context.WithCancel(t.Context())
	f := &family{
		roots: map[int]bool{root: true}, left: 1, descend: true, options: capture.Options{Tool: "test", Interval: 5 * time.Millisecond}, stop: stop,
		now: map[int]bool{}, past: map[int]bool{}, ended: make(chan *member), atOnce: 2,
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		below, err := f.kin.Descendants(root)
		if err != nil {
			t.Fatal(err)
		}
		if len(below) == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d workers, want 3", len(below))
		}
	}
	f.start(ctx, root)
	for range 3 {
		if err := f.look(ctx); err != nil {
			t.Fatal(err)
		}
		if len(f.now) != f.atOnce || len(f.members) != f.atOnce {
			t.Errorf("%d are recorded, %d were begun; want %d", len(f.now), len(f.members), f.atOnce)
		}
	}
	stop()
	for len(f.now) > 0 {
		f.end(<-f.ended)
	}
}
