//go:build linux

package procfs

import "stacksnap/task"

// argumentRegisters are the registers that hold the arguments of a system call, by DWARF number
// (syscall(2)).
var argumentRegisters = [task.NumArchs][]task.Reg{
	task.AMD64: {5, 4, 1, 10, 8, 9}, // rdi, rsi, rdx, r10, r8, r9
	task.ARM64: {0, 1, 2, 3, 4, 5},
	task.I386:  {3, 1, 2, 6, 7, 5}, // ebx, ecx, edx, esi, edi, ebp
	task.ARM:   {0, 1, 2, 3, 4, 5},
}

// inCall reports whether the registers of a captured thread are those of a call. It compares the
// stack pointer, the arguments and the pc, which is just after the instruction that makes the
// call. On ARM, a thread that will make the call again stops at that instruction. If it stops at
// the next one, the first argument is not compared, because its register holds the result
// (do_signal, arch/arm64/kernel/signal.c).
func inCall(r *task.Registers, c *task.Syscall) bool {
	if c.State != task.InCall || c.SP != r.SP() || argumentRegisters[r.Arch] == nil {
		return false
	}
	again := isCalling(r, c)
	if !again && c.PC != r.PC() {
		return false
	}
	for i, reg := range argumentRegisters[r.Arch] {
		if i == 0 && resultInFirst(r.Arch) && !again {
			continue
		}
		if v, ok := r.Value(reg); !ok || v != c.Args[i] {
			return false
		}
	}
	return true
}

// isCalling reports whether the pc is at the instruction that makes the call. The kernel leaves
// it there on ARM when the call was interrupted and will be made again.
func isCalling(r *task.Registers, c *task.Syscall) bool {
	size := c.PC - r.PC()
	return r.Arch == task.ARM64 && size == 4 || r.Arch == task.ARM && (size == 4 || size == 2)
}

func setArguments(r *task.Registers, c *task.Syscall) {
	for i, reg := range argumentRegisters[r.Arch] {
		r.Set(reg, c.Args[i])
	}
}

func resultInFirst(a task.Arch) bool { return a == task.ARM64 || a == task.ARM }

// RegistersOf returns the registers that the syscall file of a waiting thread has: pc, sp and
// the arguments of its call.
func (p *Process) RegistersOf(call *task.Syscall) task.Registers {
	r := task.Registers{Arch: p.Arch()}
	r.Set(r.Arch.PC(), uint64(call.PC))
	r.Set(r.Arch.SP(), uint64(call.SP))
	if call.State == task.InCall {
		setArguments(&r, call)
	}
	return r
}

// Interrupted reports whether a stopped thread was in the call until it was ordered to stop. Its
// registers then still have the arguments, and as the result either EINTR or one of the codes by
// which the kernel knows that the call is to be made again (include/linux/errno.h: ERESTARTSYS
// to ERESTART_RESTARTBLOCK; gdb and strace see them too). On ARM the kernel has already wound
// such a call back.
func Interrupted(call *task.Syscall, r *task.Registers) bool {
	const result = task.Reg(0) // rax, eax, x0 and r0 have the same number
	if !inCall(r, call) {
		return false
	}
	switch v, _ := r.Value(result); -int32(v) {
	case 4, 512, 513, 514, 516:
		return true
	}
	return isCalling(r, call)
}

func isAt(r *task.Registers, c *task.Syscall) bool { return c.PC == r.PC() && c.SP == r.SP() }
