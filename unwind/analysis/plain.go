package analysis

import "sort"

// plain is an instruction whose only effect on a state that does not know register
// reads is to forget other registers, and after which control continues. Most
// instructions are plain, and are decoded once instead of on each path.
type plain struct {
	off    uint32
	size   uint8
	nop    bool
	reads  uint8  // numRegisters: none
	writes uint32 // the registers to forget, a bit each
}

// notPlain and always are values of inst.reads that are no register.
const (
	always   = numRegisters     // plain in any state
	notPlain = numRegisters + 1 // plain in no state
)

// note keeps the instruction at off if it is plain.
func (w *walk) note(in *inst, off uint32) {
	if in.reads != notPlain {
		w.plain = append(w.plain, plain{off, uint8(in.size), in.nop, in.reads, in.writes})
	}
}

// plainFrom returns the index of the first of walk.plain at or after off.
func (w *walk) plainFrom(off uint32) int {
	return sort.Search(len(w.plain), func(i int) bool { return w.plain[i].off >= off })
}

// plainAt returns the plain instruction at off, nil if there is none. walk.plainly
// advances with off.
func (w *walk) plainAt(off uint32) *plain {
	for ; w.plainly < len(w.plain) && w.plain[w.plainly].off <= off; w.plainly++ {
		if p := &w.plain[w.plainly]; p.off == off {
			return p
		}
	}
	return nil
}

// fits reports whether p only forgets registers in state s.
func (p *plain) fits(s *state) bool {
	return p.reads == always || s.reg[p.reads&(numRegisters-1)].kind == unknown
}

// run executes p.
func (p *plain) run(s *state) {
	for r, w := 0, p.writes; w != 0; r, w = r+1, w>>1 {
		if w&1 != 0 {
			s.reg[r&(numRegisters-1)] = value{}
		}
	}
	s.home.overwritten(p.writes)
	s.equal = 0
}
