package analysis

import "encoding/binary"

// Register numbers on arm64. Here 31 is sp; where an instruction means xzr by it,
// that is handled separately.
const (
	x9  = 9
	x29 = 29
	x30 = 30
	xsp = 31
)

var arm64 = machine{
	unit:  4,
	sp:    xsp,
	fp:    x29,
	lr:    x30,
	word:  8,
	size:  x9,
	kept:  []uint8{19, 20, 21, 22, 23, 24, 25, 26, 27, 28, x29, x30},
	carry: 1<<xsp | 1<<x29 | 0x1ff80000 | 1<<x9 | 0x1f<<10 | 3<<16,
	dwarf: [numRegisters]uint8{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	},
	step: stepARM64,
}

// a64 is an arm64 instruction (Arm ARM, C4: A64 instruction set encoding).
type a64 uint32

// is reports whether the bits in mask equal those of pattern.
func (w a64) is(mask, pattern a64) bool { return w&mask == pattern }

// bits returns bits high to low.
func (w a64) bits(high, low uint) uint32 { return uint32(w) >> low & (1<<(high-low+1) - 1) }

// signed returns bits high to low, sign-extended.
func (w a64) signed(high, low uint) int64 {
	return int64(int32(uint32(w)<<(31-high))) >> (31 - high + low)
}

func (w a64) rd() uint8  { return uint8(w & 31) }
func (w a64) rn() uint8  { return uint8(w >> 5 & 31) }
func (w a64) rt2() uint8 { return uint8(w >> 10 & 31) }
func (w a64) rm() uint8  { return uint8(w >> 16 & 31) }

func stepARM64(m *machine, code []byte, off uint32, s *state, in *inst) {
	if uint32(len(code))-off < 4 {
		*in = inst{flow: stop, reads: notPlain}
		return
	}
	w := a64(binary.LittleEndian.Uint32(code[off:]))
	w.flow(off, in)
	if s == nil {
		in.reads = notPlain
		return
	}
	e := a64Effect{a64: w, machine: m, s: s}
	if w.is(0xff00001f, 0x54000001) { // b.ne
		in.equal = s.equal
	}
	switch in.flow {
	case next:
		e.run()
	case call:
		e.probe(code[off+4:])
	case indirect:
		in.table = s.reg[w.rn()].kind == computed
	case ret:
		e.ret()
	}
}

// flow decodes where control goes after w, which is at off.
func (w a64) flow(off uint32, in *inst) {
	*in = inst{size: 4, nop: w == 0xd503201f}
	if w.bits(28, 26) != 5 { // branches, exceptions and system
		if w.is(0xffff0000, 0) { // udf
			in.flow = stop
		}
		return
	}
	at := int64(off)
	switch {
	case w.is(0xfc000000, 0x14000000): // b
		in.flow, in.target = jump, at+w.signed(25, 0)*4
	case w.is(0xfc000000, 0x94000000): // bl
		in.flow, in.target, in.direct = call, at+w.signed(25, 0)*4, true
	case w.is(0xff000000, 0x54000000), w.is(0x7e000000, 0x34000000): // b.cond, cbz, cbnz
		in.flow, in.target = branch, at+w.signed(23, 5)*4
		if w.is(0xff00001f, 0x5400000e) { // always
			in.flow = jump
		}
	case w.is(0x7e000000, 0x36000000): // tbz, tbnz
		in.flow, in.target = branch, at+w.signed(18, 5)*4
	case w.is(0xfe000000, 0xd6000000):
		in.flow = w.indirect()
	case w.is(0xffe0001f, 0xd4200000), w.is(0xffe0001f, 0xd4400000): // brk, hlt
		in.flow = stop
	}
}

// indirect returns the flow of an unconditional branch to a register. opc is br, blr
// or ret; with bit 3, br or blr with a modifier register.
func (w a64) indirect() flow {
	switch w.bits(24, 21) & 7 {
	case 0:
		return indirect
	case 1:
		return call
	case 2:
		return ret
	}
	return stop
}
