package ptrace

import "stacksnap/task"

// amd64Layout is struct user_regs_struct (arch/x86/include/asm/user_64.h):
// r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss
// fs_base gs_base ds es fs gs.
var amd64Layout = layout{
	arch: task.AMD64,
	host: task.AMD64,
	size: 8,
	dwarf: []task.Reg{
		15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5, skip, 16, skip, skip, 7, skip,
		skip, skip, skip, skip, skip, skip,
	},
}
