package analysis

import (
	"slices"

	"stacksnap/task"
)

// maxSpared is how many instructions of callees are examined for preserved registers.
const maxSpared = 1000

// away executes a call: it forgets the registers that calls do not preserve, except,
// with w.peek, those that this callee certainly preserves.
func (w *walk) away(in *inst, s *state) {
	if !w.peek {
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

// isAway applies away to the call that contains pc, in w.here. It reports false
// without w.peek.
func (w *walk) isAway() bool {
	if !w.peek {
		return false
	}
	in := w.instHere()
	if in.flow != call {
		return false
	}
	w.away(in, &w.here)
	return true
}

// spared returns the registers, a bit each, that the calling convention does not
// preserve, that hold an address of the frame, and that the callee certainly leaves
// alone. Hand-written code calls parts of its own that way (aesni_cbc_encrypt of
// OpenSSL: r11, ffmpeg's for arm64: x11).
func (w *walk) spared(in *inst, s *state) (set uint32) {
	for i := range s.reg {
		if s.reg[i].kind == frame && uint8(i) != w.sp && !slices.Contains(w.kept, uint8(i)) {
			set |= 1 << i
		}
	}
	if set == 0 || !in.direct || w.mem == nil {
		return 0
	}
	c := callee{walk: w, ways: []task.Addr{w.start + task.Addr(in.target)}, seen: map[task.Addr]bool{}, spared: set}
	for len(c.ways) > 0 && c.spared != 0 {
		last := c.ways[len(c.ways)-1]
		c.ways = c.ways[:len(c.ways)-1]
		c.follow(last)
	}
	return c.spared
}

// callee is a function that is examined for the registers it preserves, with all that
// it calls.
type callee struct {
	*walk
	ways   []task.Addr // still to be followed
	seen   map[task.Addr]bool
	spared uint32
}

// follow runs from a to where control ends.
func (c *callee) follow(a task.Addr) {
	in, code, off := &c.besides, c.calleeCode[:0], uint32(0)
	for !c.seen[a+task.Addr(off)] {
		if uint32(len(code)) < off+longest { // the next code is not read yet
			a += task.Addr(off)
			n, _ := c.mem.ReadMemory(c.calleeCode[:], a)
			code, off = c.calleeCode[:n], 0
		}
		c.seen[a+task.Addr(off)] = true
		if c.calleeSteps++; c.calleeSteps > maxCalleeSteps || len(c.seen) > maxSpared || !c.spares(code, off, in) {
			c.spared = 0
			return
		}
		switch in.flow {
		case jump, branch, call:
			c.ways = append(c.ways, a+task.Addr(in.target))
		}
		switch in.flow {
		case jump, ret, stop:
			return
		}
		off += in.size
	}
}

// spares removes the registers that the instruction at off changes. It reports false
// if its effect or target is unknown.
func (c *callee) spares(code []byte, off uint32, in *inst) bool {
	s := &c.beside
	*s = state{}
	for i := range s.reg {
		s.reg[i] = value{kind: frame, off: int32(i)}
	}
	c.step(c.machine, code, off, s, in)
	for i := range s.reg {
		if s.reg[i] != (value{kind: frame, off: int32(i)}) {
			c.spared &^= 1 << i
		}
	}
	return in.size != 0 && in.flow != indirect && (in.flow != call || in.direct)
}
