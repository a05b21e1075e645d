package analysis

import (
	"encoding/binary"

	"stacksnap/images/code/x86"
)

// Registers as x86_64 numbers them.
const (
	rax = 0
	rsp = 4
	rbp = 5
	r10 = 10
	r11 = 11
)

var amd64 = machine{
	unit:  1,
	sp:    rsp,
	fp:    rbp,
	lr:    numRegisters,
	word:  8,
	size:  rax,
	kept:  []uint8{3, rbp, 12, 13, 14, 15},
	carry: 1<<rsp | 1<<rbp | 1<<3 | 1<<r10 | 1<<r11 | 0xf000,
	dwarf: [numRegisters]uint8{0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15},
	step:  stepAMD64,
}

var amd64Flow = [...]flow{
	x86.Next: next, x86.Jump: jump, x86.Branch: branch, x86.Call: call,
	x86.Ret: ret, x86.Indirect: indirect, x86.Stop: stop,
}

func stepAMD64(m *machine, code []byte, off uint32, s *state) inst {
	var i x86.Inst
	if !i.Decode(code, off) {
		return inst{flow: stop}
	}
	in := inst{size: i.Size, flow: amd64Flow[i.Flow()], nop: i.Op == 0x90 || i.Op == 0x0f1f}
	if i.Direct() {
		in.target = int64(off) + int64(i.Size) + i.Imm
	}
	if s == nil {
		return in
	}
	if i.Op == 0x75 || i.Op == 0x0f85 { // jne
		in.equal = s.equal
	}
	if in.flow == indirect {
		in.table = i.Index != x86.NoReg || i.Register() && s.reg[i.RM].kind == computed
	}
	s.equal = 0
	e := amd64Effect{&i, m, s, code, off}
	switch {
	case in.flow == call && i.Direct() && i.Imm == 0: // call of what follows, to learn where it is
		in.flow = next
		e.push(value{})
	case in.flow == call:
		in.popped = e.reserved()
		e.probe()
	default:
		e.run()
	}
	return in
}

// amd64Effect carries an instruction out.
type amd64Effect struct {
	*x86.Inst
	*machine
	s    *state
	code []byte
	off  uint32
}

// run models what makes and removes frames:
//
//	push r      sp -= 8; *sp = r            pop r       r = *sp; sp += 8
//	mov a, b    b = a, in registers or in words of the frame
//	lea n(a), b b = a + n                   add, sub    a ± n
//	leave       sp = fp; pop fp
func (e *amd64Effect) run() {
	switch op := e.Op; {
	case op&0xfff8 == 0x50: // push
		e.push(e.s.reg[e.low()])
	case op == 0x68 || op == 0x6a || op == 0x9c || op == 0xff && e.Digit() == 6 || op == 0x0fa0 || op == 0x0fa8:
		e.push(value{})
	case op&0xfff8 == 0x58: // pop
		e.pop(e.low())
	case op == 0x9d || op == 0x0fa1 || op == 0x0fa9 || op == 0x8f && !e.Register():
		e.s.reg[rsp] = e.s.reg[rsp].add(e.width())
	case op == 0x8f:
		e.pop(e.RM)
	case op == 0xc9: // leave
		e.s.reg[rsp] = e.s.reg[rbp]
		e.pop(rbp)
	case op == 0xc8: // enter
		e.s.reg[rsp], e.s.reg[rbp] = value{}, value{}
	case !e.Wide() || !e.wideEffect():
		e.overwrite()
	}
}

// wideEffect models instructions on whole registers, and reports whether the
// instruction is one of them.
func (e *amd64Effect) wideEffect() bool {
	r := &e.s.reg
	switch op := e.Op; {
	case op == 0x89 && e.Register():
		r[e.RM] = r[e.Reg]
	case op == 0x8b && e.Register():
		r[e.Reg] = r[e.RM]
	case op == 0x89:
		e.save()
	case op == 0x8b:
		r[e.Reg] = e.loaded()
	case op == 0x8d:
		r[e.Reg] = e.address()
	case (op == 0x81 || op == 0x83) && e.Register() && e.Digit() == 0:
		r[e.RM] = r[e.RM].add(e.Imm)
	case (op == 0x81 || op == 0x83) && e.Register() && e.Digit() == 5:
		r[e.RM] = r[e.RM].add(-e.Imm)
	case op == 0x29 && e.Register():
		e.sum(e.RM, e.Reg, -1)
	case op == 0x01 && e.Register():
		e.sum(e.RM, e.Reg, 1)
	case op == 0x2b && e.Register():
		e.sum(e.Reg, e.RM, -1)
	case op == 0x03 && e.Register():
		e.sum(e.Reg, e.RM, 1)
	case op == 0x0fba && e.Register() && e.asyncBit(): // as it was, to a walk
	case op == 0xc7 && e.Register():
		r[e.RM] = number(e.Imm)
	case op == 0x39 && e.Register(), op == 0x3b && e.Register():
		e.compare()
	default:
		return false
	}
	return true
}

// asyncBit tells whether a bts or btr sets or clears the bit of a frame pointer
// that says that a Swift async context lies below it. It is no part of the
// address, and the walk drops it.
func (e *amd64Effect) asyncBit() bool {
	return e.RM == rbp && (e.Digit() == 5 || e.Digit() == 6) && e.Imm == swiftAsyncBit
}

// number is a constant.
func number(n int64) value {
	if n != int64(int32(n)) {
		return value{}
	}
	return value{kind: constant, off: int32(n)}
}

// overwrite forgets the registers that other instructions write, and knows
// immediates.
func (e *amd64Effect) overwrite() {
	w := e.Writes()
	for r := uint8(0); w != 0; r, w = r+1, w>>1 {
		if w&1 != 0 {
			e.s.reg[r] = value{}
		}
	}
	if e.Op&0xfff8 == 0xb8 && !e.OpSize {
		e.s.reg[e.low()] = number(e.Imm)
	}
}

// width is how far push and pop move sp.
func (e *amd64Effect) width() int64 {
	if e.OpSize {
		return 2
	}
	return 8
}

func (e *amd64Effect) push(v value) {
	sp := &e.s.reg[rsp]
	*sp = sp.add(-e.width())
	if sp.kind == frame {
		e.store(e.s, sp.off, v)
	}
}

func (e *amd64Effect) pop(r uint8) {
	sp, v := &e.s.reg[rsp], value{}
	if sp.kind == frame && !e.OpSize {
		v = e.load(e.s, sp.off)
	}
	*sp = sp.add(e.width())
	e.s.reg[r] = v
}

// low is the register in the opcode's low bits.
func (e *amd64Effect) low() uint8 { return e.OpcodeRegister() }

// address is what a memory operand's address is.
func (e *amd64Effect) address() value {
	switch {
	case e.Index != x86.NoReg:
		return value{kind: computed}
	case e.Base == x86.NoReg:
		return value{}
	}
	return e.s.reg[e.Base].add(int64(e.Disp))
}

func (e *amd64Effect) save() {
	if a := e.address(); a.kind == frame {
		e.store(e.s, a.off, e.s.reg[e.Reg])
	}
}

func (e *amd64Effect) loaded() value {
	if a := e.address(); a.kind == frame {
		return e.load(e.s, a.off)
	}
	return value{}
}

// sum is to ± from, where from is a known number.
func (e *amd64Effect) sum(to, from uint8, sign int64) {
	v := e.s.reg[from]
	if v.kind != constant {
		e.s.reg[to] = value{kind: computed}
		return
	}
	e.s.reg[to] = e.s.reg[to].add(sign * int64(v.off))
}

// compare notes a comparison of sp: a loop that touches the pages of a large
// frame ends when it is equal to the register that knows the frame's end.
func (e *amd64Effect) compare() {
	switch {
	case e.RM == rsp:
		e.s.equal = 1 + e.Reg
	case e.Reg == rsp:
		e.s.equal = 1 + e.RM
	}
}

// reserved is n where sub $n, %rsp stands behind a call: what a callee that
// popped its arguments, as those of Swift's calling conventions for tail calls
// do, has to be given back.
func (e *amd64Effect) reserved() int32 {
	after := e.code[e.off+e.Size:]
	if len(after) >= 4 && string(after[:3]) == "\x48\x83\xec" && after[3] < 0x80 {
		return int32(after[3])
	}
	if len(after) >= 7 && string(after[:3]) == "\x48\x81\xec" {
		return int32(binary.LittleEndian.Uint32(after[3:]))
	}
	return 0
}

// probe keeps the size of a frame in rax over a call: what touches the pages of
// a large frame (__chkstk_darwin) preserves it, and is known by the sub rax, rsp
// behind the call.
func (e *amd64Effect) probe() {
	size := e.s.reg[rax]
	after := e.code[e.off+e.Size:]
	if size.kind == constant && len(after) >= 3 && string(after[:3]) == "\x48\x29\xc4" {
		e.s.probe = size
	}
}
