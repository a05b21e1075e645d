package ptrace

import "stacksnap/task"

// i386Layout is struct user_regs_struct32 (arch/x86/include/asm/user32.h): bx cx
// dx si di bp ax ds es fs gs orig_ax ip cs flags sp ss.
var i386Layout = layout{
	arch: task.I386,
	host: task.AMD64,
	size: 4,
	dwarf: []task.Reg{
		3, 1, 2, 6, 7, 5, 0, skip, skip, skip, skip, skip, 8, skip, skip, 4, skip,
	},
}
