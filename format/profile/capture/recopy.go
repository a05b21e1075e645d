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

const maxStops = 5 // stops for one snapshot, until every stack is copied

// completeStop stops the process again until a thread has stopped, every stack is copied to its end,
// and it is known what code was mapped then. Err is that of the first stop; a repetition that fails
// leaves what the stop before it gave.
func (s *shot) completeStop(err error) error {
	s.tracker.begin(&s.snapshot)
	v := s.walk(&s.snapshot)
	for stop := 1; err == nil && (len(s.lacking) > 0 || v == remappedCode || s.isStarved()) && stop < maxStops; stop++ {
		err = s.takeAgain(v)
		v = s.walk(&s.snapshot)
	}
	if v == remappedCode {
		s.cutAll()
	}
	return err
}

// isStarved reports whether no thread stopped, because none got a CPU to do it on. Another stop then
// waits as long again, and holds nothing meanwhile.
func (s *shot) isStarved() bool {
	starved := false
	for i := range s.snapshot.Threads {
		t := &s.snapshot.Threads[i]
		if t.Registers.Known != 0 {
			return false
		}
		starved = starved || t.State == task.Running
	}
	return starved && s.alone && s.options.Suspend != task.SuspendNone
}

// takeAgain takes the snapshot once more, after a walk with a verdict.
func (s *shot) takeAgain(v verdict) error {
	if v == remappedCode {
		s.tracker.reread()
	}
	again := task.Snapshot{
		Limit: s.snapshot.Limit, Want: s.snapshot.Want, Watch: s.watchAll(),
		Skip: s.snapshot.Skip, Insist: s.snapshot.Insist, Unhurried: s.snapshot.Unhurried,
	}
	var err error
	if s.parts != nil {
		err = s.takePartAgain(v, &again)
	} else if err = task.Take(s.process, &again); err == nil && len(again.Threads) > 0 {
		s.countStop(s.snapshot.Stopped)
		s.stops++
		keepFacts(&again, &s.snapshot)
		s.snapshot = again
	}
	s.tracker.begin(&s.snapshot)
	return err
}

// keepFacts keeps what the threads did before the first stop, because afterwards they run as a
// result of being stopped. It drops those facts that do not belong to the present stack: if the
// thread sleeps by now, or slept and has gone on.
func keepFacts(s, before *task.Snapshot) {
	for i := range s.Threads {
		t := &s.Threads[i]
		j := slices.IndexFunc(before.Threads, func(b task.Thread) bool { return b.ID == t.ID })
		if j < 0 {
			continue
		}
		b := &before.Threads[j]
		t.User, t.System = b.User, b.System
		if t.State == task.Running && (b.State == task.Running || !hasMoved(t, b)) {
			t.State, t.OnCPUState, t.Processor = b.State, b.OnCPUState, b.Processor
		}
		if t.Call.State != task.InCall && t.Registers == b.Registers {
			t.Call = b.Call
		}
		if len(t.Kernel) == 0 && t.Registers == b.Registers {
			t.Kernel = b.Kernel
		}
	}
}

// hasMoved reports whether a thread is at another place than before. A stop leaves it at the
// instruction that enters the kernel, or at the next one.
func hasMoved(t, before *task.Thread) bool {
	const longest = 4 // length of the longest such instruction
	now, then := &t.Registers, &before.Registers
	if now.Known == 0 || then.Known == 0 {
		return false
	}
	return now.SP() != then.SP() || now.PC()-then.PC()+longest > 2*longest
}
