package unwind

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Bounds of one scan.
const (
	maxScan       = 1024 // words of the stack
	maxCandidates = 64   // of them that lie in code, whose instructions are read
)

// scan goes on to a caller when nothing tells where it is: to the lowest word of
// the stack that a call would have left there, and from where its function's own
// rule leads on to another such or to the bottom. What it finds may be a leftover,
// so that the walk is over as far as the truth goes: its end stays the one that
// led here.
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

// mayReturnTo reports whether pc is where a call returns to: in code, behind a
// call, and not where a function starts, to which data on a stack point often.
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

// resume makes the caller that returns to pc, which stands on the stack at
// address at, the current frame, if what it is said to be leads on. Of its
// registers only the frame pointer may be known: from the word below, where frame
// records have it, or the current one if it lies above. What is wrong of them
// leads nowhere.
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
		case i == 2 && linked: // every caller of one that has saved lr has a frame
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

// leadsOn reports whether a frame's rule, from these registers, gives a caller
// that made a call, or the bottom of the stack. It leaves the walk there.
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
