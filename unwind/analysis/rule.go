package analysis

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// rule returns how to find the caller from state s. inCall: the function is in a
// call, which does not preserve all registers. withoutFP: the function does not
// preserve fp, so fp may be lost.
//
//	cfa = sp + a, or a register that is known to be cfa - a; else *(sp + b) + a,
//	      or *(sp + c·r + b) + a; else sp + *(sp + b) + a, or sp + r + a
//	pc  = *(cfa - w) where calls push it; else lr, or where lr was saved
//	r   = *(cfa + slot), or *(sp + b), for those that were changed since they were saved;
//	      lost, if they were not saved
func (m *machine) rule(s *state, inCall, withoutFP bool) (rule.Rule, error) {
	var r rule.Rule
	if inCall {
		m.called(s)
	}
	if !m.setCFA(&r, s) {
		return r, ErrDisagree
	}
	var ok bool
	if r.RA, ok = m.returnAddress(s, &r); !ok {
		return rule.Rule{}, ErrDisagree
	}
	for i, k := range m.kept {
		switch was := (s.reg[k] == entryOf(k)); {
		case was && !(k == m.fp && m.intact(s, s.slot[i])) || k == m.lr:
		case s.slot[i] != 0:
			r.Save(task.Reg(m.dwarf[k]), rule.At(rule.CFA, s.slot[i]))
		case s.below[i] != 0 && s.below[i] >= s.reg[m.sp].off && s.reg[m.sp].kind == aligned:
			r.Save(task.Reg(m.dwarf[k]), rule.At(task.Reg(m.dwarf[m.sp]), s.below[i]-s.reg[m.sp].off))
		case k == m.fp && !withoutFP:
			return rule.Rule{}, ErrDisagree
		default:
			r.Save(task.Reg(m.dwarf[k]), rule.Value{})
		}
	}
	return r, nil
}

// intact reports whether a save slot is above sp, where nothing overwrites it. The
// caller's fp is taken from its slot even if this function has not changed fp: its
// callees may have, as Go's runtime.mstart, assembly with other uses for fp, and
// outlined code that sets fp to the frame record.
func (m *machine) intact(s *state, slot int32) bool {
	sp := s.reg[m.sp]
	return slot != 0 && (sp.kind == frame && sp.off <= slot || sp.kind == aligned)
}

// setCFA sets r's CFA from state s. It reports false if the CFA is unknown.
func (m *machine) setCFA(r *rule.Rule, s *state) bool {
	if base, ok := m.frameBase(s); ok {
		r.CFA = rule.Add(task.Reg(m.dwarf[base]), -s.reg[base].off)
		return true
	}
	sp, h := s.reg[m.sp], &s.home
	switch {
	case sp.kind != aligned:
		return false
	case !h.known || h.at < sp.off:
		return m.setMovedCFA(r, s)
	}
	r.CFA = rule.At(task.Reg(m.dwarf[m.sp]), h.at-sp.off)
	r.Loaded.Over = -h.off
	if h.gap {
		r.Loaded.Over, r.Loaded.Distance = -h.off-sp.off, true
	}
	if h.scale != 0 {
		r.Loaded.Index, r.Loaded.Scale = task.Reg(m.dwarf[h.index]), h.scale
	}
	return true
}

// setMovedCFA sets the CFA where a register holds the distance that sp was moved.
func (m *machine) setMovedCFA(r *rule.Rule, s *state) bool {
	for i, v := range s.reg {
		if v.kind == gap {
			r.CFA = rule.Value{How: rule.Indexed, Base: task.Reg(m.dwarf[m.sp]), Off: -v.off - s.reg[m.sp].off}
			r.Loaded = rule.Loaded{Index: task.Reg(m.dwarf[i]), Scale: 1}
			return true
		}
	}
	return false
}

// frameBase returns a register at a known distance from the CFA: fp first, which is
// valid even after a callee has moved sp for its caller, then sp, then any other.
func (m *machine) frameBase(s *state) (uint8, bool) {
	for _, r := range [...]uint8{m.fp, m.sp} {
		if s.reg[r].kind == frame && !(s.moved && r == m.sp) {
			return r, true
		}
	}
	for r := range s.reg {
		if s.reg[r].kind == frame && uint8(r) != m.sp {
			return uint8(r), true
		}
	}
	return 0, false
}

// returnAddress returns where lr was saved, or the register that holds it. A slot
// below sp is the last choice, as it may be overwritten.
func (m *machine) returnAddress(s *state, r *rule.Rule) (rule.Value, bool) {
	if m.lr == numRegisters {
		return rule.At(rule.CFA, -m.word), true
	}
	off, sp := m.slotOf(s, m.lr), s.reg[m.sp]
	if off != 0 && (sp.kind != frame || sp.off <= off) {
		return rule.At(rule.CFA, off), true
	}
	if k := s.reg[m.lr].kind; k == entry || k == signed {
		return m.heldIn(s, m.lr, r), true
	}
	for i := range s.reg {
		if v := s.reg[i]; v.num == m.lr && (v.kind == entry || v.kind == signed) {
			return m.heldIn(s, uint8(i), r), true
		}
	}
	return rule.At(rule.CFA, off), off != 0
}

func (m *machine) heldIn(s *state, reg uint8, r *rule.Rule) rule.Value {
	if s.reg[reg].kind == signed {
		r.Flags |= rule.Signed
	}
	at := task.Reg(m.dwarf[reg])
	if reg != m.lr {
		r.Save(at, rule.Value{}) // the register is the caller's again; a return address is used once
	}
	return rule.Add(at, 0)
}
