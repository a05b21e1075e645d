package analysis

import "encoding/binary"

// isTable marks in walk.at the start of a jump table in the function. Compilers put
// tables after a jump or a call that does not return.
const isTable = 1<<16 - 1

// wordSize is the size of a table entry in bytes: the distance from the table to the
// target. The jump through a table is
//
//	lea table(%rip), %a; movslq (%a, %index, 4), %b; add %a, %b; jmp *%b
const wordSize = 4

// refer marks a table at the address at, which the instruction at from takes, if the
// first two words there lead to the function's code. Instructions hardly ever do by
// chance.
func (w *walk) refer(at int64, from uint32) {
	if at <= int64(from) || at >= int64(len(w.code)) || w.at[at] != 0 {
		return
	}
	if off := uint32(at); w.leads(off, 0) && w.leads(off, 1) {
		w.at[at] = isTable
	}
}

// leads reports whether the i-th word of the table at off leads to the function's
// code.
func (w *walk) leads(off, i uint32) bool {
	end := uint64(off) + uint64(i+1)*wordSize
	if end > uint64(len(w.code)) {
		return false
	}
	to := int64(off) + int64(int32(binary.LittleEndian.Uint32(w.code[end-wordSize:])))
	return to >= 0 && to < int64(len(w.code)) && (to < int64(off) || to >= int64(end))
}

// behindTable returns the end of the table at off: the next table, or the first word
// that does not lead to the function's code.
func (w *walk) behindTable(off uint32) uint32 {
	for i := uint32(0); ; i++ {
		at := off + i*wordSize
		if !w.leads(off, i) || i > 0 && w.at[at] == isTable {
			return at
		}
	}
}
