package analysis

import (
	"slices"

	"stacksnap/images/code/x86"
	"stacksnap/task"
)

// maxSpared bounds the code of a function that is looked at for what it spares, in bytes.
const maxSpared = 4 << 10

// away brings s over a call, which changes what calls do, but with w.pops not what the
// function called surely leaves alone.
func (w *walk) away(in *inst, s *state) {
	if !w.pops {
		w.called(s)
		return
	}
	was, spared := s.reg, w.spared(in, s)
	w.called(s)
	for i := range s.reg {
		if spared>>i&1 != 0 {
			s.reg[i] = was[i]
		}
	}
}

// isAway does so with the call at pc, in w.here, if that is how calls are looked at.
func (w *walk) isAway() bool {
	if !w.pops {
		return false
	}
	in := &w.inst
	w.step(w.machine, w.code, w.hereAt, nil, in)
	if in.flow == call {
		w.away(in, &w.here)
	}
	return in.flow == call
}

// spared is the set of registers that a call from state s may change, that know the frame,
// and that the function called surely leaves alone, a bit of each. Hand-written code of
// x86_64 calls parts of its own that way (aesni_cbc_encrypt of OpenSSL: r11).
func (w *walk) spared(in *inst, s *state) (set uint32) {
	for i := range s.reg {
		if s.reg[i].kind == frame && uint8(i) != w.sp && !slices.Contains(w.kept, uint8(i)) {
			set |= 1 << i
		}
	}
	if set == 0 || !in.direct || w.word != 8 || !w.readCallee(w.start+task.Addr(in.target)) {
		return 0
	}
	written, ok := w.writes()
	if !ok {
		return 0
	}
	return set &^ written
}

// readCallee reads the code of the function that starts at a, if it is short.
func (w *walk) readCallee(a task.Addr) bool {
	im := w.query.Image
	if im == nil || im.File == nil || w.mem == nil {
		return false
	}
	start, end, ok := extentAt(im, a)
	if !ok || start != a || end-start > maxSpared {
		return false
	}
	w.callee = slices.Grow(w.callee[:0], int(end-start))[:end-start]
	n, _ := w.mem.ReadMemory(w.callee, a)
	return n == len(w.callee)
}

// writes are the registers that any instruction of w.callee writes. It reports false where
// control may leave that otherwise than by returning.
func (w *walk) writes() (set uint32, ok bool) {
	var i x86.Inst
	ended := false // control does not go on behind the last instruction
	for off := uint32(0); off < uint32(len(w.callee)); off += i.Size {
		if w.asides++; w.asides > maxAside || !i.Decode(w.callee, off) {
			return 0, false
		}
		set |= i.Writes()
		f := i.Flow()
		switch to := int64(off+i.Size) + i.Imm; {
		case f == x86.Call || f == x86.Indirect:
			return 0, false
		case i.Direct() && (to < 0 || to >= int64(len(w.callee))):
			return 0, false
		}
		if f != x86.Next || !x86Nop(&i) {
			ended = f == x86.Ret || f == x86.Jump || f == x86.Stop
		}
	}
	return set, ended
}
