package waits

import (
	"encoding/binary"
	"strings"

	"stacksnap/task"
)

// darwinCall returns the call that a thread is in, from its registers. The kernel does not
// change them until the call returns (bsd/dev/arm/systemcalls.c, unix_syscall;
// bsd/dev/i386/systemcalls.c, unix_syscall64). The instruction before the pc must be one
// that enters the kernel.
func (f *Finder) darwinCall(t *task.Thread) task.Syscall {
	r := &t.Registers
	number, ok := f.darwinNumber(r)
	if !ok || t.State == task.Running {
		return task.Syscall{}
	}
	s := task.Syscall{State: task.InCall, Number: number, SP: r.SP(), PC: r.PC()}
	if s.Args, ok = callArguments(r); !ok {
		return task.Syscall{}
	}
	return s
}

// The registers with a call's number, and the instruction that enters the kernel. On
// x86_64, bits 24 and up of rax are the class: 1 Mach, 2 BSD
// (osfmk/mach/i386/syscall_sw.h). On arm64, a negative x16 is a Mach trap
// (osfmk/arm64/sleh.c, handle_svc).
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

// atDarwinLoopCall is AtLoopCall for Darwin. The functions that enter the kernel have the
// call's name ("kevent_qos", "__workq_kernreturn"), those of Mach traps with "_trap" behind
// it. They leave the arguments where they are, and so does the kernel but for the first
// two of a BSD call. The functions around mach_msg_trap do not: which of them a thread is in
// does not show whether it sends.
func (f *Finder) atDarwinLoopCall(r *task.Registers, function string) bool {
	name, isTrap := strings.CutSuffix(function, "_trap")
	row, known := darwinCalls()[name]
	if !known {
		row, known = darwinCalls()[strings.TrimLeft(name, "_")]
	}
	if !known {
		number, ok := f.darwinNumber(r)
		if !ok {
			return false
		}
		c, _ := Lookup(task.Darwin, r.Arch, number)
		row, isTrap = c.callRow, true
	}
	args, ok := callArguments(r)
	if shapes[row.shape].isMessage && !(ok && isTrap) {
		return false
	}
	return row.kind(args) == Loop
}

// DarwinCall returns the call that a waiting thread of a Darwin process is in, from its
// registers.
func DarwinCall(p task.Process, r *task.Registers) task.Syscall {
	f := Finder{process: p, info: p.Info()}
	return f.darwinCall(&task.Thread{Registers: *r})
}
