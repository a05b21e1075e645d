package analysis

import "stacksnap/images/object"

// isData marks in walk.at what the file declares to be data, such as the tables that
// compilers put after jumps. Control never gets there.
const isData = isTable - 1

// markData marks the data between the function's instructions.
func (w *walk) markData() {
	im := w.query.Image
	if im == nil {
		return
	}
	file, ok := im.File.(object.DataReporter)
	if !ok {
		return
	}
	base := im.VMAddr(w.start)
	for at, end := base, base+uint64(len(w.at)); at < end; {
		lo, hi, ok := file.DataInCode(at)
		if !ok {
			return
		}
		for a := max(lo, base); a < min(hi, end); a++ {
			w.at[a-base] = isData
		}
		at = hi
	}
}

// behindData returns the offset after the data or table at off where an instruction
// can start.
func (w *walk) behindData(off uint32) uint32 {
	if w.at[off] == isTable {
		return w.behindTable(off)
	}
	for off < uint32(len(w.at)) && (w.at[off] == isData || off&(w.unit-1) != 0) {
		off++
	}
	return off
}
