package code

import (
	"encoding/binary"

	"stacksnap/images/code/x86"
	"stacksnap/task"
)

func callTargetARM64(code []byte, pc task.Addr) (task.Addr, bool) {
	n := len(code)
	if n < 4 {
		return 0, false
	}
	ins := binary.LittleEndian.Uint32(code[n-4:])
	return pc - 4 + task.Addr(int64(int32(ins<<6))>>4), ins&0xfc000000 == 0x94000000
}

// decodeARM64 decodes the control flow of b, b.cond, cbz, tbz and their like (A64,
// "Branches, Exception Generating and System instructions").
func decodeARM64(code []byte, off uint64) step {
	if off+4 > uint64(len(code)) || off%4 != 0 {
		return step{}
	}
	ins := binary.LittleEndian.Uint32(code[off:])
	s := step{size: 4, filler: ins == 0xd503201f}
	near := func(low, bits uint) int64 { // a signed distance in instructions
		return int64(off) + int64(int32(ins<<(32-bits-low))>>(32-bits))*4
	}
	switch {
	case ins&0xfc000000 == 0x14000000:
		s.flow, s.target = x86.Jump, near(0, 26)
	case ins&0xff000010 == 0x54000000, ins&0x7e000000 == 0x34000000:
		s.flow, s.target = x86.Branch, near(5, 19)
	case ins&0x7e000000 == 0x36000000:
		s.flow, s.target = x86.Branch, near(5, 14)
	case ins&0xfc000000 == 0x94000000, ins&0xfffffc1f == 0xd63f0000, ins&0xfefff800 == 0xd63f0800:
		s.flow = x86.Call
	case ins&0xfe000000 == 0xd6000000: // br, ret, eret and their like
		s.flow = x86.Indirect
	case ins&0xffe0001f == 0xd4200000, ins>>16 == 0: // brk, udf
		s.flow = x86.Stop
	}
	return s
}
