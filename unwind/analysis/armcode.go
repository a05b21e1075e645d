package analysis

import (
	"encoding/binary"
	"math/bits"
)

// a32 is an instruction of ARM code (ARM ARM v7-A, A5).
type a32 uint32

func (w a32) bits(high, low uint) uint32 { return uint32(w) >> low & (1<<(high-low+1) - 1) }
func (w a32) rn() uint8                  { return uint8(w >> 16 & 15) }
func (w a32) rd() uint8                  { return uint8(w >> 12 & 15) }
func (w a32) rm() uint8                  { return uint8(w & 15) }

func stepARM(m *machine, code []byte, off uint32, s *state, in *inst) {
	*in = inst{flow: stop, reads: notPlain}
	if uint32(len(code))-off < 4 {
		return
	}
	i := a32(binary.LittleEndian.Uint32(code[off:])).decode(off)
	if s != nil {
		i.leaving = i.conditional && i.movesSP() && armLeaves(code, off)
		i.run(m, s)
	}
	i.common(in)
}

// maxSame is how many instructions on one condition are examined.
const maxSame = 8

// armLeaves reports whether the instructions after off that have the same condition
// leave the function.
func armLeaves(code []byte, off uint32) bool {
	condition := code[off+3] >> 4
	for range maxSame {
		if off += 4; int(off)+4 > len(code) || code[off+3]>>4 != condition {
			return false
		}
		i := a32(binary.LittleEndian.Uint32(code[off:])).decode(off)
		if i.leaves(len(code)) {
			return true
		}
	}
	return false
}

func (w a32) decode(off uint32) armInst {
	i := armInst{inst: inst{size: 4, nop: w == 0xe320f000 || w == 0xe1a00000}, conditional: w>>28 < 14}
	switch op := w.bits(27, 25); {
	case w>>28 == 15 && op == 5: // blx
		i.flow = call
	case w>>28 == 15 && op == 2: // vector instructions
		if w&15 != 15 {
			i.list = 1 << w.rn()
		}
	case w>>28 == 15 && op < 6: // barriers, prefetches
	case op == 0:
		w.register(&i)
	case op == 1:
		w.immediate(&i)
	case op == 3 && w>>4&1 != 0:
		w.media(&i)
	case op == 2 || op == 3:
		w.single(&i)
	case op == 4:
		armMultiple(&i, uint32(w), w>>23&1 != 0, w>>24&1 != 0)
	case op == 5:
		i.flow, i.target = jump, int64(off)+8+int64(int32(w<<8)>>6)
		if w>>24&1 != 0 {
			i.flow = call
		}
	default:
		armCoprocessor(&i, uint32(w))
	}
	if i.conditional && i.flow == jump {
		i.flow = branch
	}
	return i
}

// register decodes operations on registers: arithmetic, multiplications, half words,
// bx.
func (w a32) register(i *armInst) {
	i.rd, i.rn, i.rm = w.rd(), w.rn(), w.rm()
	switch op := w.bits(24, 21); {
	case w&0x0fffffd0 == 0x012fff10: // bx, blx
		i.flow = armBranchBy(i.rm)
		if w>>5&1 != 0 {
			i.flow = call
		}
	case w&0x90 == 0x90 && w&0x60 == 0:
		w.multiply(i)
	case w&0x90 == 0x90:
		w.half(i)
	case op>>2 == 2 && w>>20&1 == 0: // clz, mrs, …
		i.list = 1 << i.rd
	case op>>2 == 2: // comparisons
	case w&0xff0 != 0: // shifted
		i.list = 1 << i.rd
	case op == 13:
		i.op, i.rn = armMove, i.rm
	case op == 4:
		i.op, i.sign = armSum, 1
	case op == 2:
		i.op, i.sign = armSum, -1
	default:
		i.list = 1 << i.rd
	}
	w.jumps(i)
}

// jumps sets the flow of an instruction that writes pc.
func (w a32) jumps(i *armInst) {
	if i.flow != next || i.rd != armPC || w.bits(24, 23) == 2 {
		return
	}
	if i.flow = indirect; i.op == armMove {
		i.flow = armBranchBy(i.rn)
	} else {
		i.table = true
	}
}

func (w a32) multiply(i *armInst) {
	i.rd = 0 // not a destination
	switch {
	case w>>24&1 != 0: // swp, ldrex, strex
		i.list = 1 << w.rd()
	case w>>23&1 != 0:
		i.list = 1<<w.rn() | 1<<w.rd()
	default:
		i.list = 1 << w.rn()
	}
}

// half decodes loads and stores of half words, signed bytes and register pairs.
func (w a32) half(i *armInst) {
	i.rd = 0
	load := w>>20&1 != 0
	n, known := int32(w>>4&0xf0|w&15), w>>22&1 != 0
	before := w>>24&1 != 0
	i.index(w.rn(), n, before, w>>23&1 != 0, before && w>>21&1 != 0)
	if double := !load && w>>6&1 != 0; double && known {
		i.pair(w.rd(), w.rd()+1, w>>5&1 == 0)
		i.list &= 1<<16 - 1
		return
	} else if double && w>>5&1 == 0 {
		i.list = 3 << w.rd()
	} else if load {
		i.list = 1 << w.rd()
	}
	if i.back != 0 {
		i.list |= 1 << i.rn
	}
}

// immediate decodes operations with an immediate.
func (w a32) immediate(i *armInst) {
	i.rd, i.rn = w.rd(), w.rn()
	n := int32(bits.RotateLeft32(uint32(w&0xff), -int(w>>7&30)))
	half := int32(w>>4&0xf000 | w&0xfff)
	switch op := w.bits(24, 20); {
	case op == 0x10:
		i.op, i.imm = armConst, half
	case op == 0x14:
		i.op, i.imm = armTop, half
	case op>>3 == 2: // comparisons, msr, hints
	case op>>1 == 13:
		i.op, i.imm = armConst, n
	case op>>1 == 4:
		i.op, i.imm = armMove, n
	case op>>1 == 2:
		i.op, i.imm = armMove, -n
	default:
		i.list = 1 << i.rd
	}
	w.jumps(i)
}

// media decodes extensions, bit fields and some multiplications, whose result
// register is in another field.
func (w a32) media(i *armInst) {
	switch {
	case w.bits(27, 20) == 0x7f: // udf
		i.flow = stop
	case w.bits(27, 20) == 0x74:
		i.list = 1<<w.rn() | 1<<w.rd()
	case w.bits(27, 20) <= 0x78 && w.bits(27, 20) >= 0x70:
		i.list = 1 << w.rn()
	default:
		i.list = 1 << w.rd()
	}
}

// single decodes loads and stores of a word or a byte.
func (w a32) single(i *armInst) {
	load, word, before := w>>20&1 != 0, w>>22&1 == 0, w>>24&1 != 0
	i.index(w.rn(), int32(w&0xfff), before, w>>23&1 != 0, before && w>>21&1 != 0)
	if w>>25&1 != 0 { // register + register
		i.transfers(w.rd(), load, false)
	} else {
		i.transfers(w.rd(), load, word)
	}
	if load && w.rd() == armPC {
		i.flow, i.table = indirect, w>>25&1 != 0
		if w&0x0fffffff == 0x049df004 { // pop {pc}
			i.flow = ret
		}
	}
}

// armCoprocessor decodes floating-point and vector instructions: vpush and vpop move
// sp, and some write general registers. They are the same in ARM and Thumb code.
func armCoprocessor(i *armInst, w uint32) {
	rn, rt := uint8(w>>16&15), uint8(w>>12&15)
	load := w>>20&1 != 0
	switch {
	case w>>24&3 == 3: // svc; vector instructions
	case w>>24&3 == 2: // vmov, vmrs, mrc
		if load && w>>4&1 != 0 && rt != armPC {
			i.list = 1 << rt
		}
	case w>>21&15 == 2: // vmov of two registers, mrrc
		if load {
			i.list = 1<<rt | 1<<rn
		}
	case w>>21&1 != 0: // vldm, vstm with writeback
		i.op, i.rd, i.rn, i.imm = armMove, rn, rn, int32(w&0xff)*4
		if w>>23&1 == 0 {
			i.imm = -i.imm
		}
	}
}
