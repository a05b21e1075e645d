// Package x86 decodes instructions of x86_64 in 64-bit mode and i386 in 32-bit mode,
// as far as an unwinder needs it: their length, their control flow, and the general
// registers that they write (Intel SDM volume 2, chapter 2 and appendix A).
package x86

import "encoding/binary"

// Longest is the maximum length of an instruction in bytes.
const Longest = 15

// Inst is a decoded instruction. Registers are numbered as in its encoding: rax, rcx,
// rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
type Inst struct {
	Size    uint32
	Op      uint16 // opcode; 0x0f00 | opcode after an 0f; 0xff00 for all other maps
	ModRM   byte
	Reg, RM uint8 // including the prefix's bits; RM is a register if Register() is true
	// A memory operand is Base + Index·scale + Disp. NoReg: none; as Base it also
	// means rip.
	Base, Index uint8
	Scale       uint8 // of Index: 1, 2, 4 or 8; 0 without an index
	Disp        int32
	Imm         int64
	OpSize      bool // prefix 66: 16-bit operands

	attr     attr
	mode32   bool
	rex      byte
	rep      byte // the last prefix f2 or f3
	addrSize bool // prefix 67
	vector   vector
}

// NoReg means no register.
const NoReg = 0xff

// Digit returns the opcode extension, ModRM.reg.
func (i *Inst) Digit() byte { return i.ModRM >> 3 & 7 }

// Register reports whether ModRM names a register rather than memory.
func (i *Inst) Register() bool { return i.mod() == 3 }

// Wide reports whether the operands are full-width registers: 64 bits, or 32 bits in
// 32-bit mode.
func (i *Inst) Wide() bool {
	if i.mode32 {
		return !i.OpSize
	}
	return i.rex&8 != 0
}

func (i *Inst) mod() byte { return i.ModRM >> 6 }

// bytes reads code. Past the end it returns zeros and sets a flag.
type bytes struct {
	b   []byte
	off uint32
	cut bool
}

func (r *bytes) u8() byte {
	if r.off >= uint32(len(r.b)) {
		r.cut = true
		return 0
	}
	r.off++
	return r.b[r.off-1]
}

func (r *bytes) peek() byte {
	if r.off >= uint32(len(r.b)) {
		return 0
	}
	return r.b[r.off]
}

func (r *bytes) i8() int32 { return int32(int8(r.u8())) }

func (r *bytes) u64(size uint32) uint64 {
	if uint32(len(r.b))-r.off < size {
		r.cut, r.off = true, uint32(len(r.b))
		return 0
	}
	b := r.b[r.off:]
	r.off += size
	switch size {
	case 2:
		return uint64(int64(int16(binary.LittleEndian.Uint16(b))))
	case 4:
		return uint64(int64(int32(binary.LittleEndian.Uint32(b))))
	}
	return binary.LittleEndian.Uint64(b)
}

// Decode decodes the x86_64 instruction at off. It reports false if the bytes are no
// instruction, or only part of one.
func (i *Inst) Decode(code []byte, off uint32) bool { return i.decode(code, off, false) }

// Decode32 decodes the i386 instruction at off, like Decode.
func (i *Inst) Decode32(code []byte, off uint32) bool { return i.decode(code, off, true) }

func (i *Inst) decode(code []byte, off uint32, mode32 bool) bool {
	*i = Inst{Base: NoReg, Index: NoReg, mode32: mode32}
	r := bytes{b: code[:min(len(code), int(off)+Longest)], off: off}
	op := i.prefixes(&r)
	i.opcode(&r, op)
	if i.attr&m != 0 {
		i.operand(&r)
		i.fixGroups()
	}
	if i.attr&(i16|iz|ib|far) != 0 {
		i.immediate(&r)
	}
	i.Size = r.off - off
	return !r.cut && i.attr&(inv|sep) == 0
}

// prefixes reads legacy prefixes and REX, which counts only right before the opcode.
func (i *Inst) prefixes(r *bytes) byte {
	for {
		op := r.u8()
		switch {
		case oneByte[op]&sep == 0:
			return op
		case op == 0x66:
			i.OpSize = true
		case op == 0x67:
			i.addrSize = true
		case op == 0xf2 || op == 0xf3:
			i.rep = op
		case op == 0x2e || op == 0x36 || op == 0x3e || op == 0x26 || op == 0x64 || op == 0x65 || op == 0xf0:
		case op >= 0x40 && op <= 0x4f && !i.mode32:
			i.rex = op
			continue
		default:
			return op
		}
		i.rex = 0
		if r.cut {
			return 0
		}
	}
}

// opcode decodes the opcode and its operands.
func (i *Inst) opcode(r *bytes, op byte) {
	switch attr := oneByte[op]; {
	case attr&sep == 0 && op != 0x8f && !i.mode32:
		i.Op, i.attr = uint16(op), attr
	case op == 0x0f:
		i.escape(r)
	case op == 0x8f && r.peek()&31 >= 8: // XOP, not pop
		i.vex(r, op)
	case (op == 0xc4 || op == 0xc5 || op == 0x62) && i.mode32 && r.peek() < 0xc0: // les, lds, bound
		i.Op, i.attr = uint16(op), m|wR
		if op == 0x62 {
			i.attr = m
		}
	case op == 0xc4 || op == 0xc5:
		i.vex(r, op)
	case op == 0x62:
		i.evex(r)
	default:
		i.Op, i.attr = uint16(op), oneByte[op]
		if i.mode32 {
			i.attr = oneByte32(op)
		}
		i.apart(r, op)
	}
}

// apart decodes the one-byte opcodes whose operands are not in the table.
func (i *Inst) apart(r *bytes, op byte) {
	switch {
	case op&0xf8 == 0xb8: // mov imm, reg
		i.attr = wO
		switch {
		case i.rex&8 != 0:
			i.Imm = int64(r.u64(8))
		case i.OpSize:
			i.Imm = int64(r.u64(2))
		default:
			i.Imm = int64(uint32(r.u64(4)))
		}
	case op&0xfc == 0xa0: // mov with a whole address
		i.attr = n
		if op < 0xa2 {
			i.attr = wA
		}
		switch {
		case i.mode32 && i.addrSize:
			r.u64(2)
		case i.mode32 != i.addrSize:
			r.u64(4)
		default:
			r.u64(8)
		}
	case op&0xfe == 0xf6: // test, not, neg, mul, div
		i.attr = m | b8*attr(op&1^1)
	}
}

func (i *Inst) escape(r *bytes) {
	op := r.u8()
	i.Op, i.attr = 0x0f00|uint16(op), twoByte[op]
	switch op {
	case 0x38:
		op = r.u8()
		i.Op, i.attr = 0xff00, map38(op, vector{})
	case 0x3a:
		op = r.u8()
		i.Op, i.attr = 0xff00, map3A(op, vector{})
	case 0x2c, 0x2d: // cvt…2si, unless of MMX
		if i.rep == 0 {
			i.attr = m
		}
	case 0x7e: // movd, but not movq
		if i.rep == 0xf3 {
			i.attr = m
		}
	}
}

// vex reads the two- or three-byte VEX prefix: R X B map; W vvvv L pp. XOP has the
// same form, with maps from 8 up.
func (i *Inst) vex(r *bytes, first byte) {
	v := vector{vex: true, opmap: 1}
	p := r.u8()
	i.rex = ^p >> 5 & 4
	if first != 0xc5 {
		i.rex |= ^p >> 5 & 3
		v.opmap = p & 31
		p = r.u8()
		i.rex |= p >> 4 & 8
	}
	v.vvvv, v.pp = ^p>>3&15, p&3
	i.vectorOpcode(r, v)
}

// evex reads the four-byte prefix: 62; R X B R' map; W vvvv pp; z L b V' aaa.
func (i *Inst) evex(r *bytes) {
	p0, p1 := r.u8(), r.u8()
	r.u8()
	v := vector{vex: true, evex: true, opmap: p0 & 7, vvvv: ^p1 >> 3 & 15, pp: p1 & 3}
	i.rex = ^p0>>5&7 | p1>>4&8
	i.vectorOpcode(r, v)
}

func (i *Inst) vectorOpcode(r *bytes, v vector) {
	op := r.u8()
	if i.mode32 { // which has 8 registers
		i.rex &= 8
		v.vvvv &= 7
	}
	i.Op, i.vector = 0xff00, v
	switch v.opmap {
	case 1, 5:
		i.attr = vectorMap1(op, v)
		if v.opmap == 5 {
			i.attr &^= ib
		}
	case 2, 6:
		i.attr = map38(op, v)
	case 3:
		i.attr = map3A(op, v)
	case 8: // XOP's maps
		i.attr = mib
	case 9:
		i.attr = m
	case 10:
		i.attr = mR | iz
	default:
		i.attr = inv
	}
}

// operand reads ModRM, SIB and the displacement.
func (i *Inst) operand(r *bytes) {
	i.ModRM = r.u8()
	i.Reg = i.Digit() | i.rex<<1&8
	i.RM = i.ModRM&7 | i.rex<<3&8
	if i.Register() || i.Op&0xfffc == 0x0f20 { // mov to and from control registers has no memory form
		i.ModRM |= 0xc0
		return
	}
	if i.mode32 && i.addrSize {
		i.operand16(r)
		return
	}
	i.Base = i.RM
	if i.ModRM&7 == 4 {
		i.sib(r)
	}
	switch {
	case i.mod() == 1:
		i.Disp = r.i8()
	case i.mod() == 2 || i.Base == NoReg:
		i.Disp = int32(r.u64(4))
	case i.mod() == 0 && i.ModRM&7 == 5: // rip
		i.Base = NoReg
		i.Disp = int32(r.u64(4))
	}
}

func (i *Inst) sib(r *bytes) {
	b := r.u8()
	i.Base = b&7 | i.rex<<3&8
	if x := b>>3&7 | i.rex<<2&8; x != 4 {
		i.Index, i.Scale = x, 1<<(b>>6)
	}
	if b&7 == 5 && i.mod() == 0 {
		i.Base = NoReg
	}
}

// fixGroups adjusts the opcode groups whose operands depend on ModRM.reg or
// ModRM.mod.
func (i *Inst) fixGroups() {
	switch d := i.Digit(); {
	case i.Op == 0xf6 || i.Op == 0xf7:
		i.unaryGroup(d)
	case i.Op >= 0x80 && i.Op <= 0x83 && d == 7: // cmp
		i.attr &^= wM
	case i.Op == 0xff && d >= 2:
		i.attr &^= wM
	case i.Op == 0x0fba && d == 4: // bt
		i.attr &^= wM
	case i.Op == 0x0f01 && i.Register() && d != 4: // xgetbv, rdtscp …
		i.attr = m | wA | wC | wD
	case i.Op == 0x0f1e && i.rep == 0xf3 && i.Register() && d == 1: // rdssp
		i.attr |= wM
	case i.Op == 0x0fae && i.rep == 0xf3 && i.Register() && d < 2: // rdfsbase, rdgsbase
		i.attr |= wM
	case i.Op == 0x0f78 && (i.OpSize || i.rep == 0xf2): // extrq, insertq
		i.attr = m | i16
	}
}

func (i *Inst) unaryGroup(d byte) {
	switch {
	case d < 2 && i.Op == 0xf6:
		i.attr |= ib
	case d < 2:
		i.attr |= iz
	case d < 4:
		i.attr |= wM
	default:
		i.attr |= wA | wD
	}
}

func (i *Inst) immediate(r *bytes) {
	if i.attr&i16 != 0 {
		i.Imm = int64(r.u64(2))
	}
	switch {
	case i.attr&iz != 0 && i.OpSize && !i.relative():
		i.Imm = int64(r.u64(2))
	case i.attr&iz != 0:
		i.Imm = int64(r.u64(4))
	}
	if i.attr&ib != 0 {
		i.Imm = int64(r.i8())
	}
	if i.attr&far != 0 {
		i.Imm = int64(r.u64(2))
	}
}

// relative reports whether the immediate is a jump distance, which the operand size
// does not shorten in 64-bit mode.
func (i *Inst) relative() bool {
	if i.mode32 {
		return false
	}
	return i.Op == 0xe8 || i.Op == 0xe9 || i.Op&0xfff0 == 0x0f80
}
