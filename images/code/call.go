package code

import (
	"encoding/binary"

	"stacksnap/task"
)

// CallTarget returns where the call goes that code ends with, before pc, if it says so
// itself: call rel32, or bl.
func CallTarget(arch task.Arch, code []byte, pc task.Addr) (target task.Addr, ok bool) {
	switch n := len(code); {
	case arch == task.ARM64 && n >= 4:
		ins := binary.LittleEndian.Uint32(code[n-4:])
		return pc - 4 + task.Addr(int64(int32(ins<<6))>>4), ins&0xfc000000 == 0x94000000
	case (arch == task.AMD64 || arch == task.I386) && n >= 5 && code[n-5] == 0xe8:
		target = pc + task.Addr(int64(int32(binary.LittleEndian.Uint32(code[n-4:]))))
		if arch == task.I386 {
			target &= 1<<32 - 1
		}
		return target, true
	}
	return 0, false
}
