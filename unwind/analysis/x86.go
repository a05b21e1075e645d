package analysis

import (
	"bytes"
	"encoding/binary"

	"stacksnap/images/code/x86"
)

// Register numbers on x86.
const (
	rax = 0
	rcx = 1
	rbx = 3
	rsp = 4
	rbp = 5
	rsi = 6
	rdi = 7
	r10 = 10
	r11 = 11
)

var x86Flow = [...]flow{
	x86.Next: next, x86.Jump: jump, x86.Branch: branch, x86.Call: call,
	x86.Ret: ret, x86.Indirect: indirect, x86.Stop: stop,
}

func stepAMD64(m *machine, code []byte, off uint32, s *state, in *inst) {
	var i x86.Inst
	if !i.Decode(code, off) {
		*in = inst{flow: stop, reads: notPlain}
		return
	}
	x86Step(&i, off, in)
	if i.Op == 0x8d && !i.Register() && i.ModRM&0xc7 == 5 { // lea n(%rip)
		in.refers, in.target = true, int64(off)+int64(i.Size)+int64(i.Disp)
	}
	if s == nil {
		in.reads, in.writes = amd64Plain(&i, in.flow)
		return
	}
	x86Run(m, &i, in, code, off, s)
}

func stepI386(m *machine, code []byte, off uint32, s *state, in *inst) {
	var i x86.Inst
	if !i.Decode32(code, off) {
		*in = inst{flow: stop, reads: notPlain}
		return
	}
	x86Step(&i, off, in)
	in.nop = in.nop || i386Filler(&i)
	if s == nil {
		in.reads = notPlain
		return
	}
	x86Run(m, &i, in, code, off, s)
}

// i386Filler reports whether an instruction is padding that GCC and assemblers use on
// i386: mov r, r and lea 0(r), r.
func i386Filler(i *x86.Inst) bool {
	switch {
	case i.Op == 0x89 && i.Register():
		return i.Wide() && i.Reg == i.RM
	case i.Op == 0x8d && !i.Register():
		return i.Wide() && i.Base == i.Reg && i.Index == x86.NoReg && i.Disp == 0
	}
	return false
}

// x86Step decodes the control flow of the instruction at off.
func x86Step(i *x86.Inst, off uint32, in *inst) {
	*in = inst{size: i.Size, flow: x86Flow[i.Flow()], nop: i.Op == 0x90 || i.Op == 0x0f1f, direct: i.Op == 0xe8}
	if in.flow == jump || in.flow == branch || in.direct {
		in.target = int64(off) + int64(i.Size) + i.Imm
	}
}

// x86Run executes the instruction.
func x86Run(m *machine, i *x86.Inst, in *inst, code []byte, off uint32, s *state) {
	if i.Op == 0x75 || i.Op == 0x0f85 { // jne
		in.equal = s.equal
	}
	if in.flow == indirect {
		in.table = i.Index != x86.NoReg || i.Register() && s.reg[i.RM].kind == computed
	}
	s.equal = 0
	e := x86Effect{i, m, s, code, off}
	switch {
	case in.direct && i.Imm == 0: // call of the next instruction, to get the pc
		in.flow = next
		e.push(value{})
	case in.flow == call:
		in.popped = e.reserved()
		e.probe()
	default:
		e.run()
		s.home.overwritten(i.Writes())
		m.anchor(s)
	}
}

// x86Effect executes an instruction.
type x86Effect struct {
	*x86.Inst
	*machine
	s    *state
	code []byte
	off  uint32
}

// run models what makes and removes frames:
//
//	push r      sp -= w; *sp = r            pop r       r = *sp; sp += w
//	mov a, b    b = a, in registers or in words of the frame
//	lea n(a), b b = a + n                   add, sub    a ± n
//	leave       sp = fp; pop fp
func (e *x86Effect) run() {
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

// wideEffect executes instructions on whole registers. It reports false for any
// other.
func (e *x86Effect) wideEffect() bool {
	r := &e.s.reg
	switch op := e.Op; {
	case op == 0x89 && e.Register():
		r[e.RM] = r[e.Reg]
	case op == 0x8b && e.Register():
		r[e.Reg] = r[e.RM]
	case op == 0x89:
		e.put(e.operand(), e.Scale, r[e.Reg])
	case op == 0x8b:
		r[e.Reg] = e.fetch(e.operand(), e.Scale)
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
	case op == 0x0fba && e.Register() && e.asyncBit(): // no change for a walk
	case op == 0xc7 && e.Register():
		r[e.RM] = number(e.Imm)
	case op == 0x39 && e.Register(), op == 0x3b && e.Register():
		e.compare()
	case op == 0x87 && e.Register(): // xchg
		r[e.RM], r[e.Reg] = r[e.Reg], r[e.RM]
	case op > 0x90 && op <= 0x97:
		r[rax], r[e.low()] = r[e.low()], r[rax]
	default:
		return false
	}
	return true
}

// asyncBit reports whether a bts or btr sets or clears swiftAsyncBit in the frame
// pointer. The bit is not part of the address, and the walk drops it.
func (e *x86Effect) asyncBit() bool {
	return e.RM == rbp && (e.Digit() == 5 || e.Digit() == 6) && e.Imm == swiftAsyncBit
}

// number returns a constant.
func number(n int64) value {
	if n != int64(int32(n)) {
		return value{}
	}
	return value{kind: constant, off: int32(n)}
}

// overwrite forgets the registers that any other instruction writes, and tracks
// immediates.
func (e *x86Effect) overwrite() {
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

// width returns how far push and pop move sp, in bytes.
func (e *x86Effect) width() int64 {
	if e.OpSize {
		return 2
	}
	return int64(e.word)
}

func (e *x86Effect) push(v value) {
	sp := &e.s.reg[rsp]
	*sp = sp.add(-e.width())
	e.put(*sp, 0, v)
}

// put writes v to the word at a, or with a scale at a plus the operand's scaled
// index.
func (e *x86Effect) put(a value, scale uint8, v value) {
	switch {
	case a.kind == aligned:
		e.s.home.keep(e.place(a, scale), v)
		if scale == 0 {
			e.save(&e.s.below, a.off, v)
		}
	case a.kind == frame && scale == 0:
		e.store(e.s, a.off, v)
	}
}

// fetch returns the value of that word.
func (e *x86Effect) fetch(a value, scale uint8) value {
	switch h := &e.s.home; {
	case a.kind == aligned && h.known && h.place == e.place(a, scale):
		if h.gap {
			return value{kind: gap, off: h.off}
		}
		return atCFA(h.off)
	case a.kind == aligned && scale == 0:
		return e.saved(&e.s.below, a.off)
	case a.kind == frame && scale == 0:
		return e.load(e.s, a.off)
	}
	return value{}
}

func (e *x86Effect) place(a value, scale uint8) place {
	if scale == 0 {
		return place{at: a.off}
	}
	return place{a.off, e.Index, scale}
}

// operand returns a memory operand's address without its index.
func (e *x86Effect) operand() value {
	if e.Base == x86.NoReg {
		return value{}
	}
	if e.Disp == 0 { // lea 0(r), r is padding too
		return e.s.reg[e.Base]
	}
	return e.s.reg[e.Base].add(int64(e.Disp))
}

func (e *x86Effect) pop(r uint8) {
	sp, v := &e.s.reg[rsp], value{}
	if !e.OpSize {
		v = e.fetch(*sp, 0)
	}
	*sp = sp.add(e.width())
	e.s.reg[r] = v
}

// low returns the register in the opcode's low bits.
func (e *x86Effect) low() uint8 { return e.OpcodeRegister() }

// address returns the address of a memory operand.
func (e *x86Effect) address() value {
	if e.Index != x86.NoReg {
		return value{kind: computed}
	}
	return e.operand()
}

// sum executes to ± from, where from is a known number or the distance that sp is
// moved:
//
//	sp -= r    from now on r = cfa + off - base, where base is sp
//	sp += r    base + k + (cfa + off - base) = cfa + off + k
func (e *x86Effect) sum(to, from uint8, sign int64) {
	r := &e.s.reg
	v, was := r[from], r[to]
	switch {
	case v.kind == constant:
		r[to] = was.add(sign * int64(v.off))
	case to == rsp && from != rsp && sign < 0 && was.kind == frame:
		r[rsp] = value{}
		e.anchor(e.s)
		r[from] = value{kind: gap, off: was.off}
	case sign > 0 && was.kind == aligned && v.kind == gap:
		r[to] = atCFA(v.off).add(int64(was.off))
	default:
		r[to] = value{kind: computed}
	}
}

// compare records a comparison of sp. A loop that touches the pages of a large frame
// ends when sp equals the register that holds the frame's end.
func (e *x86Effect) compare() {
	switch {
	case e.RM == rsp:
		e.s.equal = 1 + e.Reg
	case e.Reg == rsp:
		e.s.equal = 1 + e.RM
	}
}

// reserved returns n if sub $n, %rsp follows a call: the callee popped n bytes of
// arguments, as in Swift's calling conventions for tail calls, and the caller
// reserves them again.
func (e *x86Effect) reserved() int32 {
	after := e.behind()
	if len(after) >= 3 && string(after[:2]) == "\x83\xec" && after[2] < 0x80 {
		return int32(after[2])
	}
	if len(after) >= 6 && string(after[:2]) == "\x81\xec" {
		return int32(binary.LittleEndian.Uint32(after[2:]))
	}
	return 0
}

// probe preserves the frame size in rax over a call to a stack probe
// (__chkstk_darwin), which touches the pages of a large frame. The call is recognised
// by the sub rax, rsp that follows it.
func (e *x86Effect) probe() {
	size := e.s.reg[rax]
	after := e.behind()
	if size.kind == constant && len(after) >= 2 && string(after[:2]) == "\x29\xc4" {
		e.s.probe = size
	}
}

// behind returns the code after the instruction, without the prefix for whole
// registers; nil if that prefix is missing.
func (e *x86Effect) behind() []byte {
	after := e.code[e.off+e.Size:]
	if e.word == 4 {
		return after
	}
	if wide, ok := bytes.CutPrefix(after, []byte{0x48}); ok {
		return wide
	}
	return nil
}
