//go:build linux

package procfs

import (
	"bytes"

	"stacksnap/task"
)

// A stop of ours makes a blocked thread run: it wakes, stops, and goes back to sleep, in the
// same call at the same place. So the next sample checks whether the thread is again as it was
// captured: in the same call (see inCall), and with the same bytes on the stack from sp to the
// end of the copy, read between two equal counts of runs (see ThreadFile). If so, it is idle
// until it runs again.

// NotRun implements [task.ActivityReader].
func (p *Process) NotRun(id task.ThreadID, t *task.Thread) bool {
	e := p.Files.Find(int(id))
	if e == nil {
		return false
	}
	runs, ok := p.Files.Count(e)
	e.runs, e.fresh = runs, true
	if !ok {
		p.Files.Drop(int(id))
		return false
	}
	if e.idle && e.at == runs {
		return true
	}
	if t.State == task.Running && p.Files.isReady(int(id)) {
		e.idle = false // it is not in a call
		return false
	}
	p.Files.keepCall(e, int(id))
	// A thread that was copied as it ran has to be read where it waits first.
	e.idle = t.Age == 0 && p.unchanged(int(id), t) && p.stillAt(e) && p.seesKernel(e, int(id), t)
	e.at = runs
	if e.idle && t.State == task.Running {
		// Describe saw it run, on its way back to sleep after a stop of ours.
		e.idle = p.Describe(id, t) == nil && p.stillAt(e)
	}
	return e.idle
}

// stillAt reports whether the thread has not run since its count was read.
func (p *Process) stillAt(e *ThreadFile) bool {
	runs, ok := p.Files.Count(e)
	return ok && runs == e.runs
}

// unchanged reports whether a thread is blocked in a system call, or stopped by another program,
// exactly where it was captured, with the same stack.
func (p *Process) unchanged(tid int, t *task.Thread) bool {
	if t.Registers.Known == 0 {
		return false
	}
	call, err := p.Files.Call(tid)
	switch {
	case err != nil:
		return false
	case call.State == task.InFault && isAt(&t.Registers, &call) && t.State == task.Stopped && p.isStopped(tid):
		// it is in user code, to which it returns when it is continued
	case !inCall(&t.Registers, &call):
		return false
	}
	for i := range t.Stacks {
		if !p.sameBytes(&t.Stacks[i], call.SP) {
			return false
		}
	}
	return true
}

func (p *Process) isStopped(tid int) bool {
	state, _ := p.Files.State(tid)
	return state == task.Stopped
}

// sameBytes reports whether a copied stack equals the target's memory now. It ignores what lies
// below sp, where nothing is kept across a system call.
func (p *Process) sameBytes(s *task.Stack, sp task.Addr) bool {
	at, want := s.Base, s.Bytes
	if below := sp - at; sp > at && uint64(below) < uint64(len(want)) {
		at, want = sp, want[below:]
	}
	for len(want) > 0 {
		b := p.compared[:min(len(want), len(p.compared))]
		if n, _ := p.Mem.copy(b, at); n < len(b) || !bytes.Equal(b, want[:n]) {
			return false
		}
		at, want = at+task.Addr(len(b)), want[len(b):]
	}
	return true
}

// seesKernel sets an idle thread's kernel frames, and reports whether it stayed idle meanwhile.
func (p *Process) seesKernel(e *ThreadFile, tid int, t *task.Thread) bool {
	if !p.Kernel.isOn {
		return true
	}
	frames := p.Kernel.read(p.Files.Dir.fd, tid)
	if !p.stillAt(e) {
		return false
	}
	t.Kernel = frames
	return true
}

// Describe implements [task.Process].
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	s, err := p.Files.describe(int(id))
	if err != nil {
		return task.ErrThreadGone
	}
	if t.Name != string(s.name) {
		t.Name = string(s.name)
	}
	t.State = threadState(s.state)
	t.User, t.System = s.user, s.system
	return nil
}

// StillIdle reports whether a thread that was found idle has not run since.
func (f *ThreadFiles) StillIdle(tid int) bool {
	e := f.of[tid]
	if e == nil || !e.idle {
		return false
	}
	runs, ok := f.Count(e)
	return ok && runs == e.at
}

// SameCounts reports whether a thread has been neither scheduled in nor charged CPU time since
// the last call. It is meant for threads whose state alone may be read.
func (f *ThreadFiles) SameCounts(tid int) bool {
	e := f.Find(tid)
	runs, ok := f.Count(e)
	if !ok {
		return false
	}
	same := e.at == runs && e.ranAt == e.Ran
	e.at, e.ranAt = runs, e.Ran
	return same
}
