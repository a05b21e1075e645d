package unwind

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// chain finds the caller by the calling convention alone; why is the failure of the
// better sources. The link register comes first, where it must hold the return
// address, then the frame-pointer chain, which is e's rule.
//
// A frame pointer of zero ends the walk with NoCaller rather than Bottom: threads
// start with a zero there (System V AMD64 ABI, 3.4.1; AAPCS64, 6.4.6), but so does
// much code that makes no frame records. The true bottom frames are recognised by
// other sources.
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

// noted returns the reason to report for a missing caller: why, the failure of a
// better method, if there is one, else err.
func noted(why, err error) error {
	if why == nil || why == rule.ErrNone {
		return err
	}
	return why
}

// untouched steps to the caller of a frame that has not changed the stack yet, if
// that is certain: a call to an address without code, or a leaf whose return address
// is in the link register.
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

// returnsByLink reports whether the link register of an interrupted function without
// unwind information holds its return address. It no longer does once the frame
// record that fp points to has the same address. Nor does it if it points into the
// function itself, left over from a call that returned. If function starts are
// unknown, the answer is false.
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

// functionStart returns the start of the function at pc.
func functionStart(im *images.Image, pc task.Addr) (task.Addr, bool) {
	if im == nil || im.File == nil {
		return 0, false
	}
	v, ok := im.File.FunctionStart(im.VMAddr(pc))
	return im.Addr(v), ok
}
