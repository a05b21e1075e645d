package analysis

import "stacksnap/images/object"

// isData marks, in walk.at, what the file says is data, as the tables that compilers
// put behind jumps: control never comes there, whatever its bytes look like.
const isData = isTable - 1

// markData marks the data between the function's instructions.
func (w *walk) markData() {
	im := w.query.Image
	if im == nil {
		return
	}
	file, ok := im.File.(object.DataTeller)
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

// behindData returns where the data or the table at off ends, and an instruction can
// start.
func (w *walk) behindData(off uint32) uint32 {
	if w.at[off] == isTable {
		return w.behindTable(off)
	}
	for off < uint32(len(w.at)) && (w.at[off] == isData || off&(w.unit-1) != 0) {
		off++
	}
	return off
}
