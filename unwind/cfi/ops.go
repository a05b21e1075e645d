package cfi

import "fmt"

// Instructions (DWARF 5, table 7.29), and vendors' extensions that occur in practice
// (binutils include/dwarf2.def).
const (
	opNop              = 0x00
	opSetLoc           = 0x01
	opAdvanceLoc1      = 0x02
	opAdvanceLoc2      = 0x03
	opAdvanceLoc4      = 0x04
	opOffsetExtended   = 0x05
	opRestoreExtended  = 0x06
	opUndefined        = 0x07
	opSameValue        = 0x08
	opRegister         = 0x09
	opRememberState    = 0x0a
	opRestoreState     = 0x0b
	opDefCFA           = 0x0c
	opDefCFARegister   = 0x0d
	opDefCFAOffset     = 0x0e
	opDefCFAExpression = 0x0f
	opExpression       = 0x10
	opOffsetExtendedSF = 0x11
	opDefCFASF         = 0x12
	opDefCFAOffsetSF   = 0x13
	opValOffset        = 0x14
	opValOffsetSF      = 0x15
	opValExpression    = 0x16

	opMIPSAdvanceLoc8   = 0x1d
	opNegateRAStatePC   = 0x2c // AArch64: signed with the pc as well
	opNegateRAState     = 0x2d // AArch64; SPARC's GNU_window_save elsewhere
	opGNUArgsSize       = 0x2e
	opGNUNegativeOffset = 0x2f
)

// stepLocation executes an instruction that moves the location.
func (m *machine) stepLocation(c *cursor, op uint8) (next uint64, ok bool, err error) {
	switch op {
	case opSetLoc:
		start := m.loc
		next, err = c.encoded(m.cie.encoding, m.cie.pointerSize, bases{function: &start})
		if err == nil && next < m.loc {
			err = fmt.Errorf("%w: location runs backwards", errMalformed)
		}
	case opAdvanceLoc1:
		next, err = m.advance(uint64(c.u8()))
	case opAdvanceLoc2:
		next, err = m.advance(uint64(c.u16()))
	case opAdvanceLoc4:
		next, err = m.advance(uint64(c.u32()))
	case opMIPSAdvanceLoc8:
		next, err = m.advance(c.u64())
	default:
		return 0, false, nil
	}
	return next, true, err
}

// stepCFA executes an instruction that defines the CFA.
func (m *machine) stepCFA(c *cursor, op uint8) bool {
	cfa := &m.row.cfa
	switch op {
	case opDefCFA:
		*cfa = column{kind: register, reg: m.sec.register(c.uleb()), off: int64(c.uleb())}
	case opDefCFASF:
		*cfa = column{kind: register, reg: m.sec.register(c.uleb()), off: m.factored(uint64(c.sleb()))}
	case opDefCFARegister:
		cfa.kind, cfa.reg = register, m.sec.register(c.uleb())
	case opDefCFAOffset:
		cfa.off = int64(c.uleb())
	case opDefCFAOffsetSF:
		cfa.off = m.factored(uint64(c.sleb()))
	case opDefCFAExpression:
		*cfa = m.block(c, valExpression)
	default:
		return false
	}
	return true
}

// stepRegister executes an instruction that sets one register's rule.
func (m *machine) stepRegister(c *cursor, op uint8) bool {
	if op < opOffsetExtended || op == opRememberState || op == opRestoreState {
		return false
	}
	if op > opValExpression && op != opGNUNegativeOffset {
		return false
	}
	reg := c.uleb()
	switch op {
	case opOffsetExtended:
		m.set(reg, column{kind: offset, off: m.factored(c.uleb())})
	case opOffsetExtendedSF:
		m.set(reg, column{kind: offset, off: m.factored(uint64(c.sleb()))})
	case opGNUNegativeOffset:
		m.set(reg, column{kind: offset, off: -m.factored(c.uleb())})
	case opValOffset:
		m.set(reg, column{kind: valOffset, off: m.factored(c.uleb())})
	case opValOffsetSF:
		m.set(reg, column{kind: valOffset, off: m.factored(uint64(c.sleb()))})
	case opRestoreExtended:
		m.restore(reg)
	case opUndefined:
		m.set(reg, column{kind: undefined})
	case opSameValue:
		m.set(reg, column{kind: same})
	case opRegister:
		m.set(reg, column{kind: register, reg: m.sec.register(c.uleb())})
	case opExpression:
		m.set(reg, m.block(c, expression))
	case opValExpression:
		m.set(reg, m.block(c, valExpression))
	}
	return true
}

// block reads an expression's length and skips its bytes.
func (m *machine) block(c *cursor, k kind) column {
	n := c.uleb()
	at := c.pos
	if c.take(n); c.bad || n > maxProgram {
		c.bad = true
		return column{}
	}
	return column{kind: k, off: int64(at), n: int32(n)}
}

// stepState executes the remaining instructions: those on whole states, and no-ops.
func (m *machine) stepState(c *cursor, op uint8) error {
	switch op {
	case opNop:
	case opGNUArgsSize:
		c.uleb() // used by exceptions only
	case opNegateRAState, opNegateRAStatePC:
		m.row.signed = !m.row.signed
	case opRememberState:
		if m.depth == maxStates {
			return errStates
		}
		m.states[m.depth] = m.row
		m.depth++
	case opRestoreState:
		if m.depth == 0 {
			return errStates
		}
		m.depth--
		m.row = m.states[m.depth]
	default:
		return fmt.Errorf("call frame instruction %#x is not known", op)
	}
	return nil
}
