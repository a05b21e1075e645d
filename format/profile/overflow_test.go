package profile

import (
	"testing"

	"stacksnap/task"
)

// TestManyThreads: threads come and go without end; their samples are all
// counted, and what is kept of them is bounded.
func TestManyThreads(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1}, "test")
	const snapshots = 20_000
	for i := range snapshots {
		s := &task.Snapshot{Threads: []task.Thread{{ID: 1, Name: "main"}, {ID: task.ThreadID(10 + i), Name: "worker"}}}
		b.Add(s, []Stack{walk(0x10), walk(0x10)}, nil)
	}
	if len(b.last) > 2*maxThreads+2 || len(b.order) > maxThreads+1 {
		t.Errorf("%d and %d threads are kept", len(b.last), len(b.order))
	}
	p := b.Profile()
	samples, self := 0, 0
	for _, th := range p.Threads {
		samples += th.Samples
		for _, n := range th.Nodes() {
			self += n.Self
		}
	}
	if samples != 2*snapshots || self != 2*snapshots || len(p.Notes) == 0 {
		t.Errorf("%d samples, %d innermost frames of %d; notes %q", samples, self, 2*snapshots, p.Notes)
	}
}

// TestManyPaths: ever new ways through the code are told apart up to a bound, and
// every sample stays counted.
func TestManyPaths(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1}, "test")
	b.maxNodes = 50
	const snapshots = 1000
	for i := range snapshots {
		s := &task.Snapshot{Threads: []task.Thread{{ID: 1, Name: "main"}}}
		b.Add(s, []Stack{walk(task.Addr(i), task.Addr(0x1000*(i%10+1)), task.Addr(0x100000*(i%7+1)))}, nil)
	}
	p := b.Profile()
	nodes, self, further := 0, 0, 0
	for _, n := range p.Threads[0].Nodes() {
		nodes++
		self += n.Self
		if n.Function == Further {
			further += n.Self
		}
	}
	if nodes > 2*b.maxNodes || self != snapshots || further < snapshots/2 || len(p.Notes) != 1 {
		t.Errorf("%d nodes, %d innermost of %d, %d of them not told apart; notes %q", nodes, self, snapshots, further, p.Notes)
	}
}
