package unwind

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// chain goes by what architectures prescribe, for want of anything better: why
// says of what, covered whether unwind tables know the code all the same. The
// link register comes first where it must hold the caller, then the
// frame-pointer chain, which is e's rule. Where that ends, with a zero, the walk's
// knowledge ends: who starts a thread clears the frame pointer (System V AMD64
// ABI, 3.4.1; AAPCS64, 6.4.6), but code that makes no frame records has any value
// in it, and zero often. What begins a thread is known as such.
func (u *Unwinder) chain(e *entry, why error) bool {
	w := &u.walk
	if w.first {
		if by, ok := u.untouched(e); ok {
			return u.found(by, why)
		}
	}
	if fp, known := w.Regs.Value(w.fp); known && fp == 0 {
		return u.end(Stop{Reason: NoCaller, Err: noted(why, errNoRecord)})
	}
	switch err := u.try(&e.rule, ByFramePointer); err {
	case nil:
	case errBottom:
		return u.end(Stop{Reason: NoCaller, Err: noted(why, errLastRecord)})
	default:
		return u.end(u.stop(err))
	}
	return u.found(ByFramePointer, why)
}

// noted is why there is no caller: the failure of a better method, or what has
// become of the frame pointers.
func noted(why, err error) error {
	if why == nil || why == rule.ErrNone {
		return err
	}
	return why
}

// untouched goes to the caller of a frame that has done nothing yet, if that is
// sure: one that was entered by a call to where no code is, or a leaf that has
// its return address in the link register.
func (u *Unwinder) untouched(e *entry) (Method, bool) {
	w := &u.walk
	by := ByLinkRegister
	if _, ok := w.arch.LR(); !ok {
		if by = ByAnalysis; e.executable {
			return 0, false
		}
	} else if e.executable && !u.returnsByLink(e) {
		return 0, false
	}
	r := rule.Frameless(w.arch, 0)
	return by, u.try(&r, by) == nil
}

// returnsByLink reports whether the link register holds the caller of an
// interrupted function of which nothing is known. It does not once it has been
// saved in the frame record that fp points to, nor when it leads back into the
// function itself, left there by a call that has returned. Where functions
// cannot be told apart, the frame record is trusted.
func (u *Unwinder) returnsByLink(e *entry) bool {
	w := &u.walk
	link := w.strip(uint64(w.Regs.LR()), rule.Signed)
	if link == 0 {
		return false
	}
	returns := uint64(w.Regs.FP()) + uint64(e.rule.CFA.Off+e.rule.RA.Off) // in the record
	if saved, ok := w.Stack.Pointer(task.Addr(returns)); ok && w.strip(saved, rule.Signed) == link {
		return false
	}
	start, ok := functionStart(e.image, e.pc)
	if !ok {
		return false
	}
	if start == e.pc {
		return true
	}
	im, _ := u.place(task.Addr(link) - 1)
	from, ok := functionStart(im, task.Addr(link)-1)
	return ok && from != start
}

// functionStart returns where the function at pc begins.
func functionStart(im *images.Image, pc task.Addr) (task.Addr, bool) {
	if im == nil || im.File == nil {
		return 0, false
	}
	v, ok := im.File.FunctionStart(im.VMAddr(pc))
	return im.Addr(v), ok
}
