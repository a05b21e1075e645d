package unwind

import "stacksnap/unwind/rule"

// distances is a source that knows how far from the CFA sp and the frame pointer
// are before an instruction.
type distances interface {
	Distances(q rule.Query) (sp, fp int32, ok bool)
}

// apart is how far the frame pointer is above sp.
type apart struct {
	asked, known bool
	by           int32
}

// findFP goes on to the caller by a rule that lacks the frame pointer alone, as in
// a thread that was read where it waits: sp is known, and the function's
// instructions tell how far the two are apart. They must put the frame pointer
// where the rule has it, and the way must lead to behind a call.
func (u *Unwinder) findFP(e *entry) bool {
	w, r := &u.walk, e.rule
	if _, known := w.Regs.Value(w.fp); known || r.Wide != nil || r.CFA.How != rule.Sum || r.CFA.Base != w.fp {
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
