package analysis

// block is code where paths may meet, with the state at its start.
type block struct {
	off    uint32
	end    uint32 // offset after the last instruction executed
	seen   bool
	queued bool
	// weak: reached only past a call, which may not return.
	weak bool
	// guessed: reached only from code that no jump leads to; seeded: is such code.
	guessed, seeded bool
	called          bool // the function itself calls it
	// origin is 0 if the block is reached for certain, else the number of the block
	// on the path that was entered on a guess.
	origin uint16
	bad    bool // it returns without restoring the caller's registers
	in     state
}

// leader starts a block at off.
func (w *walk) leader(off int64) {
	if off < 0 || off >= int64(len(w.at)) || off&int64(w.unit-1) != 0 || w.at[off] != 0 {
		return
	}
	w.blocks = append(w.blocks, block{off: uint32(off)})
	w.at[off] = uint16(len(w.blocks))
}

// entry starts a block at off, which the function itself calls.
func (w *walk) entry(off int64) {
	w.leader(off)
	if b, _ := w.block(off); b != nil {
		b.called = true
	}
}

// block returns the block that starts at off, nil if none does, and its index.
func (w *walk) block(off int64) (*block, uint16) {
	if off < 0 || off >= int64(len(w.at)) {
		return nil, 0
	}
	i := w.at[off]
	if i == 0 || i >= isData {
		return nil, 0
	}
	return &w.blocks[i-1], i - 1
}

// arrive merges s into the block at off. A state that arrives past a call, which may
// never return, waits until everything else is done. A state that arrives in another
// way replaces it.
func (w *walk) arrive(off int64, s *state, origin uint16, overCall bool) {
	b, i := w.block(off)
	if b == nil {
		return
	}
	in := *s
	w.join(&in)
	if overCall && origin == 0 {
		origin = i + 1
	}
	surer := b.seen && b.origin != 0 && origin == 0
	if !b.seen || surer {
		b.origin = origin
	}
	switch fits := w.alike(&b.in, &in); {
	case !b.seen:
		b.in, b.seen, b.weak, b.guessed = in, true, overCall, w.guessing
	case w.guessing && !b.guessed && !fits:
		return
	case overCall && !b.weak && !fits:
		return
	case !overCall && b.weak && !fits:
		b.in = in
	case !b.in.meet(&in) && !surer:
		b.weak = b.weak && overCall
		return
	}
	b.weak = b.weak && overCall
	w.enqueue(b, i)
}

func (w *walk) enqueue(b *block, i uint16) {
	if b.weak {
		w.after = append(w.after, i)
		return
	}
	if !b.queued {
		b.queued = true
		w.queue = append(w.queue, i)
	}
}

// runBlock executes a block on a copy of its state, and passes the result to the
// blocks that follow.
func (w *walk) runBlock(b *block) {
	s := &w.now
	*s = b.in
	w.anchor(s)
	b.bad, b.end = false, b.off
	w.plainly, w.overCall = w.plainFrom(b.off), false
	for b.end < uint32(len(w.code)) {
		if w.steps++; w.steps > maxSteps {
			w.fault = ErrTooLarge
			return
		}
		if !w.advance(b, s) || w.runsInto(b, s) {
			return
		}
	}
	w.fell = w.fell || b.origin == 0 && !w.overCall
}

// runsInto reports whether b has reached the start of another block, or a table. It
// merges s into the block. A table means that the call before it does not return.
func (w *walk) runsInto(b *block, s *state) bool {
	if int(b.end) >= len(w.at) || w.at[b.end] == 0 {
		return false
	}
	w.arrive(int64(b.end), s, b.origin, w.overCall)
	return true
}

// advance executes the instruction at b.end. It reports false if control does not
// continue after it.
func (w *walk) advance(b *block, s *state) bool {
	if p := w.plainAt(b.end); p != nil && p.fits(s) {
		w.pass(b, uint32(p.size), s)
		p.run(s)
		b.end += uint32(p.size)
		w.overCall = w.overCall && p.nop
		return true
	}
	return w.carryOut(b, s)
}

// carryOut is like advance, but for an instruction that is not plain.
func (w *walk) carryOut(b *block, s *state) bool {
	asked := w.pc-b.end < longest
	if asked {
		w.before = *s
	}
	in := &w.inst
	w.step(w.machine, w.code, b.end, s, in)
	if asked {
		w.pass(b, in.size, &w.before)
	}
	b.end += in.size
	w.overCall = in.flow == call || w.overCall && in.nop
	return in.size != 0 && w.follow(b, in, s)
}

// pass records s if the instruction at b.end, of the given size, contains pc.
func (w *walk) pass(b *block, size uint32, s *state) {
	if w.pc-b.end < size {
		w.here, w.hereAt, w.found, w.hereFrom = *s, b.end, true, b.origin
	}
}
