package analysis

import "stacksnap/images/code/x86"

// amd64Plain returns what an instruction reads and writes as a [plain], or notPlain.
func amd64Plain(i *x86.Inst, f flow) (reads uint8, writes uint32) {
	writes = i.Writes()
	if f != next || writes>>rsp&1 != 0 || movesSP(i) {
		return notPlain, 0
	}
	if reads = always; i.Wide() {
		reads = amd64Reads(i)
	}
	if reads == rsp || i.Op&0xfff8 == 0xb8 && !i.OpSize { // sp is always known, and so is an immediate
		return notPlain, 0
	}
	return reads, writes
}

// movesSP reports whether the instruction pushes or pops, whatever its operand.
func movesSP(i *x86.Inst) bool {
	switch op := i.Op; op {
	case 0x68, 0x6a, 0x8f, 0x9c, 0x9d, 0xc8, 0xc9, 0x0fa0, 0x0fa1, 0x0fa8, 0x0fa9:
		return true
	case 0xff:
		return i.Digit() == 6
	default:
		return op&0xfff0 == 0x50
	}
}

// amd64Reads returns the register that decides the effect of an instruction on whole
// registers; see x86Effect.wideEffect.
func amd64Reads(i *x86.Inst) uint8 {
	switch op := i.Op; {
	case op == 0x89 && i.Register():
		return i.Reg
	case op == 0x8b && i.Register():
		return i.RM
	case op == 0x89, op == 0x8b, op == 0x8d && i.Index == x86.NoReg:
		return min(i.Base, always)
	case op == 0x8d, op == 0xc7 && i.Register(), op == 0x0fba && i.Register(), op == 0x87 && i.Register(), op > 0x90 && op <= 0x97:
		return notPlain
	case (op == 0x81 || op == 0x83) && i.Register() && (i.Digit() == 0 || i.Digit() == 5):
		return i.RM
	case (op == 0x01 || op == 0x03 || op == 0x29 || op == 0x2b) && i.Register():
		return notPlain
	case (op == 0x39 || op == 0x3b) && i.Register() && (i.RM == rsp || i.Reg == rsp):
		return notPlain
	}
	return always
}
