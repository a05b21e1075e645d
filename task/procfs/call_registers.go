//go:build linux

package procfs

import "stacksnap/task"

// argumentRegisters are those in which the arguments of a system call are, by DWARF
// number (syscall(2)).
var argumentRegisters = [task.NumArchs][]task.Reg{
	task.AMD64: {5, 4, 1, 10, 8, 9}, // rdi, rsi, rdx, r10, r8, r9
	task.ARM64: {0, 1, 2, 3, 4, 5},
	task.I386:  {3, 1, 2, 6, 7, 5}, // ebx, ecx, edx, esi, edi, ebp
	task.ARM:   {0, 1, 2, 3, 4, 5},
}

// inCall reports whether the registers of a captured thread are those of a call: its
// stack pointer, its arguments, and its place, which is behind the instruction that
// makes the call. On ARM a stop shows a thread that is going to make the call again
// at that instruction; of one at the next the first argument is not compared, as its
// register holds the result (do_signal, arch/arm64/kernel/signal.c).
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

// isCalling reports whether registers are at the instruction that makes a call, as the
// kernel leaves them on ARM where the call was interrupted and is to be made again.
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

// RegistersOf returns those that the syscall file of a waiting thread tells: pc, sp and the
// arguments of its call.
func (p *Process) RegistersOf(call *task.Syscall) task.Registers {
	r := task.Registers{Arch: p.Arch()}
	r.Set(r.Arch.PC(), uint64(call.PC))
	r.Set(r.Arch.SP(), uint64(call.SP))
	if call.State == task.InCall {
		setArguments(&r, call)
	}
	return r
}

// Interrupted reports whether a stopped thread was in the call until it was
// told to stop: its registers have the arguments still, and as the result that the
// call was interrupted, which is EINTR, or one of the codes by which the kernel
// knows that the call is to be made again (include/linux/errno.h: ERESTARTSYS to
// ERESTART_RESTARTBLOCK; what gdb and strace see of them too). On ARM the kernel has
// wound such a call back already.
func Interrupted(call *task.Syscall, r *task.Registers) bool {
	const result = task.Reg(0) // rax, eax, x0 and r0 alike
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
