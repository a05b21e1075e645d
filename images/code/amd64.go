package code

import "stacksnap/images/code/x86"

func decodeAMD64(code []byte, off uint64) step {
	var i x86.Inst
	if !i.Decode(code, uint32(off)) {
		return step{}
	}
	s := step{size: uint64(i.Size), flow: i.Flow(), filler: i.Op == 0x90 || i.Op == 0x0f1f || i.Op == 0xcc}
	if i.Direct() {
		s.target = int64(off) + int64(i.Size) + i.Imm
	}
	return s
}
