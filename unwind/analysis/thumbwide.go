package analysis

import "math/bits"

// t32 is a 32-bit instruction of Thumb code, its first half word in the upper bits
// (ARM ARM v7-A, A6.3).
type t32 uint32

func (w t32) bits(high, low uint) uint32 { return uint32(w) >> low & (1<<(high-low+1) - 1) }
func (w t32) rn() uint8                  { return uint8(w >> 16 & 15) }
func (w t32) rt() uint8                  { return uint8(w >> 12 & 15) }
func (w t32) rd() uint8                  { return uint8(w >> 8 & 15) }

func (w t32) decode(off uint32, code []byte) armInst {
	i := armInst{inst: inst{size: 4}}
	switch {
	case w>>26&1 != 0 && w>>27&3 != 2:
		armCoprocessor(&i, uint32(w))
	case w>>27&3 == 2 && w>>15&1 != 0:
		w.branch(&i, off)
	case w>>27&3 == 2:
		w.immediate(&i)
	case w.bits(28, 25) == 4 && w>>22&1 == 0:
		w.multiple(&i)
	case w.bits(28, 25) == 4:
		w.dual(&i, off, code)
	case w.bits(28, 25) == 5:
		w.register(&i)
	case w.bits(28, 25) == 12:
		w.single(&i)
	default: // shifts, extensions, multiplications
		i.list = 1 << w.rd()
		if w.bits(25, 23) == 7 {
			i.list |= 1 << w.rt()
		}
	}
	return i
}

// branch decodes branches, calls and processor control.
func (w t32) branch(i *armInst, off uint32) {
	s, j1, j2 := w>>26&1, w>>13&1, w>>11&1
	far := int64(int32(s<<31|(j1^s^1)<<30|(j2^s^1)<<29|w>>16&0x3ff<<19|w&0x7ff<<8) >> 7)
	switch {
	case w>>14&1 != 0: // bl, blx
		i.flow = call
	case w>>12&1 != 0:
		i.flow, i.target = jump, int64(off)+4+far
	case w.bits(25, 23) != 7: // conditional
		near := int64(int32(s<<31|j2<<30|j1<<29|w>>16&0x3f<<23|w&0x7ff<<12) >> 11)
		i.flow, i.target = branch, int64(off)+4+near
	case w.bits(26, 20) == 0x7f: // udf, smc
		i.flow = stop
	case w.bits(26, 21) == 0x1f: // mrs
		i.list = 1 << w.rd()
	}
}

// immediate decodes operations with an immediate.
func (w t32) immediate(i *armInst) {
	i.rd, i.rn = w.rd(), w.rn()
	plain := w>>26&1<<11 | w>>12&7<<8 | w&0xff
	switch op := w.bits(25, 20); {
	case op == 0x24: // movw
		i.op, i.imm = armConst, int32(w>>16&15<<12|plain)
	case op == 0x2c: // movt
		i.op, i.imm = armTop, int32(w>>16&15<<12|plain)
	case op == 0x20 || op == 0x2a: // addw, subw
		i.op, i.imm = armMove, int32(plain)
		if op == 0x2a {
			i.imm = -i.imm
		}
	case op >= 0x20 || i.rd != armPC: // others; with rd 15 they only compare
		i.list = 1 << i.rd
	}
	w.modified(i, int32(thumbExpand(uint32(plain))))
}

// modified decodes add, sub and mov of a byte that is repeated or shifted.
func (w t32) modified(i *armInst, n int32) {
	if i.rd == armPC {
		return
	}
	switch op := w.bits(25, 21); {
	case op == 2 && i.rn == armPC:
		i.op, i.imm = armConst, n
	case op == 8:
		i.op, i.imm = armMove, n
	case op == 13:
		i.op, i.imm = armMove, -n
	}
}

// thumbExpand expands a 12-bit modified immediate (A6.3.2).
func thumbExpand(v uint32) uint32 {
	b := v & 0xff
	switch v >> 8 {
	case 0:
		return b
	case 1:
		return b<<16 | b
	case 2:
		return b<<24 | b<<8
	case 3:
		return b * 0x01010101
	}
	return bits.RotateLeft32(b&0x7f|0x80, -int(v>>7))
}

// multiple decodes ldm and stm, upward or downward.
func (w t32) multiple(i *armInst) {
	up := w.bits(24, 23) == 1
	if !up && w.bits(24, 23) != 2 {
		return // srs, rfe
	}
	armMultiple(i, uint32(w), up, !up)
}

// armMultiple decodes ldm and stm of the registers in the lower half of w. before:
// the first word is next to the one that the base register points to.
func armMultiple(i *armInst, w uint32, up, before bool) {
	i.rn, i.list = uint8(w>>16&15), w&0xffff
	n := int32(bits.OnesCount32(i.list)) * 4
	switch {
	case up && before:
		i.imm = 4
	case !up && before:
		i.imm = -n
	case !up:
		i.imm = 4 - n
	}
	if !up {
		n = -n
	}
	load := w>>20&1 != 0
	if i.op = armStore; load {
		i.op = armLoad
	}
	if w>>21&1 != 0 && !(load && i.list>>i.rn&1 != 0) {
		i.back = n
	}
	if load && i.list>>armPC&1 != 0 {
		i.flow = ret
	}
}

// dual decodes ldrd and strd, exclusive loads and stores, and jumps through a table.
func (w t32) dual(i *armInst, off uint32, code []byte) {
	switch {
	case w>>24&1 != 0 || w>>21&1 != 0:
		i.index(w.rn(), int32(w&0xff)*4, w>>24&1 != 0, w>>23&1 != 0, w>>21&1 != 0)
		i.pair(w.rt(), w.rd(), w>>20&1 != 0)
	case w.bits(24, 20) == 13 && w.bits(7, 5) == 0: // tbb, tbh
		i.flow, i.table = indirect, true
		if w.rn() == armPC {
			i.size += tableBranch(code[min(int(off)+4, len(code)):], w>>4&1 != 0)
		}
	case w.bits(24, 20) == 13:
		i.list = 1<<w.rt() | 1<<w.rd()
	case w.bits(24, 20) == 4:
		i.list = 1 << w.rd()
	case w.bits(24, 20) == 12:
		i.list = 1 << (w & 15)
	default:
		i.list = 1 << w.rt()
	}
}

// tableBranch returns the size of the table that follows tbb or tbh. It ends before
// the nearest target, as all targets are after it.
func tableBranch(table []byte, halves bool) uint32 {
	width := 1
	if halves {
		width = 2
	}
	end := 2 * width << 8 // no table is longer
	for at := 0; at < end && at+width <= len(table); at += width {
		entry := int(table[at])
		if halves {
			entry |= int(table[at+1]) << 8
		}
		if end = min(end, 2*entry); end <= at {
			return uint32(at+1) &^ 1 // an entry that leads into the table is not an entry
		}
	}
	return uint32(min(end+1, len(table))) &^ 1
}

// index sets the address to n above or below rn (before), or to rn itself, which is
// then moved by n.
func (i *armInst) index(rn uint8, n int32, before, up, back bool) {
	if !up {
		n = -n
	}
	i.rn = rn
	if before {
		i.imm = n
	}
	if back || !before {
		i.back = n
	}
}

// pair decodes a load or store of two registers. If the first is the lower one, they
// form a list; otherwise they are only forgotten.
func (i *armInst) pair(a, b uint8, load bool) {
	i.op, i.list = armStore, 1<<a|1<<b
	switch {
	case a >= b:
		i.op = armOther
		if !load {
			i.list = 0
		}
		if i.back != 0 {
			i.list |= 1 << i.rn
		}
	case load:
		i.op = armLoad
	}
}

// register decodes operations on two registers, the second shifted.
func (w t32) register(i *armInst) {
	i.rd, i.rn, i.rm = w.rd(), w.rn(), uint8(w&15)
	shifted := w&0x70f0 != 0
	switch op := w.bits(24, 21); {
	case i.rd == armPC && w>>20&1 != 0: // a comparison
	case shifted:
		i.list = 1 << i.rd
	case op == 2 && i.rn == armPC:
		i.op, i.rn = armMove, i.rm
	case op == 8:
		i.op, i.sign = armSum, 1
	case op == 13:
		i.op, i.sign = armSum, -1
	default:
		i.list = 1 << i.rd
	}
}

// single decodes loads and stores of one register.
func (w t32) single(i *armInst) {
	load, word := w>>20&1 != 0, w.bits(24, 21) == 2 || w.bits(24, 21) == 6
	wide := w>>23&1 != 0 // a 12-bit offset
	switch {
	case w.bits(24, 20)&0x11 == 0x10: // vector instructions
		if w&15 != 15 {
			i.list = 1 << w.rn()
		}
		return
	case w.rn() == armPC, !wide && w>>11&1 == 0: // literal, register + register
		if load {
			i.list = 1 << w.rt()
		}
	case wide:
		i.index(w.rn(), int32(w&0xfff), true, true, false)
		i.transfers(w.rt(), load, word)
	default:
		i.index(w.rn(), int32(w&0xff), w>>10&1 != 0, w>>9&1 != 0, w>>8&1 != 0)
		i.transfers(w.rt(), load, word)
	}
	if load && word && w.rt() == armPC {
		i.flow = indirect
		if w == 0xf85dfb04 { // pop {pc}
			i.flow = ret
		}
	}
}

// transfers decodes a load or store of one register. Only whole words are tracked.
func (i *armInst) transfers(rt uint8, load, word bool) {
	i.list = 1 << rt
	switch {
	case word && load:
		i.op = armLoad
	case word:
		i.op = armStore
	default:
		if !load {
			i.list = 0
		}
		if i.back != 0 {
			i.list |= 1 << i.rn
		}
	}
}
