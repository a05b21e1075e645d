package unwind

import "stacksnap/unwind/rule"

// distances is a source that can compute how far sp and the frame pointer are from
// the CFA before an instruction.
type distances interface {
	Distances(q rule.Query) (sp, fp int32, ok bool)
}

// apart caches the distance from sp up to the frame pointer.
type apart struct {
	asked, known bool
	by           int32
}

// findFP steps to the caller by a rule whose only unknown register is the frame
// pointer, as in a thread sampled while it waits. sp is known, and the function's
// instructions say how far the frame pointer is above it. The result counts only if
// it agrees with the rule and the return address follows a call.
func (u *Unwinder) findFP(e *entry) bool {
	w, r := &u.walk, e.rule
	if _, known := w.Regs.Value(w.fp); known || r.Expression != nil || r.CFA.How != rule.Sum || r.CFA.Base != w.fp {
		return false
	}
	if !e.apart.asked {
		u.askApart(e)
	}
	if !e.apart.known {
		return false
	}
	w.Regs.Set(w.fp, w.Regs.R[w.sp]+uint64(int64(e.apart.by)))
	r.Flags |= rule.Unproven
	if u.try(&r, e.by) == nil {
		return true
	}
	w.Regs.Forget(w.fp)
	return false
}

func (u *Unwinder) askApart(e *entry) {
	e.apart.asked = true
	q := u.query(e)
	for _, s := range u.opts.Sources {
		d, ok := s.Source.(distances)
		if !ok {
			continue
		}
		if sp, fp, ok := d.Distances(q); ok && fp == -e.rule.CFA.Off {
			e.apart.known, e.apart.by = true, fp-sp
		}
	}
}
