package waits

import (
	"encoding/binary"

	"stacksnap/task"
)

// darwinCall reads the call out of the registers, which the kernel leaves alone
// until the call returns (bsd/dev/arm/systemcalls.c, unix_syscall;
// bsd/dev/i386/systemcalls.c, unix_syscall64). The instruction before the pc
// must be one that enters the kernel.
func (f *Finder) darwinCall(t *task.Thread) task.Syscall {
	r := &t.Registers
	number, ok := f.darwinNumber(r)
	if !ok || t.State == task.Running {
		return task.Syscall{}
	}
	s := task.Syscall{State: task.InCall, Number: number, SP: r.SP(), PC: r.PC()}
	for i, reg := range argumentRegisters(task.Darwin, r.Arch) {
		v, known := r.Value(reg)
		if !known {
			return task.Syscall{}
		}
		s.Args[i] = v
	}
	return s
}

// Where a call's number is, and how it is entered. On x86_64 bits 24 and up of
// rax are the class: 1 Mach, 2 BSD (osfmk/mach/i386/syscall_sw.h). On arm64 a
// negative x16 is a Mach trap (osfmk/arm64/sleh.c, handle_svc).
const (
	raxReg   = 0
	x16Reg   = 16
	svc80    = 0xd4001001
	classBit = 24
)

func (f *Finder) darwinNumber(r *task.Registers) (int, bool) {
	var b [4]byte
	m := f.process.Memory()
	switch r.Arch {
	case task.AMD64:
		rax, known := r.Value(raxReg)
		if !known || task.ReadFull(m, b[:2], r.PC()-2) != nil || b[0] != 0x0f || b[1] != 0x05 {
			return 0, false
		}
		return classNumber(rax)
	case task.ARM64:
		x16, known := r.Value(x16Reg)
		if !known || task.ReadFull(m, b[:], r.PC()-4) != nil || binary.LittleEndian.Uint32(b[:]) != svc80 {
			return 0, false
		}
		return int(int32(x16)), true
	}
	return 0, false
}

func classNumber(rax uint64) (int, bool) {
	number := int(rax & (1<<classBit - 1))
	switch rax >> classBit {
	case 1:
		return -number, true
	case 2:
		return number, true
	}
	return 0, false
}

// DarwinCall reads the call that a waiting thread of a Darwin process is in out
// of its registers.
func DarwinCall(p task.Process, r *task.Registers) task.Syscall {
	f := Finder{process: p, info: p.Info()}
	return f.darwinCall(&task.Thread{Registers: *r})
}
