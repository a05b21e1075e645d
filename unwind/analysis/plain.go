package analysis

import "sort"

// plain is an instruction behind which control goes on, and which does no more to a
// state that knows nothing of one register than to forget others. Most are such, and
// need not be decoded again on each way.
type plain struct {
	off    uint32
	size   uint8
	nop    bool
	reads  uint8  // numRegisters: none
	writes uint32 // the registers to forget, a bit of each
}

// notPlain and always are values of inst.reads beside registers.
const (
	always   = numRegisters     // plain whatever is known
	notPlain = numRegisters + 1 // never
)

// note keeps the instruction at off if it is plain.
func (w *walk) note(in *inst, off uint32) {
	if in.reads != notPlain {
		w.plain = append(w.plain, plain{off, uint8(in.size), in.nop, in.reads, in.writes})
	}
}

// plainFrom is the index of the first of walk.plain at off or behind.
func (w *walk) plainFrom(off uint32) int {
	return sort.Search(len(w.plain), func(i int) bool { return w.plain[i].off >= off })
}

// plainAt is the plain instruction at off, nil where none is: walk.plainly counts on,
// as off does.
func (w *walk) plainAt(off uint32) *plain {
	for ; w.plainly < len(w.plain) && w.plain[w.plainly].off <= off; w.plainly++ {
		if p := &w.plain[w.plainly]; p.off == off {
			return p
		}
	}
	return nil
}

// fits reports whether p does no more than forget.
func (p *plain) fits(s *state) bool {
	return p.reads == always || s.reg[p.reads&(numRegisters-1)].kind == unknown
}

// run carries p out.
func (p *plain) run(s *state) {
	for r, w := 0, p.writes; w != 0; r, w = r+1, w>>1 {
		if w&1 != 0 {
			s.reg[r&(numRegisters-1)] = value{}
		}
	}
	s.home.overwritten(p.writes)
	s.equal = 0
}
