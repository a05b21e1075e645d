package capture

import (
	"slices"

	"stacksnap/task"
	"stacksnap/unwind"
)

// limitSteps is the factor by which a copy that was too short grows.
const limitSteps = 8

// want makes the next copy of a thread include the word at need, which its walk missed after
// these frames. It reports whether that copy would have more than this one: of one range of
// stack at most most bytes are copied.
func want(s *task.Snapshot, t *task.Thread, frames []unwind.Frame, need task.Addr, most int) bool {
	for i := range t.Stacks {
		if st := &t.Stacks[i]; st.Truncated() && need >= st.End() && need < st.Top {
			if i == 0 && s.Lengthen(t.ID) {
				return true
			}
			return wantLonger(s, len(st.Bytes), most)
		}
	}
	return wantRange(s, t, frames, need)
}

// wantLonger makes the next copy longer than one of n bytes. It grows by one step, however many
// threads had too short a copy.
func wantLonger(s *task.Snapshot, n, most int) bool {
	limit := min(max(n, task.FirstStackLimit)*limitSteps, most)
	if n >= limit {
		return false
	}
	s.Limit = max(s.Limit, limit)
	return true
}

// wantRange makes the next copy begin a range of stack at need. If there are already as many
// ranges as are kept, it replaces the first one that the walk did not lead through, such as the
// stack of a goroutine that the thread ran before. A range that was requested and could not be
// copied is not requested again.
func wantRange(s *task.Snapshot, t *task.Thread, frames []unwind.Frame, need task.Addr) bool {
	wanted := s.Want[t.ID]
	for _, a := range wanted {
		if need >= a && need < a+task.Addr(s.Limit) {
			return false
		}
	}
	if len(wanted) == task.MaxStacks-1 {
		unused := slices.IndexFunc(wanted, func(a task.Addr) bool { return !leadsThrough(frames, t, a) })
		if unused < 0 {
			return false
		}
		wanted = slices.Delete(wanted, unused, unused+1)
	}
	if s.Want == nil {
		s.Want = map[task.ThreadID][]task.Addr{}
	}
	s.Want[t.ID] = append(wanted, need)
	return true
}

// leadsThrough reports whether a frame is in the copied range that contains a.
func leadsThrough(frames []unwind.Frame, t *task.Thread, a task.Addr) bool {
	i := slices.IndexFunc(t.Stacks, func(st task.Stack) bool { return st.Contains(a, 1) })
	return i >= 0 && slices.ContainsFunc(frames, func(f unwind.Frame) bool { return t.Stacks[i].Contains(f.SP, 1) })
}
