package unwind

import (
	"encoding/binary"
	"errors"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Why the result of a rule is rejected. They become the Err of frames and stops.
var (
	errBottom    = errors.New("the return address is zero")
	errNotCode   = errors.New("the return address is not in executable memory")
	errNotCall   = errors.New("the return address is not behind a call")
	errUnaligned = errors.New("the caller's stack pointer is not aligned")
	errNotAbove  = errors.New("the caller's frame is not above")
	errElsewhere = errors.New("the caller's frame is not on the stack")
	errReturned  = errors.New("the walk came back to a stack that it had left")

	errNoRecord   = errors.New("the frame pointer is zero, in code of which nothing else is known")
	errLastRecord = errors.New("the last frame record has no return address, and nothing else is known of the code")
)

// signedBits is the number of address bits in a signed pointer when Options.CodeMask
// does not say: Darwin's default without machdep.virtual_address_size, and one less
// than Linux's usual 48.
const signedBits = 47

// try applies a rule if its result can be a caller. When it fails, the frame is
// unchanged.
func (u *Unwinder) try(r *rule.Rule, by Method) error {
	w := &u.walk
	if r.Expression != nil {
		return u.tryExpression(r)
	}
	pc, cfa, err := w.Caller(r)
	if err != nil {
		return err
	}
	pc = w.strip(pc, r.Flags)
	place, old := w.stack.at, w.Regs.R[w.sp]
	if pc == 0 || cfa <= old || cfa > w.stack.end || cfa&w.unaligned != 0 { // the slow path: nearly all callers fail this test
		if place, err = w.judge(pc, cfa, r, by); err != nil {
			return err
		}
	}
	if r.Has(rule.Unproven) && !u.followsCall(task.Addr(pc)) {
		return errNotCall
	}
	next := u.caller(pc, r)
	if next == nil {
		return errNotCode
	}
	w.Enter(r, pc, cfa)
	w.commit(next, place, old, r.Flags)
	return nil
}

// tryExpression is like try, but for an expression rule, whose result is known only
// after it is applied.
func (u *Unwinder) tryExpression(r *rule.Rule) error {
	w := &u.walk
	before := w.Regs
	err := r.Expression.Apply(&w.State)
	after := w.Regs
	w.Regs = before
	if err != nil {
		return err
	}
	pc := w.strip(uint64(after.PC()), r.Flags)
	if r.Has(rule.Signal | rule.Signed) {
		for _, reg := range [...]task.Reg{w.sp, w.fp} {
			after.R[reg] = w.strip(after.R[reg], r.Flags)
		}
	}
	place, err := w.judge(pc, uint64(after.SP()), r, ByCFI)
	if err != nil {
		return err
	}
	if r.Has(rule.Unproven) && !u.followsCall(task.Addr(pc)) {
		return errNotCall
	}
	next := u.caller(pc, r)
	if next == nil {
		return errNotCode
	}
	w.Regs = after
	w.Regs.Set(w.arch.PC(), pc)
	w.commit(next, place, uint64(before.SP()), r.Flags)
	return nil
}

// strip removes from a return address the bits that are not address: authentication,
// and the Thumb bit on ARM.
func (w *walk) strip(pc uint64, f rule.Flags) uint64 {
	switch {
	case w.mask != 0:
		return pc & w.mask
	case w.arch == task.ARM:
		return pc &^ 1
	case f&rule.Signed != 0:
		return pc & (1<<signedBits - 1)
	}
	return pc
}

// judge reports whether a frame with this pc and sp, which r has led to, can be the
// caller, and returns the index of the captured range that it is in.
func (w *walk) judge(pc, sp uint64, r *rule.Rule, by Method) (int, error) {
	switch {
	case pc != 0:
	case r.Has(rule.Unproven):
		return 0, errNotCode
	default:
		return 0, errBottom
	}
	if sp&w.unaligned != 0 {
		return 0, errUnaligned
	}
	old := w.Regs.R[w.sp]
	if sp > old && sp <= w.stack.end {
		return w.stack.at, nil
	}
	if sp == old && w.isLeaf(r, by) {
		return w.stack.at, nil
	}
	return w.stack.move(old, sp, r.Flags&(rule.Signal|rule.OtherStack) != 0)
}

// isLeaf reports whether a frame may have nothing on the stack: it was interrupted,
// or it calls outlined code and keeps its return address in a register meanwhile. In
// any other, a frame record that points at itself would loop for ever. Where calls
// push the return address, a function may still have popped it: vfork does, because
// its child overwrites that word.
func (w *walk) isLeaf(r *rule.Rule, by Method) bool {
	inRegister := r.RA.How == rule.Sum
	if _, hasLR := w.arch.LR(); !hasLR {
		return inRegister && w.first && by == ByCFI
	}
	return w.first && by != ByFramePointer || by == ByAnalysis && inRegister
}

// caller returns the entry of the caller at pc, nil if there is no code.
func (u *Unwinder) caller(pc uint64, r *rule.Rule) *entry {
	signal := r.Has(rule.Signal)
	next := u.lookUp(task.Addr(pc), signal)
	if !next.executable && !signal {
		return nil
	}
	return next
}

// asyncBit is set by Swift in a saved frame pointer that has an async context below
// it (xnu osfmk/kern/backtrace.c). No user address has it.
const asyncBit = 1 << 60

func (w *walk) dropAsyncBit() {
	if fp := w.Regs.R[w.fp]; fp>>60 == 1 {
		w.Regs.R[w.fp] = fp &^ asyncBit
	}
}

// commit makes next the current frame. old is the sp of the frame before.
func (w *walk) commit(next *entry, place int, old uint64, f rule.Flags) {
	w.dropAsyncBit()
	w.entry, w.first = next, f&rule.Signal != 0
	if place != w.stack.at {
		w.stack.leave(place)
	} else if w.Regs.R[w.sp] < old {
		w.stack.jumps++
	}
}

// final reports whether err ends the walk, so that no other source is queried.
func (u *Unwinder) final(e *entry, err error) (Stop, bool) {
	switch {
	case err == rule.ErrOutermost:
		return Stop{Reason: Bottom}, true
	case err == errBottom && u.walk.broke: // a guess often leads to a word of zeros
		return u.walk.broken, true
	case err == errBottom && e.err != nil: // so does a rule that no better source confirmed
		return Stop{Reason: NoCaller, Err: e.err}, true
	case err == errBottom:
		return Stop{Reason: Bottom}, true
	case err != rule.ErrNotCaptured:
		return Stop{}, false
	}
	s := u.missing(u.walk.Stack.Missed)
	return s, s.Reason == NotCaptured // copying more of the stack is better than a worse method
}

// stop converts an error to the end of the walk.
func (u *Unwinder) stop(err error) Stop {
	switch err {
	case rule.ErrNotCaptured:
		return u.missing(u.walk.Stack.Missed)
	case errNotAbove, errReturned:
		return Stop{Reason: Loop, Err: err}
	case errNotCode, errNotCall, errUnaligned, errElsewhere:
		return Stop{Reason: BadPointer, Err: err}
	}
	return Stop{Reason: NoCaller, Err: err}
}

// missing ends a walk because the word at a was not captured. If the stack continues
// there, or the memory could be a stack, capturing more may help; otherwise the
// address is no pointer into a stack.
func (u *Unwinder) missing(a task.Addr) Stop {
	switch {
	case u.walk.stack.goesOn(a):
		return Stop{Reason: NotCaptured, Need: a, Err: rule.ErrNotCaptured}
	case u.plausible(a):
		if u.walk.entry.rule.Has(rule.OtherStack) { // the frame record begins one word lower, with the frame pointer
			a -= task.Addr(u.walk.arch.PointerSize())
		}
		return Stop{Reason: NotCaptured, Need: a, Err: rule.ErrNotCaptured}
	}
	return Stop{Reason: BadPointer, Err: rule.ErrNotCaptured}
}

// plausible reports whether the target's memory at a may be a stack: whether the word
// there, as it is now, points into code. Any readable memory will do once a signal
// handler or the kernel has led the walk off the captured ranges.
func (u *Unwinder) plausible(a task.Addr) bool {
	w := &u.walk
	p := u.probe[:w.arch.PointerSize()]
	if n, _ := w.code.ReadMemory(p, a); n < len(p) {
		return false
	}
	if w.stack.at < 0 {
		return true
	}
	pc := w.strip(binary.LittleEndian.Uint64(u.probe[:]), rule.Signed)
	return u.lookUp(task.Addr(pc), false).executable
}
