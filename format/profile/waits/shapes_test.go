package waits

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestShapes: each kind of wait has a row that says what a thread waits for, and calls of it.
func TestShapes(t *testing.T) {
	used := map[shape]string{}
	for _, calls := range []map[string]callRow{linuxCalls(), darwinCalls()} {
		for name, c := range calls {
			used[c.shape] = name
		}
	}
	for s := shape(0); s < numShapes; s++ {
		row := &shapes[s]
		if (row.object == nil && row.details == nil) != (s == plain) {
			t.Errorf("shape %d, as of %s, has no row that names what is waited for", s, used[s])
		}
		if used[s] == "" {
			t.Errorf("shape %d is that of no call", s)
		}
	}
}

// TestEachShapeIsDescribed has a thread wait in a call of each: it tells what for, be it by an
// object or by a lock.
func TestEachShapeIsDescribed(t *testing.T) {
	for s := plain + 1; s < numShapes; s++ {
		args := [6]uint64{0x1000, 2, 0x1000, 0, 0x1000, 7 << 32}
		switch s {
		case openedPath, openedAt: // without a path there is nothing to say
			continue
		case pollSet:
			args[1] = 1
		case clone:
			args[0] = cloneVFork
		case selectSets:
			args = [6]uint64{8, 0x1000}
		}
		p := onDarwin(task.ARM64)
		p.memory[0x1000] = little(0x100, map[int]uint64{0: cloneVFork | 0xff})
		w := &profile.Wait{}
		New(p, nil, nil).describe(w, &call{Call: Call{callRow: callRow{shape: s}}, Syscall: task.Syscall{Args: args}}, &task.Thread{})
		if w.Object == "" && w.Lock == profile.NoLock {
			t.Errorf("shape %d: nothing is said of its wait", s)
		}
	}
}
