//go:build linux && (amd64 || arm64)

package ptrace

import "stacksnap/task"

// The registers in which the arguments of a system call are, by DWARF number:
// rdi, rsi, rdx, r10, r8, r9; x0 to x5; ebx, ecx, edx, esi, edi, ebp; r0 to r5
// (syscall(2)).
var (
	amd64Arguments = [6]task.Reg{5, 4, 1, 10, 8, 9}
	arm64Arguments = [6]task.Reg{0, 1, 2, 3, 4, 5}
	i386Arguments  = [6]task.Reg{3, 1, 2, 6, 7, 5}
)

func argumentRegisters(a task.Arch) *[6]task.Reg {
	switch a {
	case task.AMD64:
		return &amd64Arguments
	case task.I386:
		return &i386Arguments
	}
	return &arm64Arguments
}

// sameArguments tells whether a captured thread has the arguments of a call in
// its registers. On ARM the first one is not compared: the register holds the
// result when the call was interrupted.
func sameArguments(r *task.Registers, c *task.Syscall) bool {
	for i, reg := range argumentRegisters(r.Arch) {
		if i == 0 && resultInFirst(r.Arch) {
			continue
		}
		if v, ok := r.Value(reg); !ok || v != c.Args[i] {
			return false
		}
	}
	return true
}

func setArguments(r *task.Registers, c *task.Syscall) {
	for i, reg := range argumentRegisters(r.Arch) {
		r.Set(reg, c.Args[i])
	}
}

func resultInFirst(a task.Arch) bool { return a == task.ARM64 || a == task.ARM }
