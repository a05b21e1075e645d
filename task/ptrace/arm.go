package ptrace

import "stacksnap/task"

// armLayout is struct pt_regs of a 32-bit thread (compat_user_regset,
// arch/arm64/kernel/ptrace.c): r0 to r15, cpsr, orig_r0.
var armLayout = layout{
	arch: task.ARM,
	host: task.ARM64,
	size: 4,
	dwarf: []task.Reg{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, skip, skip,
	},
}
