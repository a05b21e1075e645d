package profile

import (
	"testing"

	"stacksnap/task"
	"stacksnap/unwind"
)

// TestManagedFramesAreOneNode if they are at one line of a function: how the function was called,
// and where on the native stack, makes no other node. Another line does.
func TestManagedFramesAreOneNode(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	s := &task.Snapshot{Threads: []task.Thread{{ID: 7}}}
	for _, m := range []task.ManagedFrame{
		{Runtime: "CPython 3.12.1", Function: "work", File: "app.py", Line: 7, Entry: true, Shim: 0x7f00},
		{Runtime: "CPython 3.12.1", Function: "work", File: "app.py", Line: 7, Entry: true, Shim: 0x7e00},
		{Runtime: "CPython 3.12.1", Function: "work", File: "app.py", Line: 7},
		{Runtime: "CPython 3.12.1", Function: "work", File: "app.py", Line: 8},
	} {
		b.Add(s, []Stack{{Frames: []unwind.Frame{{PC: 0x1000, Managed: &m}}}}, nil)
	}
	roots := b.Profile().Threads[0].Roots
	if len(roots) != 2 || roots[0].Count != 3 || roots[0].Line != 7 || roots[1].Count != 1 {
		for _, n := range roots {
			t.Errorf("%s line %d: %d samples", n.Function, n.Line, n.Count)
		}
	}
}
