//go:build linux

package ptrace

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// firstCodeMask is what is known before a thread has been stopped.
const firstCodeMask = 1<<arm64AddressBits - 1

// codeMask asks a stopped thread for its struct user_pac_mask: data_mask and
// insn_mask, u64 each (arch/arm64/include/uapi/asm/ptrace.h). b is room for it.
func codeMask(tid int, b []byte, known uint64) uint64 {
	n, errno := regset(tid, unix.NT_ARM_PAC_MASK, b)
	if errno != 0 || n < 16 {
		return known
	}
	return arm64CodeMask(binary.LittleEndian.Uint64(b[8:]))
}
