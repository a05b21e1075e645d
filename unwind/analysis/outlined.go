package analysis

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// maxOutlined is the maximum size of outlined code, in bytes.
const maxOutlined = 128

// outlined executes, in place, a call to code that the compiler moved out of several
// functions to share it (OUTLINED_FUNCTION_n), and that may make or remove a frame.
// It reports false if the callee is no such code.
func (w *walk) outlined(s *state, target int64) bool {
	if w.lr == numRegisters || w.mem == nil {
		return false
	}
	code := w.calleeCode[:]
	n, _ := w.mem.ReadMemory(code, w.start+task.Addr(target))
	after := &w.beside
	*after = *s
	after.reg[w.lr] = value{}
	for off := uint32(0); off+4 <= uint32(n); off += 4 {
		in := &w.besides
		w.step(w.machine, code[:n], off, after, in)
		if in.flow == next {
			continue
		}
		switch same := after.reg[w.sp] == s.reg[w.sp]; {
		case in.flow == ret && !(w.peek && same): // with peek the callee may be any function
		case in.flow == jump && same: // a tail jump to another function
			w.called(after)
		default:
			return false
		}
		*s = *after
		return true
	}
	return false
}

// unfinished reports whether a call in state s is probably to outlined code: another
// register holds lr, which a real callee would overwrite, or the frame record is
// stored and fp does not point to it yet.
func (m *machine) unfinished(s *state) bool {
	if m.lr == numRegisters {
		return false
	}
	return m.heldElsewhere(s) || m.slotOf(s, m.fp) != 0 && s.reg[m.fp] == entryOf(m.fp)
}

// leavesFrame executes the call at pc in w.here if it is to outlined code that
// removes the frame. That code's own rule (see fragment) assumes sp as it leaves it.
func (w *walk) leavesFrame() bool {
	in := w.instHere()
	s := w.here
	if !in.direct || !w.heldElsewhere(&s) || !w.outlined(&s, in.target) || s.reg[w.sp].off <= w.here.reg[w.sp].off {
		return false
	}
	w.here = s
	return true
}

// heldElsewhere reports whether a register other than lr holds lr's value on entry.
func (m *machine) heldElsewhere(s *state) bool {
	for i := range s.reg {
		if v := s.reg[i]; uint8(i) != m.lr && v.num == m.lr && (v.kind == entry || v.kind == signed) {
			return true
		}
	}
	return false
}

// fragment is the rule of outlined code, which is one run of instructions up to a
// ret. Its effect on sp, by k, shows where it comes from:
//
//	k ≤ 0  of a prologue or body, called: cfa = sp on entry; pc = lr
//	k > 0  of an epilogue, jumped to:     cfa = sp on entry + k; pc = lr; what it
//	       is still to load are registers of the caller
func (w *walk) fragment() (rule.Rule, error) {
	here, end, ok := w.straight()
	if !ok || w.lr == numRegisters || end.reg[w.sp].kind != frame || here.reg[w.sp].kind != frame ||
		here.reg[w.lr] != entryOf(w.lr) || end.reg[w.lr] != entryOf(w.lr) {
		return rule.Rule{}, ErrUnbalanced
	}
	k := max(end.reg[w.sp].off, 0)
	r := rule.Rule{
		CFA: rule.Add(task.Reg(w.dwarf[w.sp]), k-here.reg[w.sp].off),
		RA:  rule.Add(task.Reg(w.dwarf[w.lr]), 0),
	}
	for i, reg := range w.kept {
		v := rule.Value{}
		switch was, will := here.reg[reg], end.reg[reg]; {
		case was.kind == above || was == entryOf(reg) && will.kind != above:
			continue // already loaded, or not changed so far
		case will.kind == above && k > 0:
			v = rule.At(rule.CFA, will.off-k)
		case here.slot[i] != 0:
			v = rule.At(rule.CFA, here.slot[i]-k)
		}
		r.Save(task.Reg(w.dwarf[reg]), v)
	}
	return r, nil
}

// straight returns the states before pc and at the ret, if no jump is in between.
func (w *walk) straight() (here, end state, ok bool) {
	s := &w.now
	*s = w.entered()
	for off := uint32(0); off < uint32(min(len(w.code), maxOutlined)); {
		if off <= w.pc {
			here = *s
		}
		in := &w.inst
		w.step(w.machine, w.code, off, s, in)
		off += max(in.size, 1)
		if in.flow == ret {
			return here, *s, w.pc < off
		}
		if in.flow != next {
			break
		}
	}
	return here, end, false
}
