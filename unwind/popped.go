package unwind

import "stacksnap/unwind/rule"

// preserver is a source that can find out which registers a function has not changed,
// or has restored, before an instruction.
type preserver interface {
	Unchanged(q rule.Query) (registers uint64)
}

// unchanged caches the registers that hold the caller's values at a pc, a bit for each.
type unchanged struct {
	asked     bool
	registers uint64
}

// keepPopped completes the step from the innermost frame, which e describes. Compilers
// do not say in an epilogue's tables that a register was popped:
//
//	r = *(cfa - n), and below sp: the register itself
//
// A copy that the kernel made of a running thread has nothing below sp, so that the
// rule has lost such registers. Where the function's instructions agree that a register
// is the caller's again, it keeps its value.
func (u *Unwinder) keepPopped(e *entry) {
	w := &u.walk
	lost := w.captured.Known &^ w.Regs.Known & loaded(&e.rule)
	if lost == 0 {
		return
	}
	if !e.unchanged.asked {
		u.askUnchanged(e)
	}
	for reg := range w.Regs.R {
		if lost&e.unchanged.registers>>reg&1 != 0 {
			w.Regs.R[reg] = w.captured.R[reg]
			w.Regs.Known |= 1 << reg
		}
	}
	w.dropAsyncBit()
}

// loaded returns the registers that a rule loads from the frame, a bit for each.
func loaded(r *rule.Rule) (registers uint64) {
	for _, v := range r.Saved[:min(r.N, rule.MaxSaved)] {
		if v.How == rule.Load && v.Base == rule.CFA {
			registers |= 1 << v.Reg
		}
	}
	return registers
}

func (u *Unwinder) askUnchanged(e *entry) {
	e.unchanged.asked = true
	q := u.query(e)
	for _, s := range u.opts.Sources {
		if p, ok := s.Source.(preserver); ok {
			e.unchanged.registers |= p.Unchanged(q)
		}
	}
}
