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
