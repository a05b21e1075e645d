package analysis

import (
	"encoding/binary"
	"math/bits"
)

// t16 is a 16-bit instruction of Thumb code (ARM ARM v7-A, A6.2).
type t16 uint32

func (w t16) low(shift uint) uint8 { return uint8(w >> shift & 7) }

func stepThumb(m *machine, code []byte, off uint32, s *state, in *inst) {
	i := decodeThumb(code, off)
	if s != nil && i.size != 0 {
		i.runThumb(m, code, off, s)
	}
	i.common(in)
}

// runThumb executes the instruction, which an it before it may make conditional.
func (i *armInst) runThumb(m *machine, code []byte, off uint32, s *state) {
	if s.block > 0 {
		s.block--
		i.conditional = true
		i.leaving = i.movesSP() && thumbLeaves(code, off+i.size, s.block)
	}
	if i.block > 0 {
		s.block = i.block
	}
	i.run(m, s)
}

func decodeThumb(code []byte, off uint32) armInst {
	if uint64(off)+2 > uint64(len(code)) {
		return armInst{inst: inst{flow: stop}}
	}
	h := uint32(binary.LittleEndian.Uint16(code[off:]))
	switch {
	case h>>11 < 0x1d:
		return t16(h).decode(off)
	case len(code)-int(off) < 4:
		return armInst{inst: inst{flow: stop}}
	}
	return t32(h<<16|uint32(binary.LittleEndian.Uint16(code[off+2:]))).decode(off, code)
}

// thumbLeaves reports whether the n conditional instructions at off leave the
// function.
func thumbLeaves(code []byte, off uint32, n uint8) bool {
	for range n {
		i := decodeThumb(code, off)
		if i.leaves(len(code)) {
			return true
		}
		off += max(i.size, 2)
	}
	return false
}

func (w t16) decode(off uint32) armInst {
	i := armInst{inst: inst{size: 2}}
	switch top := w >> 12; {
	case top < 4:
		w.shiftAddMove(&i)
	case w>>10 == 0x10: // data processing; tst, cmp and cmn write nothing
		if op := w >> 6 & 15; op != 8 && op != 10 && op != 11 {
			i.list = 1 << w.low(0)
		}
	case w>>10 == 0x11:
		w.high(&i)
	case top == 4: // ldr rt, literal
		i.list = 1 << w.low(8)
	case top == 5:
		if w>>9&7 >= 3 { // a load, register + register
			i.list = 1 << w.low(0)
		}
	case top < 10:
		w.loadStore(&i)
	case top == 10: // adr; add rd, sp, #n
		i.op, i.rd, i.rn, i.imm = armMove, w.low(8), armSP, int32(w&0xff)*4
		if w>>11&1 == 0 {
			i.rn = armPC
		}
	case top == 11:
		w.misc(&i, off)
	case top == 12:
		w.multiple(&i)
	case top == 13:
		w.branch(&i, off)
	default: // b
		i.flow, i.target = jump, int64(off)+4+int64(int32(w<<21)>>20)
	}
	return i
}

// shiftAddMove decodes lsl, lsr, asr, add, sub, mov and cmp of low registers.
func (w t16) shiftAddMove(i *armInst) {
	i.rd, i.rn, i.rm = w.low(0), w.low(3), w.low(6)
	switch w >> 9 {
	case 0: // lsl, by 0: mov
		i.op = armMove
		if w>>6 != 0 {
			i.op, i.list = armOther, 1<<i.rd
		}
	case 12:
		i.op, i.sign = armSum, 1
	case 13:
		i.op, i.sign = armSum, -1
	case 14:
		i.op, i.imm = armMove, int32(i.rm)
	case 15:
		i.op, i.imm = armMove, -int32(i.rm)
	default:
		if w>>13 == 0 {
			i.list = 1 << i.rd
			return
		}
		w.immediate(i)
	}
}

// immediate decodes mov, cmp, add and sub with an 8-bit immediate.
func (w t16) immediate(i *armInst) {
	i.rd, i.rn, i.imm = w.low(8), w.low(8), int32(w&0xff)
	switch w >> 11 & 3 {
	case 0:
		i.op = armConst
	case 2:
		i.op = armMove
	case 3:
		i.op, i.imm = armMove, -i.imm
	}
}

// high decodes add, cmp and mov of any registers, bx and blx.
func (w t16) high(i *armInst) {
	rd, rm := uint8(w&7|w>>4&8), uint8(w>>3&15)
	switch w >> 8 & 3 {
	case 0:
		i.op, i.rd, i.rn, i.rm, i.sign = armSum, rd, rd, rm, 1
	case 2:
		i.op, i.rd, i.rn = armMove, rd, rm
	case 3:
		i.flow = armBranchBy(rm)
		if w>>7&1 != 0 {
			i.flow = call
		}
		return
	}
	if i.op != armOther && rd == armPC {
		i.flow = armBranchBy(rm)
		if i.op == armSum {
			i.flow, i.table = indirect, true
		}
	}
}

// armBranchBy returns the flow of a jump to the address in a register.
func armBranchBy(r uint8) flow {
	if r == armLR {
		return ret
	}
	return indirect
}

// loadStore decodes loads and stores at a register plus an immediate.
func (w t16) loadStore(i *armInst) {
	load := w>>11&1 != 0
	i.rn, i.list = w.low(3), 1<<w.low(0)
	switch w >> 12 {
	case 6:
		i.imm = int32(w>>6&31) * 4
	case 9:
		i.rn, i.list, i.imm = armSP, 1<<w.low(8), int32(w&0xff)*4
	default: // bytes and half words
		if !load {
			i.list = 0
		}
		return
	}
	if i.op = armStore; load {
		i.op = armLoad
	}
}

// misc decodes instructions that move sp, push, pop, and many that write low
// registers.
func (w t16) misc(i *armInst, off uint32) {
	n := int32(w&0x7f) * 4
	switch op := w >> 8 & 15; {
	case op == 0 && w>>7&1 == 0:
		i.op, i.rd, i.rn, i.imm = armMove, armSP, armSP, n
	case op == 0:
		i.op, i.rd, i.rn, i.imm = armMove, armSP, armSP, -n
	case op&5 == 1: // cbz, cbnz
		i.flow, i.target = branch, int64(off)+4+int64(w>>9&1<<6|w>>3&31<<1)
	case op == 2, op == 10:
		i.list = 1 << w.low(0)
	case op&14 == 4:
		i.push(uint32(w&0xff | w>>8&1<<armLR))
	case op&14 == 12:
		i.pop(uint32(w&0xff | w>>8&1<<armPC))
	case op == 14: // bkpt
		i.flow = stop
	case op == 15 && w&15 != 0: // it
		i.block = uint8(4 - bits.TrailingZeros32(uint32(w)))
	case op == 15:
		i.nop = w&0xff == 0
	}
}

func (i *armInst) push(list uint32) {
	n := int32(bits.OnesCount32(list)) * 4
	i.op, i.rn, i.list, i.imm, i.back = armStore, armSP, list, -n, -n
}

func (i *armInst) pop(list uint32) {
	i.op, i.rn, i.list, i.back = armLoad, armSP, list, int32(bits.OnesCount32(list))*4
	if list>>armPC&1 != 0 {
		i.flow = ret
	}
}

// multiple decodes stmia and ldmia. They move the base register unless they load it.
func (w t16) multiple(i *armInst) {
	i.rn, i.list = w.low(8), uint32(w&0xff)
	i.back = int32(bits.OnesCount32(i.list)) * 4
	if i.op = armStore; w>>11&1 != 0 {
		i.op = armLoad
	}
	if i.op == armLoad && i.list>>i.rn&1 != 0 {
		i.back = 0
	}
}

// branch decodes conditional branches, udf and svc.
func (w t16) branch(i *armInst, off uint32) {
	switch w >> 8 & 15 {
	case 14:
		i.flow = stop
	case 15:
	default:
		i.flow, i.target = branch, int64(off)+4+int64(int32(int8(w)))*2
	}
}
