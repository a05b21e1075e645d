package task

// Registers holds a thread's general registers by DWARF number. A register whose value is not
// known (not captured, or lost on the way up the stack) has no bit in Known. In the zero value
// no register is known.
type Registers struct {
	Arch  Arch
	Known uint64 // bit i set: R[i] is a value
	R     [MaxRegisters]uint64
}

// Set records the value of a register. A number beyond the architecture's
// registers is ignored.
func (r *Registers) Set(reg Reg, v uint64) {
	if int(reg) >= r.Arch.NumRegisters() {
		return
	}
	r.R[reg] = v
	r.Known |= 1 << reg
}

// Forget marks a register's value as not known.
func (r *Registers) Forget(reg Reg) { r.Known &^= 1 << reg }

// Value returns a register's value, and false when it is not known.
func (r *Registers) Value(reg Reg) (uint64, bool) {
	if int(reg) >= MaxRegisters || r.Known&(1<<reg) == 0 {
		return 0, false
	}
	return r.R[reg], true
}

// PC returns the program counter, 0 when it is not known.
func (r *Registers) PC() Addr { return r.addr(r.Arch.PC()) }

// SP returns the stack pointer, 0 when it is not known.
func (r *Registers) SP() Addr { return r.addr(r.Arch.SP()) }

// FP returns the frame pointer, 0 when it is not known.
func (r *Registers) FP() Addr { return r.addr(r.Arch.FP()) }

// LR returns the link register, 0 when it is not known or there is none.
func (r *Registers) LR() Addr {
	lr, ok := r.Arch.LR()
	if !ok {
		return 0
	}
	return r.addr(lr)
}

func (r *Registers) addr(reg Reg) Addr {
	v, _ := r.Value(reg)
	return Addr(v)
}
