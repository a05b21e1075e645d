package unwind

import (
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
