package unwind

import (
	"errors"
	"testing"

	"stacksnap/task"
)

// TestJumpsAreBounded within one range, down or to the same place.
func TestJumpsAreBounded(t *testing.T) {
	th := stacked(task.AMD64, 0x10120, sb, 0, 0, 0, 0)
	var s stacks
	s.reset(th, stackBase+16)
	for _, c := range []struct {
		jumps   int
		old, sp uint64
		jump    bool
		ok      bool
	}{
		{0, stackBase + 16, stackBase, true, true},
		{0, stackBase + 16, stackBase, false, false},
		{0, stackBase, stackBase, true, false},
		{maxJumps - 1, stackBase + 16, stackBase, true, true},
		{maxJumps, stackBase + 16, stackBase, true, false},
	} {
		s.jumps = c.jumps
		if at, err := s.move(c.old, c.sp, c.jump); (err == nil) != c.ok || at != 0 {
			t.Errorf("%+v: %d, %v", c, at, err)
		}
	}
}

// TestNoWayBack: each range is left once, whichever it is, and the others can be gone to.
func TestNoWayBack(t *testing.T) {
	const ranges, size = 66, 0x100
	base := func(i int) uint64 { return uint64(0x1000 * (i + 1)) }
	th := new(task.Thread)
	for i := range ranges {
		th.Stacks = append(th.Stacks, task.Stack{Base: task.Addr(base(i)), Bytes: make([]byte, size)})
	}
	for from := range ranges {
		to := (from + 1) % ranges
		var s stacks
		s.reset(th, task.Addr(base(from)))
		if i, err := s.move(base(from), base(to), true); i != to || err != nil {
			t.Fatalf("from %d: %d, %v", from, i, err)
		}
		s.leave(to)
		if _, err := s.move(base(to), base(from), true); !errors.Is(err, errReturned) {
			t.Errorf("back to %d: %v", from, err)
		}
		on := (from + 2) % ranges
		if i, err := s.move(base(to), base(on), true); on%64 != from%64 && (i != on || err != nil) { // else they share a bit
			t.Errorf("on from %d: %d, %v", from, i, err)
		}
	}
}
