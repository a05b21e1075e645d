package ptrace

import (
	"math/bits"

	"stacksnap/task"
)

// arm64Layout is struct user_pt_regs (arch/arm64/include/uapi/asm/ptrace.h):
// x0 to x30, sp, pc, pstate.
var arm64Layout = layout{
	arch: task.ARM64,
	host: task.ARM64,
	size: 8,
	dwarf: []task.Reg{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
		23, 24, 25, 26, 27, 28, 29, 30, 31, 32, skip,
	},
}

// arm64AddressBits is the size of a user address unless the kernel says more.
const arm64AddressBits = 48

// arm64CodeMask returns the bits of a code pointer that belong to the address. insn is insn_mask
// of struct user_pac_mask: the bits of the signature, from the first above the address up to bit
// 54. It is 0 when the kernel does not report it.
func arm64CodeMask(insn uint64) uint64 {
	n := arm64AddressBits
	if insn != 0 {
		n = bits.TrailingZeros64(insn)
	}
	return 1<<n - 1
}
