package cfi

import (
	"errors"
	"math"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

var (
	errNoCFA    = errors.New("call frame information has no CFA")
	errNoReturn = errors.New("call frame information does not tell the return address")
)

// converter converts a row to a rule.
type converter struct {
	sec  *section
	arch task.Arch
	pc   uint64 // of the frame
}

// rule converts a row to a rule. A row that does not fit the plain fields becomes an
// expression rule as a whole.
func (v *converter) rule(r *row, ci *cie) (rule.Rule, error) {
	flags := v.flags(r, ci)
	ra := v.sec.register(ci.ra)
	if ra == noRegister {
		return rule.Rule{}, errNoReturn
	}
	if r.columns[ra].kind == undefined {
		return rule.Rule{Flags: flags | rule.Outermost}, nil
	}
	if r.cfa.kind == unspecified || r.cfa.kind == register && r.cfa.reg == noRegister {
		return rule.Rule{}, errNoCFA
	}
	if r.columns[ra].kind <= same && task.Reg(ra) == v.arch.PC() {
		return rule.Rule{}, errNoReturn
	}
	out := rule.Rule{Flags: flags}
	if !v.fill(&out, r, ra) {
		return rule.Rule{Flags: flags, Expression: &expressionRule{v.sec, v.arch, *r, ra, flags}}, nil
	}
	return out, nil
}

func (v *converter) flags(r *row, ci *cie) rule.Flags {
	var f rule.Flags
	if ci.signal {
		f |= rule.Signal
	}
	if r.signed {
		f |= rule.Signed
	}
	return f
}

// fill sets the plain fields of out. It reports false when the row does not fit.
func (v *converter) fill(out *rule.Rule, r *row, ra uint8) bool {
	var ok bool
	if out.CFA, ok = v.value(r.cfa, task.Reg(r.cfa.reg)); !ok {
		return false
	}
	if out.RA, ok = v.value(r.columns[ra], task.Reg(ra)); !ok {
		return false
	}
	for i, col := range r.columns[:v.arch.NumRegisters()] {
		reg := task.Reg(i)
		if col.kind == unspecified || col.kind == same || reg == task.Reg(ra) || reg == v.arch.PC() {
			continue
		}
		saved, ok := v.value(col, reg)
		if !ok || !out.Save(reg, saved) {
			return false
		}
	}
	return true
}

// value converts a column if it is simple enough. self is the register that the
// column is for.
func (v *converter) value(col column, self task.Reg) (rule.Value, bool) {
	if col.kind == expression || col.kind == valExpression {
		return v.simplify(col, self)
	}
	if col.off != int64(int32(col.off)) {
		return rule.Value{}, false
	}
	off := int32(col.off)
	switch col.kind {
	case unspecified, same:
		return rule.Add(self, 0), true
	case offset:
		return rule.At(rule.CFA, off), true
	case valOffset:
		return rule.Add(rule.CFA, off), true
	case register:
		if col.reg == noRegister {
			return rule.Value{}, true
		}
		return rule.Add(task.Reg(col.reg), off), true
	}
	return rule.Value{}, true // undefined: lost
}

// simplify evaluates an expression symbolically. The stack starts with the CFA for a
// register's expression, and empty for the CFA's.
func (v *converter) simplify(col column, self task.Reg) (rule.Value, bool) {
	e := evaluator{sec: v.sec, arch: v.arch, pc: v.pc}
	t, err := e.eval(v.sec.block(col), term{linear, rule.CFA, 0})
	if err != nil || t.kind == number {
		return rule.Value{}, false
	}
	off := int64(t.n)
	if off < math.MinInt32 || off > math.MaxInt32 {
		return rule.Value{}, false
	}
	load := t.kind == pointed
	if col.kind == expression {
		if load {
			return rule.Value{}, false
		}
		load = true
	}
	if load {
		return rule.At(t.reg, int32(off)), true
	}
	return rule.Add(t.reg, int32(off)), true
}

// block returns the bytes of an expression.
func (s *section) block(col column) cursor {
	at := int(col.off)
	return cursor{data: s.Data[at : at+int(col.n)], addr: s.VMAddr + uint64(at)}
}
