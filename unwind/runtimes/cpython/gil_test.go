package cpython

import (
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

// block is memory at 0x1000.
type block []byte

func (b block) ReadMemory(p []byte, at task.Addr) (int, error) {
	if at < 0x1000 || at >= 0x1000+task.Addr(len(b)) {
		return 0, &task.FaultError{Addr: at}
	}
	return copy(p, b[at-0x1000:]), nil
}

func (b block) put(at task.Addr, v uint64) { binary.LittleEndian.PutUint64(b[at-0x1000:], v) }

// TestLocks: the GIL is where the version has it, and its owner is known while it is held, is not about
// to change, and the owner is a thread of the list.
func TestLocks(t *testing.T) {
	const runtime, gil, interp, state, handle, id = 0x1000, 0x2000, 0x3000, 0x4000, 0x777, 42
	threads := func(h task.Addr) (task.ThreadID, bool) { return id, h == handle }
	layout, _ := layoutOf(12)
	for name, change := range map[string]func(block){
		"held":          func(block) {},
		"free":          func(b block) { b.put(gil+gilLocked, 0) },
		"not made yet":  func(b block) { b.put(gil+gilLocked, 0xffffffff) },
		"changing":      func(b block) { b.put(gil+gilMutex, 2) },
		"no thread":     func(b block) { b.put(gil+gilHolder, 0) },
		"freed":         func(b block) { b.put(state+136, 0x999) },
		"not mapped":    func(b block) { b.put(gil+gilHolder, 1<<40) },
		"no GIL":        func(b block) { b.put(interp+384, 0) },
		"GIL elsewhere": func(b block) { b.put(interp+384, 1<<40) },
	} {
		b := make(block, 0x5000)
		b.put(runtime+40, interp)
		b.put(interp+384, gil)
		b.put(gil+gilHolder, state)
		b.put(gil+gilLocked, 1)
		b.put(gil+gilSwitches, 7)
		b.put(state+136, handle)
		change(b)
		p := &Instance{runtime: runtime, layout: layout, states: map[task.ThreadID]threadState{id: {handle: handle}}}
		locks := p.Locks(b, threads)
		if name == "no GIL" || name == "GIL elsewhere" {
			if len(locks) != 0 {
				t.Errorf("%s: %+v", name, locks)
			}
			continue
		}
		if len(locks) != 1 || locks[0].Addr != gil || locks[0].Switches != 7 || locks[0].From != gil+32 || locks[0].To != gil+80 {
			t.Fatalf("%s: %+v", name, locks)
		}
		if got := locks[0].Owner; (got == id) != (name == "held") || got != 0 && got != id {
			t.Errorf("%s: held by %d", name, got)
		}
	}
}

// TestLocksOfLoops: interpreters that lead to one another, which may share a lock, end.
func TestLocksOfLoops(t *testing.T) {
	b := make(block, 0x5000)
	b.put(0x1000+40, 0x3000)
	b.put(0x3000, 0x3000) // the next is itself
	b.put(0x3000+384, 0x2000)
	layout, _ := layoutOf(12)
	p := &Instance{runtime: 0x1000, layout: layout}
	if locks := p.Locks(b, nil); len(locks) != 1 {
		t.Errorf("%d locks", len(locks))
	}
}
