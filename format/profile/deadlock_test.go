package profile

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
)

func TestDeadlocks(t *testing.T) {
	type owners map[task.ThreadID]task.ThreadID
	tests := []struct {
		name   string
		owners owners
		want   [][]task.ThreadID
	}{
		{"none", owners{1: 0, 2: 1, 3: 2}, nil},
		{"two", owners{2: 1, 1: 2}, [][]task.ThreadID{{1, 2}}},
		{"three, and one that waits for them", owners{5: 9, 9: 7, 7: 5, 1: 9}, [][]task.ThreadID{{5, 9, 7}}},
		{"itself", owners{4: 4, 1: 4}, [][]task.ThreadID{{4}}},
		{"two circles", owners{1: 3, 3: 1, 2: 4, 4: 2, 8: 2}, [][]task.ThreadID{{1, 3}, {2, 4}}},
	}
	for _, test := range tests {
		var threads []*record
		for id, owner := range test.owners {
			threads = append(threads, &record{Thread: Thread{ID: id, Wait: &Wait{Owner: owner}}})
		}
		threads = append(threads, &record{Thread: Thread{ID: 100}})
		var got [][]task.ThreadID
		for _, d := range findDeadlocks(threads, nil) {
			var ids []task.ThreadID
			for _, w := range d {
				ids = append(ids, w.ID)
			}
			got = append(got, ids)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// looker adds one snapshot of the threads a and b after the other, with looks.
type looker struct {
	*Builder
	start time.Time
	n     int
}

func newLooker() *looker {
	return &looker{Builder: NewBuilder(task.Info{}, "test"), start: time.Unix(1_700_000_000, 0)}
}

func (l *looker) look(whole bool, looks ...Look) {
	s := task.Snapshot{
		Time:    l.start.Add(time.Duration(l.n) * time.Second),
		Threads: []task.Thread{{ID: 1, Name: "a", State: task.Sleeping}, {ID: 2, Name: "b", State: task.Running}},
	}
	l.n++
	l.Add(&s, make([]Stack, 2), nil)
	l.Look(looks, whole)
}

var (
	waitA  = Look{1, &Wait{Call: "futex", Lock: Mutex, Addr: 0x10, Owner: 2}}
	waitB  = Look{2, &Wait{Call: "futex", Lock: Mutex, Addr: 0x20, Owner: 1}}
	circle = []Waiter{{ID: 1, Name: "a", Wait: *waitA.Wait}, {ID: 2, Name: "b", Wait: *waitB.Wait}}

	// Thread 9 is not sampled.
	waitC  = Look{1, &Wait{Call: "futex", Lock: Mutex, Addr: 0x10, Owner: 9, OwnerName: "c"}}
	waitD  = Look{9, &Wait{Call: "futex", Lock: Mutex, Addr: 0x20, Owner: 1}}
	beside = []Waiter{{ID: 1, Name: "a", Wait: *waitC.Wait}, {ID: 9, Name: "c", Wait: *waitD.Wait}}
)

// TestDeadlocksStand: a circle is told with the time for which it stood, and
// left out when only one look saw it.
func TestDeadlocksStand(t *testing.T) {
	runs := func(id task.ThreadID) Look { return Look{Thread: id} }
	tests := []struct {
		name  string
		looks func(*looker)
		want  []Deadlock
	}{
		{"to the end", func(l *looker) {
			l.look(true, runs(1), runs(2))
			l.look(true, waitA, waitB)
			l.look(false)
			l.look(true, waitA, waitB)
		}, []Deadlock{{Waiters: circle, From: time.Second, To: 3 * time.Second, Looks: 2}}},
		{"ended", func(l *looker) {
			l.look(true, waitA, waitB)
			l.look(true, waitA, waitB)
			l.look(true, waitA, runs(2))
		}, []Deadlock{{Waiters: circle, To: time.Second, Looks: 2, Ended: true}}},
		{"seen once, and not again", func(l *looker) {
			l.look(true, waitA, waitB)
			l.look(true, waitA, runs(2))
			l.look(true, waitA, runs(2))
		}, nil},
		{"seen at the end", func(l *looker) {
			l.look(true, runs(1), runs(2))
			l.look(true, waitA, waitB)
		}, []Deadlock{{Waiters: circle, From: time.Second, To: time.Second, Looks: 1}}},
		{"a round that is spread", func(l *looker) {
			l.look(false, waitA)
			l.look(true, waitB)
			l.look(false, waitB)
			l.look(true, waitA)
		}, []Deadlock{{Waiters: circle, From: time.Second, To: 3 * time.Second, Looks: 2}}},
		{"a round without one of the threads", func(l *looker) {
			l.look(true, waitA, waitB)
			l.look(true, waitA)
			l.look(true, waitA, waitB)
		}, []Deadlock{{Waiters: circle, To: 2 * time.Second, Looks: 2}}},
		{"twice", func(l *looker) {
			l.look(true, waitA, waitB)
			l.look(true, waitA, waitB)
			l.look(true, runs(1), runs(2))
			l.look(true, waitA, waitB)
		}, []Deadlock{
			{Waiters: circle, To: time.Second, Looks: 2, Ended: true},
			{Waiters: circle, From: 3 * time.Second, To: 3 * time.Second, Looks: 1},
		}},
		{"with a thread that is not sampled", func(l *looker) {
			l.look(true, waitC, waitD)
			l.look(false, waitC)
			l.look(true, waitD)
		}, []Deadlock{{Waiters: beside, To: 2 * time.Second, Looks: 2}}},
		{"without the one that is not sampled", func(l *looker) {
			l.look(true, waitC, waitD)
			l.look(true, waitC, waitD)
			l.look(true, waitC)
		}, []Deadlock{{Waiters: beside, To: time.Second, Looks: 2}}},
		{"ended by the one that is not sampled", func(l *looker) {
			l.look(true, waitC, waitD)
			l.look(true, waitC, waitD)
			l.look(true, waitC, runs(9))
		}, []Deadlock{{Waiters: beside, To: time.Second, Looks: 2, Ended: true}}},
		{"of none that is sampled", func(l *looker) {
			l.look(true, runs(1), Look{9, &Wait{Lock: Mutex, Owner: 9}})
		}, nil},
	}
	for _, test := range tests {
		l := newLooker()
		test.looks(l)
		if diff := cmp.Diff(test.want, l.Profile().Deadlocks); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// TestLooks counts what threads were found to wait for.
func TestLooks(t *testing.T) {
	l := newLooker()
	read := &Wait{Call: "read", Object: "fd 3"}
	const rounds = 20
	for i := range rounds {
		a, b := waitA, Look{Thread: 2}
		if i == 7 { // another thread holds it
			a.Wait = &Wait{Call: "futex", Lock: Mutex, Addr: 0x10, Owner: 3, OwnerName: "c"}
		}
		if i%2 == 0 {
			b.Wait = read
		}
		if i == 3 { // seen once
			b.Wait = &Wait{Call: "futex", Lock: Mutex, Addr: 0x30, Owner: 1}
		}
		l.look(true, a, b, waitB) // the last one comes too late for the round
	}
	p := l.Profile()
	a, b := p.Find(1), p.Find(2)
	wantA := []Waited{{Wait: Wait{Call: "futex", Lock: Mutex, Addr: 0x10}, Looks: rounds, Owners: true}}
	if diff := cmp.Diff(wantA, a.UsualWaits()); diff != "" || a.Looks != rounds || a.Wait.Owner != 2 {
		t.Errorf("%d looks, %+v; %s", a.Looks, a.Wait, diff)
	}
	wantB := []Waited{{Wait: *read, Looks: rounds / 2}}
	if diff := cmp.Diff(wantB, b.UsualWaits()); diff != "" || len(b.Waits) != 2 || b.Wait != nil {
		t.Errorf("%+v, %+v; %s", b.Wait, b.Waits, diff)
	}
}

// TestOneLook: what a thread that mostly runs waits for in the only check is
// chance.
func TestOneLook(t *testing.T) {
	l := newLooker()
	l.look(false)
	l.look(true, waitA, waitB)
	p := l.Profile()
	if a, b := p.Find(1).UsualWaits(), p.Find(2).UsualWaits(); len(a) != 1 || len(b) != 0 {
		t.Errorf("%+v of the thread that sleeps, %+v of the one that runs", a, b)
	}
}

// TestPeerOfLaterLook: a second observation of a thread in a round does not count, but adds the
// peer of the same wait.
func TestPeerOfLaterLook(t *testing.T) {
	peer := Peer{PID: 12, Action: Write}
	l := newLooker()
	l.look(false, Look{1, &Wait{Call: "read"}}, Look{2, &Wait{Call: "write"}})
	l.Look([]Look{{1, &Wait{Call: "read", Peer: peer}}, {2, &Wait{Call: "poll", Peer: peer}}}, true)
	p := l.Profile()
	a, b := p.Find(1), p.Find(2)
	if a.Looks != 1 || a.Wait.Peer != peer || len(a.Waits) != 1 || a.Waits[0].Peer != peer {
		t.Errorf("%+v, %+v", a.Wait, a.Waits)
	}
	if b.Looks != 1 || b.Wait.Peer != (Peer{}) || len(b.Waits) != 1 || b.Waits[0].Peer != (Peer{}) {
		t.Errorf("of another wait: %+v, %+v", b.Wait, b.Waits)
	}
}

// TestManyDeadlocks are kept up to a bound, and it is told when there are more.
func TestManyDeadlocks(t *testing.T) {
	for more, notes := range []int{0, 1} {
		b := NewBuilder(task.Info{}, "test")
		var s task.Snapshot
		var looks []Look
		for i := range maxDeadlocks + more {
			id := task.ThreadID(i + 1)
			s.Threads = append(s.Threads, task.Thread{ID: id})
			looks = append(looks, Look{Thread: id, Wait: &Wait{Call: "f", Lock: Mutex, Owner: id}})
		}
		b.Add(&s, nil, nil)
		b.Look(looks, true)
		if p := b.Profile(); len(p.Deadlocks) != maxDeadlocks || len(p.Notes) != notes {
			t.Errorf("%d deadlocks are %d, with the notes %q", maxDeadlocks+more, len(p.Deadlocks), p.Notes)
		}
	}
}

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

// TestCirclesWithin one process: no two threads of a deadlock wait for the same lock, and
// the same address is another lock in another process.
func TestCirclesWithin(t *testing.T) {
	at := func(w Waiter, a task.Addr) Waiter { w.Wait.Addr = a; return w }
	for name, c := range map[string]struct {
		of   []Waiter
		want int
	}{
		"two locks":         {[]Waiter{within(1, 11, 12), at(within(1, 12, 11), 16)}, 2},
		"itself":            {[]Waiter{within(1, 11, 11)}, 1},
		"one lock":          {[]Waiter{within(1, 11, 12), within(1, 12, 11)}, 0},
		"one of three":      {[]Waiter{within(1, 11, 12), at(within(1, 12, 13), 16), within(1, 13, 11)}, 0},
		"unknown locks":     {[]Waiter{at(within(1, 11, 12), 0), at(within(1, 12, 11), 0)}, 2},
		"of several":        {[]Waiter{across(1, 11, 2, 21), across(2, 21, 1, 11)}, 0},
		"of several, locks": {[]Waiter{within(1, 11, 12), across(1, 12, 2, 21), within(2, 21, 22), across(2, 22, 1, 11)}, 0},
	} {
		n := 0
		for _, d := range CirclesWithin(c.of) {
			n += len(d.Waiters)
		}
		if n != c.want {
			t.Errorf("%s: %d threads, want %d", name, n, c.want)
		}
	}
	if found := Circles([]Waiter{within(1, 11, 12), across(1, 12, 2, 21), within(2, 21, 22), across(2, 22, 1, 11)}); len(found) != 1 {
		t.Errorf("the same address in two processes: %d deadlocks", len(found))
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
