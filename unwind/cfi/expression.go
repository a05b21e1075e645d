package cfi

import (
	"errors"
	"fmt"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Limits of one expression. Real ones have a dozen operations.
const (
	maxSteps = 1024
	maxTerms = 32
)

var (
	errExpression = errors.New("malformed DWARF expression")
	// errSymbolic: the expression cannot be written as a rule.Value.
	errSymbolic = errors.New("expression is no simple value")
)

// evaluator evaluates one expression (DWARF 5, 2.5). With a state it computes a
// number. Without one it computes a register plus an offset, if that is what the
// expression is, which can be cached as a rule.
type evaluator struct {
	sec   *section
	state *rule.State // nil: registers are symbols
	pc    uint64      // of the frame; known even without a state
	arch  task.Arch
	terms [maxTerms]term
	depth int
}

// eval runs the expression in code on a stack that starts with init.
func (e *evaluator) eval(code cursor, init ...term) (term, error) {
	e.depth = copy(e.terms[:], init)
	for steps := 0; code.left() > 0; steps++ {
		if steps == maxSteps {
			return term{}, fmt.Errorf("%w: runs on and on", errExpression)
		}
		if err := e.step(&code, code.u8()); err != nil {
			return term{}, err
		}
		if code.bad {
			return term{}, fmt.Errorf("%w: an operand is missing", errExpression)
		}
	}
	return e.pop()
}

func (e *evaluator) push(t term) error {
	if e.depth == maxTerms {
		return fmt.Errorf("%w: too many values", errExpression)
	}
	if t.kind == number && e.sec.pointerSize == 4 {
		t.n &= 1<<32 - 1
	}
	e.terms[e.depth] = t
	e.depth++
	return nil
}

func (e *evaluator) pushNumber(n uint64) error { return e.push(term{n: n}) }

func (e *evaluator) pop() (term, error) {
	if e.depth == 0 {
		return term{}, fmt.Errorf("%w: a value is missing", errExpression)
	}
	e.depth--
	return e.terms[e.depth], nil
}

// popNumber pops a value that must be a number.
func (e *evaluator) popNumber() (uint64, error) {
	t, err := e.pop()
	if err == nil && t.kind != number {
		err = errSymbolic
	}
	return t.n, err
}

// pushRegister pushes reg + off.
func (e *evaluator) pushRegister(reg uint64, off int64) error {
	r := task.Reg(e.sec.register(reg))
	if r == e.arch.PC() {
		return e.pushNumber(e.pc + uint64(off))
	}
	if e.state == nil {
		return e.push(term{linear, r, uint64(off)})
	}
	v, ok := e.state.Regs.Value(r)
	if !ok {
		return rule.ErrUnknownRegister
	}
	return e.pushNumber(v + uint64(off))
}

// deref replaces the address on top of the stack by the size bytes at that address.
func (e *evaluator) deref(size int) error {
	t, err := e.pop()
	if err != nil {
		return err
	}
	if size < 1 || size > e.sec.pointerSize {
		return fmt.Errorf("%w: load of %d bytes", errExpression, size)
	}
	if t.kind == linear && size == e.sec.pointerSize {
		t.kind = pointed
		return e.push(t)
	}
	if t.kind != number || e.state == nil {
		return errSymbolic
	}
	v, ok := e.state.Stack.Pointer(task.Addr(t.n))
	if !ok {
		return rule.ErrNotCaptured
	}
	return e.pushNumber(v & (1<<(8*size) - 1))
}
