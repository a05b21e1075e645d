package html

import (
	"fmt"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// calls makes a node with samples of its own, of a millisecond each, and those of what
// it calls.
func calls(im *profile.Image, function string, self int, callees ...*profile.Node) *profile.Node {
	n := &profile.Node{Location: profile.Location{Image: im, Function: function}, PC: im.Load + 0x10, By: unwind.ByCFI, Self: self, Count: self, Children: callees}
	n.Spent.OnCPU = time.Duration(self) * time.Millisecond
	for _, c := range callees {
		n.Count += c.Count
	}
	return n
}

func newThread(id task.ThreadID, name string, roots ...*profile.Node) *profile.Thread {
	t := &profile.Thread{ID: id, Name: name, State: task.Running, Roots: roots, Main: id == 1}
	for _, n := range roots {
		t.Samples += n.Count
	}
	for _, n := range t.Nodes() {
		t.Spent.OnCPU += n.Spent.OnCPU
	}
	t.States[task.Running] = t.Samples
	return t
}

func newProfile(snapshots int, threads ...*profile.Thread) *profile.Profile {
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	demo := &profile.Image{Path: "/opt/demo", Load: 0x1000, End: 0x2000, Main: true, Symbols: true}
	return &profile.Profile{
		Target: task.Info{PID: 77, Name: "demo", Path: demo.Path, Arch: task.AMD64, OS: task.Linux, Live: true},
		Tool:   "stacksnap test", Start: start, End: start.Add(time.Second), Interval: time.Millisecond, Snapshots: snapshots,
		Main: demo, Images: []*profile.Image{demo}, Threads: threads,
	}
}

// sampled has what there is to say of nodes: a guess, a stack that was cut, inlined
// functions, samples without a stack, and time between samples.
func sampled() *profile.Profile {
	p := newProfile(100)
	demo := p.Images[0]
	guess := calls(demo, "found", 10)
	guess.By, guess.Why = unwind.ByScan, "no unwind information"
	inlined := calls(demo, "small", 5)
	inlined.Inlined, inlined.File, inlined.Line = true, "/src/small.c", 7
	orphan := calls(demo, "orphan", 3, calls(demo, "leaf", 2))
	orphan.Cut = &profile.Cut{Reason: unwind.NotCaptured, Need: 0x7000}
	main := newThread(1, "demo", calls(demo, "main", 20, calls(demo, "work", 50, inlined), guess), orphan, calls(demo, "entry", 1))
	main.Samples, main.Empty, main.Err = main.Samples+10, 10, "registers: input/output error"
	idle := newThread(2, "idle", calls(demo, "wait", 100))
	idle.Spent.Blocked = 7 * time.Millisecond // of which no sample tells
	idle.Looks, idle.Waits = 10, []profile.Waited{{Wait: profile.Wait{Call: "poll", Object: "fd 4"}, Looks: 10}}
	p.Threads = []*profile.Thread{main, idle}
	return p
}

// deadlocked is a snapshot of two threads that wait for each other.
func deadlocked() *profile.Profile {
	p := newProfile(1)
	demo := p.Images[0]
	for id := range 2 {
		t := newThread(task.ThreadID(id+1), fmt.Sprint("t", id+1), calls(demo, "lock", 1))
		t.State, t.Wait = task.Sleeping, &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: task.Addr(0x4000 + id), Owner: task.ThreadID(2 - id), OwnerName: fmt.Sprint("t", 2-id)}
		p.Threads = append(p.Threads, t)
	}
	p.Interval = 0
	p.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 1, Name: "t1", Wait: *p.Threads[0].Wait}, {ID: 2, Name: "t2", Wait: *p.Threads[1].Wait}}, Looks: 1}}
	return p
}

// many has so many nodes.
func many(nodes int) *profile.Profile {
	p := newProfile(100)
	for id := range 4 {
		var roots []*profile.Node
		for i := range nodes / 8 {
			roots = append(roots, calls(p.Images[0], fmt.Sprintf("function_%d", i), 1, calls(p.Images[0], "inner", 1)))
		}
		p.Threads = append(p.Threads, newThread(task.ThreadID(id+1), "t", roots...))
	}
	return p
}
