package unwind

import "stacksnap/task"

// maxJumps is how often a walk may go down within one captured range: from a
// signal stack or a scheduler's stack that lies above the interrupted one.
const maxJumps = 4

// stacks follows which of a thread's captured ranges a walk is in. Within one
// it only goes up; from one to another it goes once, and never back, so that
// every walk ends.
type stacks struct {
	thread *task.Thread
	at     int    // in thread.Stacks; -1: in none
	end    uint64 // of the range, 0 in none
	left   uint64 // bit i: range i was left
	jumps  int
}

// reset starts with the range that sp is in.
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

// leave goes to another range, -1 for one that was not captured.
func (s *stacks) leave(to int) {
	if s.at >= 0 {
		s.left |= 1 << (s.at & 63)
	}
	s.enter(to)
}

// find returns the range that sp is in or just above, -1 when there is none. A
// range that sp is in comes before one that ends there.
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

// move tells in which range sp is, when it is not above old in the range that
// the walk is in, and whether the walk may go there. jump: the frame is of a
// kind that leads from one stack to another.
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

// goesOn reports whether a lies above the captured part of the current stack, but
// still in it.
func (s *stacks) goesOn(a task.Addr) bool {
	if s.at < 0 || uint64(a) < s.end {
		return false
	}
	if top := s.thread.Stacks[s.at].Top; top != 0 {
		return a < top
	}
	return uint64(a)-s.end < task.MaxStackLimit
}
