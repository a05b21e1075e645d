package analysis

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// rule is how the caller is found from state s. inCall: a call has been made
// from there, which has not preserved all registers.
//
//	cfa = sp + a, or a register that is known to be cfa - a
//	pc  = *(cfa - w) where calls push it; else lr, or where lr was saved
//	r   = *(cfa + slot) for those that were changed since they were saved
func (m *machine) rule(s *state, inCall bool) (rule.Rule, error) {
	var r rule.Rule
	if inCall {
		m.called(s)
	}
	base, ok := m.frameBase(s)
	if !ok {
		return r, ErrDisagree
	}
	r.CFA = rule.Add(task.Reg(m.dwarf[base]), -s.reg[base].off)
	if r.RA, ok = m.returnAddress(s, &r); !ok {
		return rule.Rule{}, ErrDisagree
	}
	for i, k := range m.kept {
		switch was := (s.reg[k] == entryOf(k)); {
		case was && !(inCall && k == m.fp && m.stands(s, s.slot[i])) || k == m.lr:
		case s.slot[i] != 0:
			r.Save(task.Reg(m.dwarf[k]), rule.At(rule.CFA, s.slot[i]))
		case k == m.fp:
			return rule.Rule{}, ErrDisagree
		default:
			r.Save(task.Reg(m.dwarf[k]), rule.Value{})
		}
	}
	return r, nil
}

// stands tells whether a save slot is above sp, where nothing overwrites it. The
// caller's fp is taken from there even where the function has left fp alone: what
// it has called may not have, as runtime.mstart of Go.
func (m *machine) stands(s *state, slot int32) bool {
	return slot != 0 && s.reg[m.sp].kind == frame && s.reg[m.sp].off <= slot
}

// frameBase is a register that is a known distance from the CFA: fp, which holds
// even where a callee has moved sp for its caller, sp, or another.
func (m *machine) frameBase(s *state) (uint8, bool) {
	for _, r := range [...]uint8{m.fp, m.sp} {
		if s.reg[r].kind == frame {
			return r, true
		}
	}
	for r := range s.reg {
		if s.reg[r].kind == frame {
			return uint8(r), true
		}
	}
	return 0, false
}

// returnAddress is where lr was saved, or a register that holds it; what was
// saved below sp comes last, as it may be overwritten.
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
		r.Save(at, rule.Value{}) // it is the caller's again, and never a return address twice
	}
	return rule.Add(at, 0)
}
