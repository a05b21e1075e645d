package ptrace

import (
	"encoding/binary"
	"math"

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

// endedCall returns the number of the system call that ended as a thread stopped, false if there
// was none. The kernel keeps the number in orig_ax, which is −1 if the thread entered the kernel
// by other means, such as an interrupt. regs are the bytes that r was decoded from. A call that
// will be restarted has not ended.
func endedCall(regs []byte, r *task.Registers) (number int32, ended bool) {
	if r.Arch != task.AMD64 || len(regs) < (origRAX+1)*8 {
		return 0, false
	}
	call := int64(binary.LittleEndian.Uint64(regs[origRAX*8:]))
	const result, firstRestart, lastRestart = task.Reg(0), 512, 516 // include/linux/errno.h
	v, _ := r.Value(result)
	if code := -int64(v); call < 0 || call > math.MaxInt32 || firstRestart <= code && code <= lastRestart {
		return 0, false
	}
	return int32(call), true
}
