package unwind

import "stacksnap/task"

// maxJumps is how often a walk may move down within one captured range: off a signal
// stack or a scheduler's stack that is above the interrupted one.
const maxJumps = 4

// stacks tracks which of a thread's captured ranges a walk is in. Within a range the
// walk only moves up, and it never returns to a range that it left, so every walk
// ends.
type stacks struct {
	thread *task.Thread
	at     int    // index in thread.Stacks; -1: in no range
	end    uint64 // end address of the range; 0: in no range
	left   uint64 // bit i: range i was left
	jumps  int
}

// reset starts in the range that contains sp.
func (s *stacks) reset(t *task.Thread, sp task.Addr) {
	*s = stacks{thread: t}
	s.enter(s.find(uint64(sp)))
}

func (s *stacks) enter(i int) {
	s.at, s.end = i, 0
	if i >= 0 {
		s.end = uint64(s.thread.Stacks[i].End())
	}
}

// leave moves to range to, -1 for memory that was not captured.
func (s *stacks) leave(to int) {
	if s.at >= 0 {
		s.left |= 1 << (s.at & 63)
	}
	s.enter(to)
}

// find returns the index of the range that contains sp, else of one that ends at sp,
// else -1.
func (s *stacks) find(sp uint64) int {
	above := -1
	for i := range s.thread.Stacks {
		r := &s.thread.Stacks[i]
		if r.Contains(task.Addr(sp), 1) {
			return i
		}
		if uint64(r.End()) == sp && len(r.Bytes) > 0 {
			above = i
		}
	}
	return above
}

// move returns the index of the range that sp is in, when sp is not above old in the
// current range, and an error if the walk may not go there. jump: the frame is of a
// kind that switches stacks.
func (s *stacks) move(old, sp uint64, jump bool) (int, error) {
	i := s.find(sp)
	switch {
	case i >= 0 && i == s.at:
		if jump && sp < old && s.jumps < maxJumps {
			return i, nil
		}
		return 0, errNotAbove
	case i >= 0 && s.left>>(i&63)&1 != 0:
		return 0, errReturned
	case i >= 0:
		return i, nil
	case s.goesOn(task.Addr(sp)):
		return s.at, nil
	case jump && s.at >= 0:
		return -1, nil
	}
	return 0, errElsewhere
}

// goesOn reports whether a is above the captured part of the current stack but still
// in that stack.
func (s *stacks) goesOn(a task.Addr) bool {
	if s.at < 0 || uint64(a) < s.end {
		return false
	}
	if top := s.thread.Stacks[s.at].Top; top != 0 {
		return a < top
	}
	return uint64(a)-s.end < task.MaxStackLimit
}
