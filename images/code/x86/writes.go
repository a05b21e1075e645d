package x86

const (
	rax, rcx, rdx, rbx, rsi, rdi, r11 = 0, 1, 2, 3, 6, 7, 11
)

// Writes returns the set of general registers that the instruction writes, whole or
// in part: bit r for register r. Implicit changes of rsp by push, pop, call, ret,
// leave and enter are not included.
func (i *Inst) Writes() uint32 {
	var w uint32
	if i.attr&wM != 0 && i.Register() {
		w |= 1 << i.part(i.RM)
	}
	if i.attr&wR != 0 {
		w |= 1 << i.part(i.Reg)
	}
	if i.attr&wO != 0 {
		w |= 1 << i.part(i.OpcodeRegister())
	}
	if i.attr&wV != 0 {
		w |= 1 << i.vector.vvvv
	}
	return w | i.implied()
}

// part returns the register that r is part of: without REX, the 8-bit registers 4 to
// 7 are ah, ch, dh and bh.
func (i *Inst) part(r uint8) uint8 {
	if i.attr&b8 != 0 && i.rex == 0 && r < 8 {
		return r & 3
	}
	return r
}

// implied returns the registers that the instruction writes without naming them.
func (i *Inst) implied() uint32 {
	var w uint32
	if i.attr&wA != 0 {
		w |= 1 << rax
	}
	if i.attr&wC != 0 {
		w |= 1 << rcx
	}
	if i.attr&wD != 0 {
		w |= 1 << rdx
	}
	if i.attr&wS != 0 {
		w |= 1<<rsi | 1<<rdi | 1<<rcx
	}
	switch i.Op {
	case 0x0f05: // syscall
		w |= 1<<rax | 1<<rcx | 1<<r11
	case 0x0fa2: // cpuid
		w |= 1 << rbx
	case 0x61: // popa
		w |= 0xef
	}
	return w
}

// OpcodeRegister returns the register in the opcode's low three bits, as in push, pop
// and mov of an immediate.
func (i *Inst) OpcodeRegister() uint8 { return uint8(i.Op&7) | i.rex<<3&8 }
