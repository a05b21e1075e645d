package analysis

import "encoding/binary"

// isTable marks, in walk.at, where a table of jumps begins that lies in the
// function. Compilers put it behind a jump or a call that does not return.
const isTable = 1<<16 - 1

// wordSize is of an entry in such a table: how far from the table's begin it is to
// where it leads. The jump through it is
//
//	lea table(%rip), %a; movslq (%a, %index, 4), %b; add %a, %b; jmp *%b
const wordSize = 4

// refer looks whether the address that the instruction at from takes is that of a
// table: then the first two words lead to the function's code. Of instructions that
// is hardly ever so by chance.
func (w *walk) refer(at int64, from uint32) {
	if at <= int64(from) || at >= int64(len(w.code)) || w.at[at] != 0 {
		return
	}
	if off := uint32(at); w.leads(off, 0) && w.leads(off, 1) {
		w.at[at] = isTable
	}
}

// leads reports whether the i-th word of what may be a table at off leads to the
// function's code.
func (w *walk) leads(off, i uint32) bool {
	end := uint64(off) + uint64(i+1)*wordSize
	if end > uint64(len(w.code)) {
		return false
	}
	to := int64(off) + int64(int32(binary.LittleEndian.Uint32(w.code[end-wordSize:])))
	return to >= 0 && to < int64(len(w.code)) && (to < int64(off) || to >= int64(end))
}

// behindTable returns where the table at off ends: before the next one, or the first
// word that leads nowhere.
func (w *walk) behindTable(off uint32) uint32 {
	for i := uint32(0); ; i++ {
		at := off + i*wordSize
		if !w.leads(off, i) || i > 0 && w.at[at] == isTable {
			return at
		}
	}
}
