package profile

import (
	"slices"
	"testing"

	"stacksnap/task"
)

// across is a thread of a process that waits for one of another.
func across(pid int, id task.ThreadID, peer int, thread task.ThreadID) Waiter {
	return Waiter{PID: pid, ID: id, Wait: Wait{Call: "read", Peer: Peer{PID: peer, Thread: thread, Action: Write}}}
}

// within is a thread that waits for one of its own process.
func within(pid int, id, owner task.ThreadID) Waiter {
	return Waiter{PID: pid, ID: id, Wait: Wait{Call: "futex", Lock: Mutex, Addr: 8, Owner: owner}}
}

func TestCircles(t *testing.T) {
	unsure := across(2, 21, 1, 11)
	unsure.Wait.Peer.Others = true
	for name, c := range map[string]struct {
		of   []Waiter
		want []task.ThreadID // of the only circle
	}{
		"two":                    {of: []Waiter{across(2, 21, 1, 11), across(1, 11, 2, 21)}, want: []task.ThreadID{11, 21}},
		"three":                  {of: []Waiter{across(3, 31, 1, 11), across(1, 11, 2, 21), across(2, 21, 3, 31)}, want: []task.ThreadID{11, 21, 31}},
		"through a lock":         {of: []Waiter{within(1, 11, 12), across(1, 12, 2, 21), across(2, 21, 1, 11)}, want: []task.ThreadID{11, 12, 21}},
		"with one that leads in": {of: []Waiter{across(3, 1, 1, 11), across(1, 11, 2, 21), across(2, 21, 1, 11)}, want: []task.ThreadID{11, 21}},
		"a chain":                {of: []Waiter{across(1, 11, 2, 21), across(2, 21, 3, 31)}},
		"another thread":         {of: []Waiter{across(1, 11, 2, 21), across(2, 22, 1, 11)}},
		"any thread":             {of: []Waiter{across(1, 11, 2, 0), across(2, 21, 1, 11)}},
		"of another process":     {of: []Waiter{across(1, 11, 2, 21), across(2, 21, 9, 11)}},
		"perhaps others":         {of: []Waiter{across(1, 11, 2, 21), unsure}},
		"of one process":         {of: []Waiter{within(1, 11, 12), within(1, 12, 11), across(2, 21, 1, 11)}},
	} {
		found := Circles(c.of)
		var ids []task.ThreadID
		for _, d := range found {
			for _, w := range d.Waiters {
				ids = append(ids, w.ID)
			}
		}
		if len(found) > 1 || !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, want %v", name, ids, c.want)
		}
	}
}

// TestChain ends where nothing is known, or where it has been.
func TestChain(t *testing.T) {
	unsure := across(2, 21, 3, 31)
	unsure.Wait.Peer.Others = true
	for name, c := range map[string]struct {
		of   []Waiter
		want []task.ThreadID
	}{
		"none":           {of: []Waiter{across(1, 12, 2, 21)}},
		"one":            {of: []Waiter{across(1, 11, 2, 0), across(2, 21, 3, 31)}, want: []task.ThreadID{11}},
		"far":            {of: []Waiter{within(1, 11, 12), across(1, 12, 2, 21), unsure, {PID: 3, ID: 31}}, want: []task.ThreadID{11, 12, 21, 31}},
		"circle":         {of: []Waiter{across(1, 11, 2, 21), across(2, 21, 1, 11)}, want: []task.ThreadID{11, 21}},
		"not of another": {of: []Waiter{across(1, 11, 2, 21), across(3, 21, 1, 11)}, want: []task.ThreadID{11}},
	} {
		var ids []task.ThreadID
		for _, w := range Chain(c.of, 1, 11) {
			ids = append(ids, w.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, want %v", name, ids, c.want)
		}
	}
}

// TestSame compares circles that were found one after the other.
func TestSame(t *testing.T) {
	circle := func(change func(*Waiter)) Deadlock {
		w := []Waiter{across(1, 11, 2, 21), across(2, 21, 1, 11)}
		change(&w[1])
		return Deadlock{Waiters: w}
	}
	d := circle(func(*Waiter) {})
	for name, c := range map[string]struct {
		change func(*Waiter)
		same   bool
	}{
		"same":           {func(*Waiter) {}, true},
		"another lock":   {func(w *Waiter) { w.Wait.Addr = 8 }, false},
		"another file":   {func(w *Waiter) { w.Wait.Object = "fd 4" }, false},
		"another thread": {func(w *Waiter) { w.Wait.Peer.Thread = 12 }, false},
		"of another":     {func(w *Waiter) { w.PID = 3 }, false},
		"unsure":         {func(w *Waiter) { w.Wait.Peer.Others = true }, false},
	} {
		if d.Same(circle(c.change)) != c.same {
			t.Errorf("%s: not %t", name, c.same)
		}
	}
	if d.Same(Deadlock{Waiters: d.Waiters[:1]}) {
		t.Error("a shorter one is the same")
	}
}
