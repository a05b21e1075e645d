package analysis

import (
	"slices"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// flow says where control goes after an instruction.
type flow uint8

const (
	next     flow = iota
	jump          // to target
	branch        // to target or on
	call          // away and back, or not back: the callee may never return
	ret           // to the caller
	indirect      // to an address in a register or in memory
	stop          // nowhere: a trap, or bytes that are no instruction
)

// inst is one decoded instruction. target is the distance of where it jumps to
// from the function's start.
type inst struct {
	size   uint32 // 0: cut off by the end of the code
	flow   flow
	target int64
	nop    bool
	table  bool  // indirect, and certainly by a table in this function
	direct bool  // a call of target
	popped int32 // by the callee, should it have popped arguments
	equal  uint8 // 1 + a register that sp equals where control goes on; see state.equal
}

// longest is the most bytes of an instruction.
const longest = 15

// Bounds of the work for one question.
const (
	maxCode   = 256 << 10 // bytes of a function
	maxSteps  = 200_000   // instructions looked at
	maxBlocks = 16_000
)

// block is a place where ways may meet, with what is known there.
type block struct {
	off    uint32
	seen   bool
	queued bool
	// weak: only reached by going on after a call, which may not return.
	weak bool
	// guessed: only reached from where no jump leads to; seeded: such a place.
	guessed, seeded bool
	// origin is 0 where the block was reached for sure, else the number of the
	// block that was entered by supposition on the way.
	origin uint16
	bad    bool // it returns without what its caller must find again
	in     state
}

// walk follows the flow of control through one function. It is reused.
type walk struct {
	*machine
	query  rule.Query
	mem    task.Memory // where code was read from; may be nil
	start  task.Addr   // of the function
	code   []byte
	pc     uint32
	blocks []block
	at     []uint16 // by off/unit: 1 + index in blocks
	queue  []uint16
	after  []uint16 // blocks to go on to after calls, when all else is done
	steps  int
	peek   bool // look into every function called; see outlined
	pops   bool // take functions called to have popped arguments; see inst.popped
	aside  [maxOutlined]byte

	now, before, beside state // while a block, or outlined code, is run
	forward             forward

	found bool // pc was reached
	here  state
	// What is known at all jumps through tables, at all calls, at all jumps to other
	// functions that are not named, and at all indirect jumps in what may be data.
	tables, calls, leaps, doubts guess

	guessing bool   // only code is left that no jump leads to
	hereFrom uint16 // block.origin
	fault    error
}

// guess is what is known at several places, if there were any.
type guess struct {
	state
	has bool
}

// run finds what is known before the instruction that pc is in. In code that no
// jump leads to it is taken to be what is known where control goes to places not
// named: at all jumps through tables; without any, at all calls, whose callees
// may throw to a handler here.
func (w *walk) run() error {
	w.steps, w.found, w.fault = 0, false, nil
	for _, g := range w.guesses() {
		g.has = false
	}
	w.guessing = false
	if err := w.divide(); err != nil {
		return err
	}
	start := w.entered()
	w.arrive(0, &start, 0, false)
	w.drain()
	w.runUnreached()
	switch {
	case w.fault != nil:
		return w.fault
	case !w.found:
		return ErrUnreached
	}
	return w.balance()
}

// balance is an error where the function returns otherwise than it was entered.
func (w *walk) balance() error {
	for i := range w.blocks {
		if b := &w.blocks[i]; b.seen && b.bad && (b.origin == 0 || b.origin == w.hereFrom) {
			return ErrUnbalanced
		}
	}
	return nil
}

// runUnreached looks at what no jump leads to, which changes nothing of what was
// reached before: it may be data.
func (w *walk) runUnreached() {
	var g *guess
	for _, g = range w.guesses() {
		if g.has {
			break
		}
	}
	w.guessing = true
	for i := range w.blocks {
		if b := &w.blocks[i]; g.has && (!b.seen || b.seeded) {
			b.seeded = true
			w.arrive(int64(b.off), &g.state, uint16(i+1), false)
			w.drain()
		}
	}
}

// guesses are what may be known of unreached code, the best first.
func (w *walk) guesses() [4]*guess { return [...]*guess{&w.tables, &w.calls, &w.leaps, &w.doubts} }

// divide finds the places that are jumped to, and those behind which control
// does not go on.
func (w *walk) divide() error {
	w.blocks, w.queue, w.after = w.blocks[:0], w.queue[:0], w.after[:0]
	n := (len(w.code) + int(w.unit) - 1) / int(w.unit)
	w.at = slices.Grow(w.at[:0], n)[:n]
	clear(w.at)
	w.leader(0)
	ended := false // the instruction before does not go on
	for off := uint32(0); off < uint32(len(w.code)); {
		if w.steps++; w.steps > maxSteps || len(w.blocks) > maxBlocks {
			return ErrTooLarge
		}
		in := w.step(w.machine, w.code, off, nil)
		if in.flow == jump || in.flow == branch {
			w.leader(in.target)
		}
		if ended && !in.nop {
			w.leader(int64(off))
			ended = false
		}
		off += max(in.size, w.unit)
		switch in.flow {
		case jump, ret, indirect, stop:
			ended = true
		}
	}
	return nil
}

// leader makes a block at off.
func (w *walk) leader(off int64) {
	if off < 0 || off >= int64(len(w.code)) || off%int64(w.unit) != 0 || w.at[off/int64(w.unit)] != 0 {
		return
	}
	w.blocks = append(w.blocks, block{off: uint32(off)})
	w.at[off/int64(w.unit)] = uint16(len(w.blocks))
}

// block returns the block that starts at off, nil when none does.
func (w *walk) block(off int64) (*block, uint16) {
	if off < 0 || off >= int64(len(w.code)) || off%int64(w.unit) != 0 {
		return nil, 0
	}
	i := w.at[off/int64(w.unit)]
	if i == 0 {
		return nil, 0
	}
	return &w.blocks[i-1], i - 1
}

// arrive brings s to the block at off. What comes over a call, which may never
// return, waits until all else is done, and gives way to what comes otherwise.
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

// drain runs every block whose state has changed.
func (w *walk) drain() {
	for w.fault == nil {
		from := &w.queue
		if len(*from) == 0 {
			from = &w.after
		}
		if len(*from) == 0 {
			return
		}
		i := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		w.blocks[i].queued = false
		w.runBlock(&w.blocks[i])
	}
}

// runBlock carries out a block on a copy of its state, and brings that to the
// blocks that follow.
func (w *walk) runBlock(b *block) {
	s := &w.now
	*s = b.in
	b.bad = false
	overCall := false // nothing but filling stands between a call and here
	for off := b.off; off < uint32(len(w.code)); {
		if w.steps++; w.steps > maxSteps {
			w.fault = ErrTooLarge
			return
		}
		asked := off <= w.pc && w.pc-off < longest
		if asked {
			w.before = *s
		}
		in := w.step(w.machine, w.code, off, s)
		if asked && w.pc < off+in.size {
			w.here, w.found, w.hereFrom = w.before, true, b.origin
		}
		off += in.size
		if in.size == 0 || !w.follow(b, &in, s) {
			return
		}
		overCall = in.flow == call || overCall && in.nop
		if t, _ := w.block(int64(off)); t != nil {
			w.arrive(int64(off), s, b.origin, overCall)
			return
		}
	}
}

// follow brings the state behind an instruction to where it jumps, and tells
// whether control also goes on.
func (w *walk) follow(b *block, in *inst, s *state) bool {
	switch in.flow {
	case jump:
		w.arrive(in.target, s, b.origin, false)
		return false
	case branch:
		w.arrive(in.target, s, b.origin, false)
		if in.equal != 0 && s.reg[in.equal-1].kind == frame {
			s.reg[w.sp] = s.reg[in.equal-1]
		}
	case call:
		if in.direct && (w.peek || w.unfinished(s)) && w.outlined(s, in.target) {
			return true
		}
		w.called(s)
		if w.pops {
			s.reg[w.sp] = s.reg[w.sp].add(int64(in.popped))
		}
		if b.origin == 0 {
			w.suppose(&w.calls, *s)
		}
	case indirect:
		w.suppose(w.guessAt(b, in, s), *s)
		return false
	case ret:
		b.bad = !w.left(s)
		return false
	case stop:
		return false
	}
	return true
}

// guessAt is the guess that an indirect jump adds to.
func (w *walk) guessAt(b *block, in *inst, s *state) *guess {
	switch {
	case b.origin != 0:
		return &w.doubts
	case in.table || !w.left(s):
		return &w.tables
	}
	return &w.leaps
}

// suppose notes the state at a place from where control may go to code that no
// jump leads to.
func (w *walk) suppose(g *guess, s state) {
	if w.guessing {
		return
	}
	w.join(&s)
	if !g.has {
		g.has, g.state = true, s
		return
	}
	g.meet(&s)
}
