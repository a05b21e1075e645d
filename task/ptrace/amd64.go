package ptrace

import (
	"encoding/binary"

	"stacksnap/task"
)

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

// origRAX is the index of orig_ax in amd64Layout.
const origRAX = 15

// endedCall returns the system call that ended on a thread's way into a stop. The kernel keeps
// the number in orig_ax; a thread that came from elsewhere, such as an interrupt, has −1 there.
// regs are what r was decoded from. A call that is to be made again has not ended.
func endedCall(regs []byte, r *task.Registers) task.Syscall {
	if r.Arch != task.AMD64 || len(regs) < (origRAX+1)*8 {
		return task.Syscall{}
	}
	number := int64(binary.LittleEndian.Uint64(regs[origRAX*8:]))
	const result, firstRestart, lastRestart = task.Reg(0), 512, 516 // include/linux/errno.h
	v, _ := r.Value(result)
	if code := -int64(v); number < 0 || firstRestart <= code && code <= lastRestart {
		return task.Syscall{}
	}
	call := task.Syscall{State: task.InCall, Number: int(number), SP: r.SP(), PC: r.PC()}
	for i, reg := range [...]task.Reg{5, 4, 1, 10, 8, 9} { // rdi, rsi, rdx, r10, r8, r9
		call.Args[i], _ = r.Value(reg)
	}
	return call
}
