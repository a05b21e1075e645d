package analysis

import "encoding/binary"

// a64Effect executes an arm64 instruction.
type a64Effect struct {
	a64
	*machine
	s *state
}

// run models what makes and removes frames:
//
//	stp a, b, [sp, #-n]!   sp -= n; sp[0] = a; sp[1] = b     ldp a, b, [sp], #n, and all their kin
//	add, sub               rd = rn ± imm, and ± a register of known value
//	mov, movz, movn, movk  numbers
//	paciasp … autibsp      lr with and without an authentication code
func (e *a64Effect) run() {
	e.s.equal = 0
	switch op := e.bits(28, 25); {
	case op&14 == 8: // data processing, immediate
		e.immediate()
	case op&5 == 4: // loads and stores
		e.memory()
	case op&7 == 5: // data processing, register
		e.register()
	case op&14 == 10: // system
		e.system()
	case op&7 == 7:
		e.floating()
	case e.is(0xffe0f800, 0x04205000): // addvl
		e.set(e.rd(), e.get(e.rm()).addVectors(e.signed(10, 5)), true)
	case e.scalable():
		e.set(e.rd(), value{}, true)
	}
}

// addVectors returns v + n vector lengths, for v an address in the frame.
func (v value) addVectors(n int64) value {
	n += int64(int8(v.num))
	switch {
	case v.kind != frame && v.kind != scaled || n != int64(int8(n)):
		return value{}
	case n == 0:
		return atCFA(v.off)
	}
	return value{kind: scaled, off: v.off, num: uint8(n)}
}

// scalable reports whether an SVE instruction writes a general register. addvl and
// addpl may write sp; the others are rdvl, counts of elements, the last active
// element, and counts of predicates. All other SVE instructions write vectors.
func (e *a64Effect) scalable() bool {
	return e.is(0xff20f000, 0x04205000) || e.is(0xff20e000, 0x0420e000) ||
		e.is(0xff2ee000, 0x0520a000) || e.is(0xff20f000, 0x25208000)
}

// set sets a register. Register 31 is sp if sp is true, else it is discarded.
func (e *a64Effect) set(r uint8, v value, sp bool) {
	if r != xsp || sp {
		e.s.reg[r] = v
	}
}

// get returns the value of a register. Register 31 is sp.
func (e *a64Effect) get(r uint8) value { return e.s.reg[r] }

func (e *a64Effect) immediate() {
	switch {
	case e.is(0x1f800000, 0x11000000): // add, sub
		e.addImmediate()
	case e.is(0x1f800000, 0x12800000): // movn, movz, movk
		e.moveWide()
	case e.a64 == 0xb24403bd, e.a64 == 0x9243fbbd: // orr, and of x29 with swiftAsyncBit: no change for a walk
	case e.is(0x1f800000, 0x12000000): // logical; ands, opc 3, cannot write sp
		e.set(e.rd(), value{}, e.bits(30, 29) != 3)
	default:
		e.set(e.rd(), value{}, false)
	}
}

func (e *a64Effect) addImmediate() {
	n := int64(e.bits(21, 10))
	if e.bits(22, 22) == 1 {
		n <<= 12
	}
	if e.bits(30, 30) == 1 {
		n = -n
	}
	v := e.get(e.rn()).add(n)
	if n == 0 { // mov to or from sp
		v = e.get(e.rn())
	}
	flags := e.bits(29, 29) == 1
	if e.bits(31, 31) == 0 || flags {
		v = value{}
	}
	e.set(e.rd(), v, !flags)
}

func (e *a64Effect) moveWide() {
	shift := 16 * e.bits(22, 21)
	n := int64(e.bits(20, 5)) << shift
	switch e.bits(30, 29) {
	case 0: // movn
		e.set(e.rd(), number(^n), false)
	case 2: // movz
		e.set(e.rd(), number(n), false)
	default: // movk
		v := value{}
		if was := e.get(e.rd()); was.kind == constant && e.rd() != xsp {
			v = number(int64(was.off)&^(0xffff<<shift) | n)
		}
		e.set(e.rd(), v, false)
	}
}

func (e *a64Effect) register() {
	switch {
	case e.is(0xffe0ffe0, 0xaa0003e0): // mov
		v := e.get(e.rm())
		if e.rm() == xsp {
			v = number(0)
		}
		e.only(v)
		e.set(e.rd(), v, false)
	case e.is(0xffe0ffff, 0xeb2063ff): // cmp sp, rm
		e.s.equal = 1 + e.rm()
	case e.is(0xbfe00000, 0x8b200000): // add, sub of an extended register: may be of sp
		e.addRegister(e.bits(12, 10), e.bits(14, 13) == 3)
	case e.is(0xbfe00000, 0x8b000000): // add, sub of a register shifted left
		if e.rd() != xsp && e.rn() != xsp && e.rm() != xsp {
			e.addRegister(e.bits(15, 10), true)
		} else {
			e.set(e.rd(), value{}, false)
		}
	case e.is(0x1fe00000, 0x1a400000): // ccmp, ccmn: no result
	case e.is(0xffffc000, 0xdac10000) && e.rd() == x30:
		e.authenticate(e.bits(13, 10))
	default:
		e.set(e.rd(), value{}, e.is(0x5fe00000, 0x0b200000) && e.bits(29, 29) == 0)
	}
}

// only forgets older copies of lr's value on entry, so that the only one beside lr is
// the copy made for the next call.
func (e *a64Effect) only(v value) {
	if v.num != x30 || v.kind != entry && v.kind != signed {
		return
	}
	for i := range e.s.reg {
		if e.s.reg[i] == v && i != x30 && uint8(i) != e.rm() {
			e.s.reg[i] = value{}
		}
	}
}

// addRegister executes rd = rn ± (rm << shift), where rm is a known number.
func (e *a64Effect) addRegister(shift uint32, whole bool) {
	v, by := value{kind: computed}, e.get(e.rm())
	if whole && by.kind == constant && e.rm() != xsp && shift <= 12 {
		n := int64(by.off) << shift
		if e.bits(30, 30) == 1 {
			n = -n
		}
		v = e.get(e.rn()).add(n)
	}
	e.set(e.rd(), v, e.is(0x1fe00000, 0x0b200000))
}

// authenticate executes pac*, aut* and xpac* on lr. Opcodes 0 to 3 and 8 to 11 sign.
func (e *a64Effect) authenticate(op uint32) {
	v := &e.s.reg[x30]
	switch {
	case v.kind != entry && v.kind != signed:
	case op&4 == 0 && e.bits(14, 14) == 0:
		v.kind = signed
	default:
		v.kind = entry
	}
}

// system executes hints and moves to and from system registers.
func (e *a64Effect) system() {
	switch {
	case e.is(0xffffff1f, 0xd503231f): // paciaz, paciasp, … autibsp
		e.authenticate(e.bits(7, 5) & 4)
	case e.a64 == 0xd50320ff: // xpaclri
		e.authenticate(4)
	case e.is(0xfff00000, 0xd5300000), e.is(0xfff80000, 0xd5280000): // mrs, sysl
		e.set(e.rd(), value{}, false)
	}
}

// floating forgets the general registers that floating-point instructions write.
func (e *a64Effect) floating() {
	opcode := e.bits(18, 16)
	converts := opcode != 2 && opcode != 3 && opcode != 7
	switch {
	case e.is(0x5f20fc00, 0x1e200000) && converts, // fcvt*, fmov
		e.is(0x5f200000, 0x1e000000) && opcode < 2, // fcvt* to fixed point
		e.is(0xbfe0f400, 0x0e002400):               // umov, smov
		e.set(e.rd(), value{}, false)
	}
}

// ret executes a return through a register other than lr, which must hold the return
// address, as one through lr.
func (e *a64Effect) ret() {
	if e.is(0xfffff800, 0xd65f0800) { // retaa, retab
		return
	}
	e.s.reg[x30] = e.s.reg[e.rn()]
}

// probe preserves the frame size in x9 over a call to a stack probe
// (__chkstk_darwin), which touches the pages of a large frame. The call is recognised
// by the sub of x9 from sp that follows it.
func (e *a64Effect) probe(after []byte) {
	size := e.s.reg[x9]
	if size.kind != constant || len(after) < 4 {
		return
	}
	sub := a64(binary.LittleEndian.Uint32(after))
	if sub.is(0xffffe3ff, 0xcb2963ff) {
		e.s.probe = size
	}
}
