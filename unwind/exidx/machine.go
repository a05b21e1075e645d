package exidx

import (
	"fmt"
	"math/bits"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// The ARM registers used here.
const (
	regSP = 13
	regLR = 14
	regPC = 15
)

// place is an address on the stack: up bytes above a register of the frame, or above
// the value of a word on the stack.
type place struct {
	from rule.Value // a Sum or a Load, to which up is added
	up   int32
}

// machine runs the unwind program of one function (EHABI, 10.3). It tracks where
// values are, not the values.
type machine struct {
	vsp    place // the virtual stack pointer
	saved  [16]place
	popped uint16 // which of saved are set, a bit each
}

// maxUp bounds the size of a frame, in bytes.
const maxUp = 1 << 30

// errProgram is the error of an undefined or meaningless instruction.
func errProgram(op uint8) error {
	return fmt.Errorf("%w: instruction %#02x", ErrMalformed, op)
}

// run executes a program and returns the rule that it amounts to.
func run(program []byte) (rule.Rule, error) {
	m := machine{vsp: place{from: rule.Add(regSP, 0)}}
	for c := (cursor{program}); len(c.rest) > 0; {
		op := c.next()
		if op == opFinish {
			break
		}
		if err := m.step(op, &c); err != nil {
			return rule.Rule{}, err
		}
		if m.vsp.up < -maxUp || m.vsp.up > maxUp {
			return rule.Rule{}, errProgram(op)
		}
	}
	return m.rule(), nil
}

// rule returns the rule of the executed program, without registers that calls need
// not preserve:
//
//	cfa = vsp; pc = *(where it was popped), else lr; r4 … r11 = *(…)
func (m *machine) rule() rule.Rule {
	r := rule.Rule{CFA: m.vsp.from}
	if r.CFA.How == rule.Sum {
		r.CFA.Off += m.vsp.up
	} else {
		r.Loaded.Over = m.vsp.up
	}
	for reg := task.Reg(4); reg <= 11; reg++ {
		if m.has(reg) {
			r.Save(reg, m.value(reg))
		}
	}
	switch {
	case !m.has(regPC) && !m.has(regLR):
		r.RA = rule.Add(regLR, 0)
	case !m.has(regPC):
		r.RA = m.value(regLR)
	default:
		r.RA = m.value(regPC)
	}
	return r
}

func (m *machine) has(reg task.Reg) bool { return m.popped>>reg&1 != 0 }

// value returns where a popped register was saved.
func (m *machine) value(reg task.Reg) rule.Value {
	switch p := m.saved[reg]; {
	case p.from == m.vsp.from:
		return rule.At(rule.CFA, p.up-m.vsp.up)
	case p.from.How == rule.Sum:
		return rule.At(p.from.Base, p.up)
	}
	return rule.Value{} // above a word on the stack, which no rule can express
}

// pop pops the registers of a mask, the lowest first.
func (m *machine) pop(mask uint16) {
	for ; mask != 0; mask &= mask - 1 {
		reg := bits.TrailingZeros16(mask)
		m.saved[reg] = m.vsp
		m.popped |= 1 << reg
		m.vsp.up += 4
	}
}

// set moves the stack pointer to the value of a register, popped or current.
func (m *machine) set(reg task.Reg, op uint8) error {
	switch p := m.saved[reg]; {
	case !m.has(reg):
		m.vsp = place{from: rule.Add(reg, 0)}
	case p.from.How == rule.Sum:
		m.vsp = place{from: rule.At(p.from.Base, p.up)}
	default:
		return errProgram(op)
	}
	return nil
}
