package exidx

import (
	"math/bits"

	"stacksnap/task"
)

// Instructions with a fixed opcode (EHABI, 10.3, table 4).
const (
	opFinish   = 0xb0
	opPopLow   = 0xb1 // r0 … r3 by a mask
	opAddLarge = 0xb2
	opPopVFPX  = 0xb3 // as FSTMFDX saved them
	opPopAuth  = 0xb4 // the return address's authentication code
	opModifier = 0xb5 // the modifier of that code
	opPopWMMX  = 0xc6
	opPopWCGR  = 0xc7
	opPopHigh  = 0xc8 // d16 and up
	opPopVFP   = 0xc9 // as VPUSH saved them
)

// step executes the instruction op; c has its remaining bytes.
func (m *machine) step(op uint8, c *cursor) error {
	low := uint16(op & 7)
	switch {
	case op < 0x40:
		m.vsp.up += int32(op&0x3f)<<2 + 4
	case op < 0x80:
		m.vsp.up -= int32(op&0x3f)<<2 + 4
	case op < 0x90:
		return m.popMask(uint16(op&0xf)<<8 | uint16(c.next()))
	case op < 0xa0:
		if reg := task.Reg(op & 0xf); reg != regSP && reg != regPC {
			return m.set(reg, op)
		}
		return errProgram(op)
	case op < 0xb0:
		m.pop((2<<low - 1) << 4) // r4 to r4+low
		if op >= 0xa8 {
			m.pop(1 << regLR)
		}
	case op < 0xb8:
		return m.special(op, c)
	case op < 0xc0:
		m.vsp.up += 8*int32(low+1) + 4 // d8 to d8+low, FSTMFDX
	case op < 0xc6, op >= 0xd0 && op < 0xd8:
		m.vsp.up += 8 * int32(low+1) // wr10 to wr10+low; d8 to d8+low, VPUSH
	default:
		return m.coprocessor(op, c)
	}
	return nil
}

// popMask pops those of r4 to r15 whose bits are set, r4 being the lowest bit.
func (m *machine) popMask(mask uint16) error {
	if mask == 0 {
		return ErrCantUnwind
	}
	m.pop(mask << 4)
	if m.has(regSP) && mask>>(regSP-4)&1 != 0 {
		return m.set(regSP, 0x80)
	}
	return nil
}

func (m *machine) special(op uint8, c *cursor) error {
	switch op {
	case opPopLow:
		mask := c.next()
		if mask == 0 || mask > 0xf {
			return errProgram(op)
		}
		m.pop(uint16(mask))
	case opAddLarge:
		n, ok := c.uleb()
		if !ok {
			return errProgram(op)
		}
		m.vsp.up += int32(0x204 + n<<2)
	case opPopVFPX:
		m.vsp.up += 8*int32(c.next()&0xf+1) + 4
	case opPopAuth:
		m.vsp.up += 4
	case opModifier:
	default:
		return errProgram(op)
	}
	return nil
}

// coprocessor pops coprocessor registers, which a walk does not need.
func (m *machine) coprocessor(op uint8, c *cursor) error {
	switch op {
	case opPopWMMX, opPopHigh, opPopVFP:
		m.vsp.up += 8 * int32(c.next()&0xf+1)
	case opPopWCGR:
		m.vsp.up += 4 * int32(bits.OnesCount8(c.next()&0xf))
	default:
		return errProgram(op)
	}
	return nil
}

// cursor reads the bytes of a program, then zeros.
type cursor struct{ rest []byte }

func (c *cursor) next() uint8 {
	if len(c.rest) == 0 {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

// uleb reads an unsigned LEB128 number of at most 28 bits.
func (c *cursor) uleb() (n uint32, ok bool) {
	for shift := 0; shift <= 21; shift += 7 {
		b := c.next()
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return n, true
		}
	}
	return 0, false
}
