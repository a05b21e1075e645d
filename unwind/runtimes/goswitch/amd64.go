package goswitch

import "stacksnap/images/code/x86"

// Registers as x86 numbers them.
const (
	rsp = 4
	rbp = 5
)

// amd64 follows code such as
//
//	mov g(%rsp), %rdi; mov hi(%rdi), %rsi; sub d(%rsp), %rsi; mov %rdi, %gs:0x30
//	mov %rsi, %rsp; mov %eax, 0x20(%rsp); pop %rbp; ret
//
// or, where no goroutine's stack was left,
//
//	mov d(%rsp), %rsi; mov %rsi, %rsp; mov %eax, 0x20(%rsp); pop %rbp; ret
func (b *back) amd64(code []byte) bool {
	var i x86.Inst
	for off := uint32(0); i.Decode(code, off); off += i.Size {
		switch {
		case i.Flow() == x86.Ret:
			b.ra, b.hasRA = b.moved, true
			return b.on
		case i.Flow() != x86.Next || i.Base == rsp && storesAMD64(&i) && !b.spares(b.moved+i.Disp):
			return false
		case b.on:
			if !b.unwindAMD64(&i) {
				return false
			}
		case i.Op == 0x89 && i.Wide() && i.Register() && i.RM == rsp:
			if !b.enter(b.reg[i.Reg]) {
				return false
			}
		case !b.stepAMD64(&i):
			return false
		}
	}
	return false
}

// storesAMD64 reports whether an instruction may write to its memory operand.
func storesAMD64(i *x86.Inst) bool {
	return !i.Register() && i.Op != 0x8b && i.Op != 0x2b
}

// unwindAMD64 executes an instruction after rsp was set.
func (b *back) unwindAMD64(i *x86.Inst) bool {
	switch {
	case i.Op&0xfff8 == 0x58: // pop
		if i.OpcodeRegister() == rbp {
			b.fp, b.hasFP = b.moved, true
		}
		b.moved += 8
		return i.OpcodeRegister() != rsp
	case i.Op == 0x89: // stores the result where the caller expects it
		return !i.Register()
	}
	return false
}

// stepAMD64 executes an instruction before rsp is set.
func (b *back) stepAMD64(i *x86.Inst) bool {
	var v value
	switch {
	case i.Op == 0x89 && !i.Register(): // stores g in the thread
		return true
	case i.Op == 0x89 && i.Register():
		if i.Wide() {
			v = b.reg[i.Reg]
		}
		b.reg[i.RM] = v
		return true
	case i.Op == 0xc7 && i.Register() && i.RM != rsp: // where the thread has it
		b.reg[i.RM] = v
		return true
	case i.Op != 0x8b && i.Op != 0x2b || i.Register() || i.Reg == rsp:
		return false
	case !i.Wide() || i.Index != x86.NoReg || i.Base == x86.NoReg:
	case i.Base == rsp && i.Op == 0x8b:
		v = value{kind: word, off: i.Disp}
	case i.Base == rsp:
		v = b.reg[i.Reg].minus(value{kind: word, off: i.Disp})
	case i.Op == 0x8b:
		v = b.reg[i.Base].loaded(i.Disp)
	}
	b.reg[i.Reg] = v
	return true
}
