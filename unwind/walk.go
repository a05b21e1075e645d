package unwind

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// walk is a walk under way: the frame that it has reached, and the part of the
// captured stack that the frame is in.
type walk struct {
	rule.State
	in     *images.Map
	code   task.Memory
	thread *task.Thread
	arch   task.Arch
	mask   uint64 // of code addresses

	entry *entry // of the frame
	first bool   // the frame was interrupted, it is not in a call
	stack stacks
}

// Walk appends the frames of a captured thread to dst, the innermost first, and
// tells why there are no more. Stack words come from t alone; code is asked for
// instructions, and may be the live process. Walk allocates nothing but what dst
// lacks, once the rules of the code are in the cache.
func (u *Unwinder) Walk(dst []Frame, t *task.Thread, m *images.Map, code task.Memory) ([]Frame, Stop) {
	if !u.start(t, m, code) {
		return dst, Stop{Reason: NoRegisters, Err: t.Err}
	}
	w := &u.walk
	f := Frame{By: ByRegisters}
	for range MaxFrames {
		f.PC, f.SP, f.Return = w.Regs.PC(), w.Regs.SP(), !w.first
		dst = append(dst, f)
		var s Stop
		var ok bool
		if f.By, f.Err, s, ok = u.step(); !ok {
			return dst, s
		}
	}
	return dst, Stop{Reason: TooDeep}
}

// start makes the thread's own frame current.
func (u *Unwinder) start(t *task.Thread, m *images.Map, code task.Memory) bool {
	w := &u.walk
	_, hasPC := t.Registers.Value(t.Registers.Arch.PC())
	if !hasPC || t.Registers.SP() == 0 {
		return false
	}
	w.State.Reset(t)
	w.in, w.code, w.thread, w.arch, w.mask = m, code, t, t.Registers.Arch, 0
	if w.arch == task.ARM64 {
		w.mask = u.opts.CodeMask
	}
	w.first, w.entry = true, nil
	w.stack.reset(t, w.Regs.SP())
	w.entry = u.lookUp(w.Regs.PC(), true)
	return true
}

// step goes on to the caller, and tells how it was found; or why there is none.
func (u *Unwinder) step() (Method, error, Stop, bool) {
	w := &u.walk
	e := w.entry
	if e.rule.Has(rule.Outermost) {
		return 0, nil, Stop{Reason: Bottom}, false
	}
	if !e.guess {
		err := u.try(&e.rule, e.by)
		if err == nil {
			return e.by, e.err, Stop{}, true
		}
		return u.fallBack(e, err)
	}
	return u.chain(e, e.err)
}

// fallBack tries the sources after the one whose rule led nowhere because of
// err, then the frame pointer.
func (u *Unwinder) fallBack(e *entry, err error) (Method, error, Stop, bool) {
	missed := u.walk.Stack.Missed
	if s, ok := u.final(err); ok {
		return 0, nil, s, false
	}
	rest := *e
	rest.err = err
	for u.ask(&rest, rest.next); !rest.guess; u.ask(&rest, rest.next) {
		if rest.rule.Has(rule.Outermost) {
			return 0, nil, Stop{Reason: Bottom, Err: err}, false
		}
		if u.try(&rest.rule, rest.by) == nil {
			return rest.by, err, Stop{}, true
		}
	}
	by, why, s, ok := u.chain(&rest, err)
	if !ok && s.Reason != NotCaptured && s.Reason != Bottom {
		u.walk.Stack.Missed = missed
		s = u.stop(err) // the better method's failure tells more
	}
	return by, why, s, ok
}
