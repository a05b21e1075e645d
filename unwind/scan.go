package unwind

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Limits of one scan.
const (
	maxScan       = 1024 // words of the stack
	maxCandidates = 64   // of them that point into code, so that instructions are read
)

// scan guesses the caller when no method found it: the lowest word on the stack that
// a call would have left there, provided that its function's own rule leads to
// another such word or to the bottom. The word may be a leftover, so the walk keeps
// the Stop that made it scan.
func (u *Unwinder) scan() bool {
	w := &u.walk
	broken := w.stop
	if w.stack.at < 0 || broken.Reason != NoCaller && broken.Reason != BadPointer {
		return false
	}
	size := uint64(w.arch.PointerSize())
	at, left := w.Regs.R[w.sp], maxCandidates
	for range maxScan {
		if at+size > w.stack.end || left == 0 {
			return false
		}
		word, ok := w.Stack.Pointer(task.Addr(at))
		if !ok {
			return false
		}
		if pc := task.Addr(w.strip(word, rule.Signed)); u.mayReturnTo(pc, &left) && u.resume(pc, at) {
			if !w.broke {
				w.broke, w.broken = true, broken
			}
			return u.found(ByScan, broken.Err)
		}
		at += size
	}
	return false
}

// mayReturnTo reports whether pc may be a return address: in code, after a call, and
// not at a function's start, where function pointers on a stack often point.
func (u *Unwinder) mayReturnTo(pc task.Addr, left *int) bool {
	if pc == 0 {
		return false
	}
	im, executable := u.place(pc - 1)
	if !executable {
		return false
	}
	if start, ok := functionStart(im, pc); ok && start == pc {
		return false
	}
	*left--
	return u.followsCall(pc)
}

// resume makes the function that contains pc the current frame if its rule leads on.
// pc is the word on the stack at address at. Of the registers only the frame pointer
// may be known: from the word below, where frame records keep it, or the current one
// if it is above. Wrong values are harmless, as they lead nowhere.
func (u *Unwinder) resume(pc task.Addr, at uint64) bool {
	w := &u.walk
	size := uint64(w.arch.PointerSize())
	before := *w
	regs := task.Registers{Arch: w.arch}
	regs.Set(w.arch.PC(), uint64(pc))
	regs.Set(w.sp, at+size)
	below, _ := w.Stack.Pointer(task.Addr(at - size))
	_, linked := w.arch.LR()
	for i, fp := range [...]uint64{below, before.Regs.R[w.fp], 0} {
		fp &^= asyncBit
		switch {
		case i == 2 && linked: // a function that saved lr has a caller with a frame
			continue
		case i == 2:
			regs.Forget(w.fp)
		case fp <= at || fp >= w.stack.end:
			continue
		default:
			regs.Set(w.fp, fp)
		}
		*w = before
		if u.leadsOn(pc, &regs) {
			*w = before
			w.Regs, w.first = regs, false
			w.entry = u.lookUp(pc, false)
			return true
		}
	}
	*w = before
	return false
}

// leadsOn reports whether the rule at pc, applied to regs, finds a caller that made a
// call, or the bottom of the stack. It leaves the walk at that caller.
func (u *Unwinder) leadsOn(pc task.Addr, regs *task.Registers) bool {
	w := &u.walk
	w.Regs, w.first = *regs, false
	w.entry = u.lookUp(pc, false)
	e := *w.entry
	if e.rule.Has(rule.Outermost) {
		return true
	}
	if err := u.try(&e.rule, e.by); err != nil {
		return (err == errBottom || err == rule.ErrOutermost) && !e.guess
	}
	return w.first || u.followsCall(w.Regs.PC())
}
