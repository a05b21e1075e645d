package words

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestChain follows a wait from thread to thread, to the first that waits for no thread.
func TestChain(t *testing.T) {
	mutex := func(owner task.ThreadID) *profile.Wait {
		return &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 0x10 * task.Addr(owner-1), Owner: owner}
	}
	waits := func(id task.ThreadID, w *profile.Wait) *profile.Thread {
		return &profile.Thread{ID: id, State: task.Sleeping, Wait: w}
	}
	at := func(id task.ThreadID, function string) *profile.Thread {
		main := &profile.Image{Path: "/bin/shop", Main: true}
		n := &profile.Node{Location: profile.Location{Image: main, Function: function, File: "/src/shop.c", Line: 7}}
		return &profile.Thread{ID: id, State: task.Running, Roots: []*profile.Node{n}}
	}
	pause := &profile.Wait{Call: "pause"}
	for name, c := range map[string]struct {
		wait    *profile.Wait
		threads []*profile.Thread
		want    string
	}{
		"nobody":      {pause, nil, ""},
		"not there":   {mutex(2), nil, ""},
		"one":         {mutex(2), []*profile.Thread{waits(2, pause)}, "; thread 2 waits in pause"},
		"two":         {mutex(2), []*profile.Thread{waits(2, mutex(3)), waits(3, pause)}, "; thread 2 waits for mutex 0x20, held by thread 3; thread 3 waits in pause"},
		"runs":        {mutex(2), []*profile.Thread{at(2, "price")}, "; thread 2 is in price (shop.c:7) and is runnable: contention, no deadlock"},
		"its end":     {&profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: 2}, []*profile.Thread{at(2, "price")}, "; thread 2 is in price (shop.c:7)"},
		"without own": {mutex(2), []*profile.Thread{{ID: 2, State: task.Running, OnCPUState: task.OnCPU}}, "; thread 2 runs: contention, no deadlock"},
		"queued":      {mutex(2), []*profile.Thread{{ID: 2, State: task.Running, OnCPUState: task.Queued}}, "; thread 2 waits for a CPU: contention, no deadlock"},
		"sleeps":      {mutex(2), []*profile.Thread{waits(2, &profile.Wait{Call: "clock_nanosleep"})}, "; thread 2 waits in clock_nanosleep, which ends by itself: no deadlock"},
		"sleeps on":   {&profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: 2}, []*profile.Thread{waits(2, &profile.Wait{Call: "nanosleep"})}, "; thread 2 waits in nanosleep"},
		"without one": {mutex(2), []*profile.Thread{{ID: 2, State: task.Stopped}}, "; thread 2 is stopped"},
		"too many": {mutex(2), []*profile.Thread{waits(2, mutex(3)), waits(3, mutex(4)), waits(4, mutex(5)), waits(5, pause)},
			"; thread 2 waits for mutex 0x20, held by thread 3; thread 3 waits for mutex 0x30, held by thread 4; thread 4 waits for mutex 0x40, held by thread 5"},
		"changed hands": {mutex(2), []*profile.Thread{waits(2, mutex(2))}, ""},
	} {
		p := &Printer{Profile: &profile.Profile{Snapshots: 1, Threads: c.threads}}
		if got := p.chain(c.wait); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if p.Profile.Snapshots = 2; p.chain(c.wait) != "" {
			t.Errorf("%s: there is a chain of two snapshots", name)
		}
	}
}

// TestConvoyNamesTheHolder, and what that waits for itself.
func TestConvoyNamesTheHolder(t *testing.T) {
	p := &profile.Profile{Snapshots: 1}
	for id := task.ThreadID(1); id <= 5; id++ {
		w := &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 0x10, Owner: 5}
		if id == 5 {
			w = &profile.Wait{Call: "pause"}
		}
		p.Threads = append(p.Threads, &profile.Thread{ID: id, Main: id == 1, State: task.Sleeping, Wait: w})
	}
	const want = "4 of 5 threads wait for mutex 0x10, held by thread 5, the main thread among them; thread 5 waits in pause"
	if got := Headline(p); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
