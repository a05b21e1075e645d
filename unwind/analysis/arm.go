package analysis

import "encoding/binary"

// Register numbers on ARM. The frame pointer is r7, as in Apple's ABI and in Thumb
// code.
const (
	armFP = 7
	armIP = 12
	armSP = 13
	armLR = 14
	armPC = 15
)

// arm is armv7 in ARM code, thumb in Thumb code. Only on iOS is r9 not preserved.
var (
	arm   = armMachine(4, stepARM)
	thumb = armMachine(2, stepThumb)
)

func armMachine(unit uint32, step func(*machine, []byte, uint32, *state, *inst)) machine {
	m := machine{
		unit:  unit,
		sp:    armSP,
		fp:    armFP,
		lr:    armLR,
		word:  4,
		size:  armIP,
		kept:  []uint8{4, 5, 6, armFP, 8, 10, 11, armLR},
		carry: 1<<armSP | 0xdf0,
		step:  step,
	}
	for i := range m.dwarf[:armPC+1] {
		m.dwarf[i] = uint8(i)
	}
	return m
}

// armMachines has the machine for Thumb code (true) and for ARM code.
var armMachines = map[bool]*machine{false: &arm, true: &thumb}

// looksThumb guesses whether code at a multiple of four is Thumb code, where nothing
// else says. Nearly all ARM instructions have the condition "always", 14, in their
// highest bits. Few words of Thumb code do, except those with the second half of a
// vector instruction.
func looksThumb(code []byte) bool {
	const most = 256 // bytes examined
	always, others := 0, 0
	for b := code[:min(len(code), most)]; len(b) >= 4; b = b[4:] {
		switch w := binary.LittleEndian.Uint32(b); {
		case w>>26 == 0x3b || w>>25 == 0x79: // vector instructions
		case w>>28 == 14:
			always++
		default:
			others++
		}
	}
	return always <= others
}

// armOp is the part of an instruction's meaning that a walk needs.
type armOp uint8

const (
	armOther armOp = iota // the registers in list are overwritten
	armMove               // rd = rn + imm
	armConst              // rd = imm
	armTop                // rd = imm<<16 with the lower half of rd
	armSum                // rd = rn + sign·rm
	armLoad               // rd, and the registers in list after it, = *(rn + imm)
	armStore              // *(rn + imm) = those registers
)

// armInst is an instruction of ARM or Thumb code.
type armInst struct {
	inst
	op         armOp
	rd, rn, rm uint8
	sign       int32 // of rm
	imm        int32
	list       uint32 // registers, a bit each
	// back is how far rn moves by a load or store; imm is relative to the old rn.
	back int32
	// block: how many following instructions are conditional; conditional: this one
	// is.
	block       uint8
	conditional bool
	leaving     bool // it moves sp, and a later instruction on the same condition leaves the function
}

// run executes the instruction. If a conditional one leaves the function, the code
// after it runs on the opposite condition, where none of them was executed.
func (i *armInst) run(m *machine, s *state) {
	switch {
	case !i.conditional:
		i.effect(m, s)
	case i.leaving: // a few instructions later
		s.moved = true
	case i.flow == ret || i.flow == indirect:
		i.flow, s.moved = next, false
	case i.flow == jump || i.flow == branch:
		i.flow, s.moved = branch, false
	default:
		done := *s
		i.effect(m, &done)
		s.meet(&done)
	}
}

// common copies the parts of an instruction that are common to all architectures. No
// ARM instruction is [plain], because its effect depends on the condition.
func (i *armInst) common(in *inst) {
	*in = i.inst
	in.reads = notPlain
}

// movesSP reports whether the instruction changes sp.
func (i *armInst) movesSP() bool {
	switch i.op {
	case armOther:
		return i.list>>armSP&1 != 0
	case armLoad, armStore:
		return i.rn == armSP && i.back != 0
	}
	return i.rd == armSP
}

// leaves reports whether the instruction leaves its function, which has size bytes.
func (i *armInst) leaves(size int) bool {
	switch i.flow {
	case ret, indirect:
		return true
	case jump, branch:
		return i.target < 0 || i.target >= int64(size)
	}
	return false
}

func (i *armInst) effect(m *machine, s *state) {
	r := &s.reg
	switch i.op {
	case armMove:
		r[i.rd] = r[i.rn]
		if i.imm != 0 {
			r[i.rd] = r[i.rn].add(int64(i.imm))
		}
	case armConst:
		r[i.rd] = number(int64(i.imm))
	case armTop:
		r[i.rd] = r[i.rd].top(i.imm)
	case armSum:
		r[i.rd] = armSumOf(r[i.rn], r[i.rm], i.sign)
	case armLoad, armStore:
		i.transfer(m, s)
	default:
		for k := range r[:armPC] {
			if i.list>>k&1 != 0 {
				r[k] = value{}
			}
		}
	}
	if i.flow == indirect && i.op == armMove {
		i.table = r[i.rn].kind == computed
	}
	r[armPC] = value{}
	m.anchor(s)
}

// top returns v with its upper half set to imm.
func (v value) top(imm int32) value {
	if v.kind != constant {
		return value{}
	}
	return number(int64(imm<<16 | v.off&0xffff))
}

func armSumOf(a, b value, sign int32) value {
	if b.kind == constant {
		return a.add(int64(sign) * int64(b.off))
	}
	if a.kind == constant && sign > 0 {
		return b.add(int64(a.off))
	}
	return value{kind: computed}
}

// transfer loads or stores the registers of list, the lowest at rn + imm, the others
// in the words above.
func (i *armInst) transfer(m *machine, s *state) {
	at := s.reg[i.rn].add(int64(i.imm))
	loaded := [16]value{}
	for k := uint8(0); k <= armPC; k++ {
		if i.list>>k&1 == 0 {
			continue
		}
		if i.op == armLoad {
			loaded[k] = armWord(m, s, at)
		} else {
			armPut(m, s, at, s.reg[k])
		}
		at = at.add(4)
	}
	if i.back != 0 {
		s.reg[i.rn] = s.reg[i.rn].add(int64(i.back))
	}
	if i.op == armStore {
		return
	}
	for k := range loaded[:armPC] {
		if i.list>>k&1 != 0 {
			s.reg[k] = loaded[k]
		}
	}
	if i.list>>armPC&1 != 0 && i.flow == ret {
		s.reg[armLR] = loaded[armPC] // the return address
	}
}

func armWord(m *machine, s *state, at value) value {
	switch at.kind {
	case frame:
		return m.load(s, at.off)
	case aligned:
		return m.saved(&s.below, at.off)
	}
	return value{}
}

func armPut(m *machine, s *state, at value, v value) {
	switch at.kind {
	case frame:
		m.store(s, at.off, v)
	case aligned:
		m.save(&s.below, at.off, v)
	}
}
