package cfi

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// expressionRule is a row with expressions that depend on registers, with
// offsets beyond 2 GB, or with many registers. It implements [rule.Expression].
type expressionRule struct {
	sec   *section
	arch  task.Arch
	row   row
	ra    uint8
	flags rule.Flags
}

// Apply implements [rule.Expression].
func (w *expressionRule) Apply(s *rule.State) error {
	frame := *s
	cfa, err := w.value(&frame, w.row.cfa, task.Reg(w.row.cfa.reg), 0)
	if err != nil {
		return err
	}
	pc, err := w.value(&frame, w.row.columns[w.ra], task.Reg(w.ra), cfa)
	if err != nil {
		return err
	}
	s.Return(pc, cfa, w.flags)
	for i, col := range w.row.columns[:w.arch.NumRegisters()] {
		reg := task.Reg(i)
		if col.kind == unspecified || col.kind == same || i == int(w.ra) || reg == w.arch.PC() {
			continue
		}
		if x, err := w.value(&frame, col, reg, cfa); err == nil {
			s.Regs.Set(reg, x)
		} else {
			s.Regs.Forget(reg)
		}
	}
	return nil
}

// value evaluates one column in the frame s.
func (w *expressionRule) value(s *rule.State, col column, self task.Reg, cfa uint64) (uint64, error) {
	if col.kind == expression || col.kind == valExpression {
		return w.evaluate(s, col, cfa)
	}
	base := cfa
	switch col.kind {
	case undefined:
		return 0, rule.ErrUnknownRegister
	case unspecified, same:
		return s.Value(rule.Add(self, 0), 0)
	case register:
		x, ok := s.Regs.Value(task.Reg(col.reg))
		if !ok {
			return 0, rule.ErrUnknownRegister
		}
		base = x
	}
	base += uint64(col.off)
	if col.kind == offset {
		return w.load(s, base)
	}
	return base, nil
}

func (w *expressionRule) evaluate(s *rule.State, col column, cfa uint64) (uint64, error) {
	e := evaluator{sec: w.sec, state: s, arch: w.arch, pc: uint64(s.Regs.PC())}
	t, err := e.eval(w.sec.block(col), term{n: cfa})
	if err != nil {
		return 0, err
	}
	if col.kind == valExpression {
		return t.n, nil
	}
	return w.load(s, t.n)
}

func (w *expressionRule) load(s *rule.State, at uint64) (uint64, error) {
	if w.sec.pointerSize == 4 {
		at &= 1<<32 - 1
	}
	x, ok := s.Stack.Pointer(task.Addr(at))
	if !ok {
		return 0, rule.ErrNotCaptured
	}
	return x, nil
}
