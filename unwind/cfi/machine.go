package cfi

import (
	"errors"
	"fmt"

	"stacksnap/task"
)

// Limits of one program. Real ones have at most a few hundred bytes a function part
// and one remembered state.
const (
	maxProgram = 1 << 20 // bytes
	maxStates  = 16      // remembered
)

var errStates = errors.New("call frame information remembers or restores too many states")

// machine runs the instructions of a CIE and an FDE up to the row for target.
type machine struct {
	sec     *section
	cie     *cie
	loc     uint64 // the address from which the current row is valid
	target  uint64
	row     row
	initial row // the row after the CIE's instructions
	states  [maxStates]row
	depth   int
}

// rowAt returns the row of f for vmaddr.
func (s *section) rowAt(f *fde, vmaddr uint64) (*row, error) {
	m := machine{sec: s, cie: f.cie, target: 1<<64 - 1}
	if err := m.run(f.cie.program); err != nil {
		return nil, fmt.Errorf("CIE at %#x: %w", f.cie.off, err)
	}
	m.initial = m.row
	m.loc, m.target = f.start, vmaddr
	if err := m.run(f.program); err != nil {
		return nil, fmt.Errorf("FDE at %#x: %w", f.off, err)
	}
	r := m.row
	return &r, nil
}

// run executes instructions up to the first that advances past the target.
func (m *machine) run(c cursor) error {
	if c.left() > maxProgram {
		return fmt.Errorf("%w: %d bytes of instructions", errMalformed, c.left())
	}
	for c.left() > 0 {
		op := c.u8()
		next, err := m.step(&c, op)
		if err != nil {
			return err
		}
		if c.bad {
			return errMalformed
		}
		if next > m.target {
			return nil
		}
		m.loc = next
	}
	return nil
}

// Instructions with an operand in the low six bits (DWARF 5, table 7.29).
const (
	opAdvanceLoc = 0x40
	opOffset     = 0x80
	opRestore    = 0xc0
)

// step executes one instruction. It returns the location from which the next is
// valid: m.loc, unless the instruction advances it.
func (m *machine) step(c *cursor, op uint8) (next uint64, err error) {
	low := uint64(op & 0x3f)
	switch op & 0xc0 {
	case opAdvanceLoc:
		return m.advance(low)
	case opOffset:
		m.set(low, column{kind: offset, off: m.factored(c.uleb())})
		return m.loc, nil
	case opRestore:
		m.restore(low)
		return m.loc, nil
	}
	if next, ok, err := m.stepLocation(c, op); ok {
		return next, err
	}
	if m.stepCFA(c, op) || m.stepRegister(c, op) {
		return m.loc, nil
	}
	return m.loc, m.stepState(c, op)
}

// advance returns the location delta code units ahead. Wrapping around is an error.
func (m *machine) advance(delta uint64) (uint64, error) {
	next := m.loc + delta*m.cie.codeAlign
	if next < m.loc {
		return 0, fmt.Errorf("%w: location runs backwards", errMalformed)
	}
	return next, nil
}

// factored multiplies an unsigned or signed operand by the data alignment.
func (m *machine) factored(n uint64) int64 { return int64(n) * m.cie.dataAlign }

// set sets a register's rule.
func (m *machine) set(reg uint64, col column) {
	if n := m.sec.register(reg); n != noRegister {
		m.row.columns[n] = col
	}
}

// restore resets a register's rule to that of the CIE.
func (m *machine) restore(reg uint64) {
	if n := m.sec.register(reg); n != noRegister {
		m.row.columns[n] = m.initial.columns[n]
	}
}

// register maps the section's register number to DWARF's, or to noRegister.
func (s *section) register(reg uint64) uint8 {
	if reg >= task.MaxRegisters {
		return noRegister
	}
	if s.swapped && (reg == 4 || reg == 5) {
		reg ^= 1
	}
	return uint8(reg)
}
