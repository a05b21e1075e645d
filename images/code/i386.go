package code

import (
	"encoding/binary"

	"stacksnap/task"
)

// callTargetX86 reads call rel32.
func callTargetX86(code []byte, pc task.Addr) (task.Addr, bool) {
	n := len(code)
	if n < 5 || code[n-5] != 0xe8 {
		return 0, false
	}
	return pc + task.Addr(int64(int32(binary.LittleEndian.Uint32(code[n-4:])))), true
}

func callTargetI386(code []byte, pc task.Addr) (task.Addr, bool) {
	target, ok := callTargetX86(code, pc)
	return target & (1<<32 - 1), ok
}
