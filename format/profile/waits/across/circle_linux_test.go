package across_test

import (
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
)

// TestCircle captures two processes that wait for each other until that is told: as
// one circle, with a thread of each.
func TestCircle(t *testing.T) {
	for how, thread := range map[string]string{"files": "circle", "mutexes": "circle", "inside": "holder"} {
		t.Run(how, func(t *testing.T) {
			root := start(t, "circle", how)
			child := below(t, root)[0]
			for end := time.Now().Add(2 * time.Minute); ; {
				g := family(t, root)
				if len(g.Deadlocks) == 0 && time.Now().Before(end) {
					continue
				}
				if len(g.Deadlocks) != 1 {
					t.Fatalf("%d deadlocks", len(g.Deadlocks))
				}
				checkCircle(t, g.Deadlocks[0].Waiters, thread, root, child)
				return
			}
		})
	}
}

func checkCircle(t *testing.T, circle []profile.Waiter, thread string, pids ...int) {
	t.Helper()
	if len(circle) != 2 {
		t.Fatalf("%+v", circle)
	}
	for i, w := range circle {
		next := circle[(i+1)%2]
		if !slices.Contains(pids, w.PID) || w.Wait.Peer.PID != next.PID || w.Wait.Peer.Thread != next.ID || next.PID == w.PID {
			t.Errorf("%+v", w)
		}
		if w.PID == pids[0] && w.Name != thread {
			t.Errorf("the thread %q is in the circle, want %q", w.Name, thread)
		}
	}
}

// TestSockets is told as a circle only where it is proven: nobody else could have the
// sockets, for all processes could be asked.
func TestSockets(t *testing.T) {
	root := start(t, "circle", "sockets")
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		g := family(t, root)
		one, other := g.Profiles[0].MainThread().Wait, g.Profiles[1].MainThread().Wait
		if one == nil || other == nil || one.Peer.PID == 0 || other.Peer.PID == 0 {
			continue
		}
		sure := !one.Peer.Others && !other.Peer.Others
		if sure && len(g.Deadlocks) == 0 {
			continue // a thread was late to be back in its call
		}
		if sure != (len(g.Deadlocks) == 1) {
			t.Errorf("sure %t: %+v", sure, g.Deadlocks)
		}
		return
	}
	t.Fatal("it was never told for whom they wait")
}

// TestTurns captures two processes that answer each other, each of which often waits for
// the other: that is no deadlock.
func TestTurns(t *testing.T) {
	root := start(t, "circle", "turns")
	for range 10 {
		if g := family(t, root); len(g.Deadlocks) > 0 {
			t.Fatalf("%+v", g.Deadlocks)
		}
	}
}
