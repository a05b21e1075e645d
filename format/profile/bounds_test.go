package profile

import (
	"fmt"
	"testing"
	"time"

	"stacksnap/task"
)

// TestBoundsOfACrowd, each by one: of names, and of threads from which on those that
// have ended are forgotten, unless they have an entry of their own.
func TestBoundsOfACrowd(t *testing.T) {
	b := NewBuilder(task.Info{}, "test")
	b.order = make([]*record, maxThreads)
	for i := range 2 * maxNames {
		b.join(fmt.Sprint(i))
	}
	if n := len(b.crowd.byName); n != maxNames+1 { // and those of further names
		t.Errorf("%d names", n)
	}
	for few, want := range []int{1, 2*maxThreads - 1} {
		last := map[task.ThreadID]*record{1: {}}
		for i := range 2*maxThreads - 1 - few {
			last[task.ThreadID(i+2)] = &record{into: new(record)}
		}
		if b.crowd.forget(last, 1); len(last) != want || last[1] == nil {
			t.Errorf("%d threads are kept, want %d", len(last), want)
		}
	}
}

// TestBoundsOfLooks, each by one.
func TestBoundsOfLooks(t *testing.T) {
	var r record
	for i := range maxWaits + 1 {
		r.look(&Wait{Call: fmt.Sprint(i)})
	}
	if len(r.Waits) != maxWaits {
		t.Errorf("%d waits", len(r.Waits))
	}
	b := NewBuilder(task.Info{}, "test")
	looks := make([]Look, maxBesides+1)
	if b.Look(looks, false); len(b.looks.besides) != maxBesides {
		t.Errorf("%d looks at other threads", len(b.looks.besides))
	}
}

// TestBoundOfNodes: so many, and one for all further ones.
func TestBoundOfNodes(t *testing.T) {
	b := NewBuilder(task.Info{}, "test")
	b.maxNodes = 3
	for i := range 6 {
		b.Add(&task.Snapshot{Threads: []task.Thread{{ID: 1}}}, []Stack{walk(task.Addr(0x1000 * (i + 1)))}, nil)
	}
	if roots := b.Profile().Threads[0].Roots; len(roots) != b.maxNodes+1 {
		t.Errorf("%d nodes", len(roots))
	}
}

// TestMainThreadIsNotFolded into one that is like it.
func TestMainThreadIsNotFolded(t *testing.T) {
	p := &Profile{Threads: []*Thread{{ID: 2}, {ID: 1, Main: true}, {ID: 3}}}
	got := p.FoldThreads().Threads
	if len(got) != 2 || len(got[0].Same) != 1 || !got[1].Main || len(got[1].Same) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestCountersThatGoBack are of another thread: nothing was spent.
func TestCountersThatGoBack(t *testing.T) {
	at := time.Unix(1e9, 0)
	before := task.Schedule{Ran: 5, Queued: 5, Stopped: 5}
	for _, now := range []task.Schedule{{Ran: 4, Queued: 6, Stopped: 6}, {Ran: 6, Queued: 4, Stopped: 6}, {Ran: 6, Queued: 6, Stopped: 4}} {
		var r record
		r.spend(before, task.Running, at)
		if r.spend(now, task.Running, at.Add(time.Second)); r.Spent != (Spent{}) {
			t.Errorf("%+v: %+v", now, r.Spent)
		}
	}
}

// TestDeadlockOfAThreadThatEnded ends with it.
func TestDeadlockOfAThreadThatEnded(t *testing.T) {
	b := NewBuilder(task.Info{}, "test")
	one, two := task.Thread{ID: 1}, task.Thread{ID: 2}
	waits := []Look{{Thread: 1, Wait: &Wait{Call: "f", Lock: Mutex, Addr: 8, Owner: 2}}, {Thread: 2, Wait: &Wait{Call: "f", Lock: Mutex, Addr: 16, Owner: 1}}}
	add := func(looks []Look, threads ...task.Thread) {
		b.Add(&task.Snapshot{Threads: threads}, nil, nil)
		b.Look(looks, true)
	}
	add(waits, one, two)
	add(waits, one, two)
	if d := b.Profile().Deadlocks; len(d) != 1 || d[0].Ended {
		t.Fatalf("%+v", d)
	}
	add(waits[:1], one) // which still waits for the other
	if d := b.Profile().Deadlocks; len(d) != 1 || !d[0].Ended {
		t.Errorf("%+v", d)
	}
}

// TestManyCallees tells each of a function's callees once, however many there are.
func TestManyCallees(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1}, "")
	m := mapOf(demo, "/demo", load)
	const callees = 3 * fewSiblings
	for i := range task.Addr(callees) {
		for _, callee := range []task.Addr{i, i, i, 0} {
			b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10, 0x100+callee)}, m)
		}
	}
	top := b.Profile().Threads[0].Roots[0]
	if len(top.Children) != callees || top.Children[0].Count != callees+3 || top.Children[callees-1].Count != 3 {
		t.Errorf("%d callees, the first counted %d times", len(top.Children), top.Children[0].Count)
	}
}

// TestBoundOfSites has what is not named any more be told as such.
func TestBoundOfSites(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1}, "")
	m := mapOf(demo, "/demo", load)
	b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10)}, m)
	b.names.count = maxSites
	b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10)}, m)
	in := walk(0x20)
	b.Add(snapshot(task.Thread{ID: 1, Kernel: []task.KernelFrame{{Name: "wait"}}}), []Stack{in}, m)
	got := outline(b.Profile().Threads[0].Roots)
	check(t, "tree", got, "main+16 2/2, "+Further+"+0 1/1")
}
