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
	refers bool  // not by control: the address of target is taken
	popped int32 // by the callee, should it have popped arguments
	equal  uint8 // 1 + a register that sp equals where control goes on; see state.equal
	// reads and writes are told where there is no state: see plain.
	reads  uint8
	writes uint32
}

// longest is the most bytes of an instruction.
const longest = 15

// Bounds of the work for one question.
const (
	maxCode   = 1 << 20   // bytes of a function
	maxSteps  = 1_000_000 // instructions looked at
	maxBlocks = 60_000    // fewer than isData
)

// mode is what a run supposes of a function, beside what is usual.
type mode struct {
	peek      bool // look into every function called; see outlined and spared
	pops      bool // take functions called to have popped arguments; see inst.popped
	withoutFP bool // the function returns without its caller's fp; see leftWithoutFP
}

// walk follows the flow of control through one function. It is reused.
type walk struct {
	*machine
	query    rule.Query
	knowns   *knowns     // may be nil
	mem      task.Memory // where code was read from; may be nil
	start    task.Addr   // of the function
	code     []byte
	pc       uint32
	blocks   []block
	plain    []plain  // by off
	at       []uint16 // by off: 1 + index in blocks, isTable or isData
	queue    []uint16
	after    []uint16 // blocks to go on to after calls, when all else is done
	steps    int
	asides   int  // instructions of callees that were looked at
	plainly  int  // index in plain of what block.end has not come to
	overCall bool // nothing but filling stands between a call and block.end
	aside    [maxOutlined]byte
	mode

	inst, besides       inst  // looked at, and of outlined code
	now, before, beside state // while a block, or outlined code, is run
	forward             forward

	found  bool // pc was reached
	here   state
	hereAt uint32 // of the instruction that pc is in
	fell   bool   // control surely runs out of the function's end
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
	w.steps, w.asides, w.found, w.fell, w.fault = 0, 0, false, false, nil
	for _, g := range w.guesses() {
		g.has = false
	}
	w.guessing = false
	if w.divide(); w.fault != nil {
		return w.fault
	}
	start := w.entered()
	w.arrive(0, &start, 0, false)
	w.drain()
	w.guessing = true
	w.runCalled()
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

// runCalled looks at what the code calls itself, and no jump leads to, as at functions:
// hand-written code has parts that no table tells of (s2n-bignum in AWS-LC).
func (w *walk) runCalled() {
	start := w.entered()
	for i := range w.blocks {
		if b := &w.blocks[i]; b.called && !b.seen {
			w.arrive(int64(b.off), &start, uint16(i+1), false)
			w.drain()
		}
	}
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
func (w *walk) divide() {
	w.blocks, w.plain, w.queue, w.after = w.blocks[:0], w.plain[:0], w.queue[:0], w.after[:0]
	w.at = slices.Grow(w.at[:0], len(w.code))[:len(w.code)]
	clear(w.at)
	w.markData()
	w.leader(0)
	ended := false // the instruction before does not go on
	for off := uint32(0); off < uint32(len(w.code)); {
		if w.steps++; w.steps > maxSteps || len(w.blocks) > maxBlocks {
			w.fault = ErrTooLarge
			return
		}
		if w.at[off] >= isData {
			off, ended = w.behindData(off), true
			continue
		}
		in := &w.inst
		w.step(w.machine, w.code, off, nil, in)
		switch {
		case in.flow == jump || in.flow == branch:
			w.leader(in.target)
		case in.flow == call && in.direct:
			w.entry(in.target)
		case in.refers:
			w.refer(in.target, off)
		}
		if ended && !in.nop {
			w.leader(int64(off))
			ended = false
		}
		w.note(in, off)
		off += max(in.size, w.unit)
		switch in.flow {
		case jump, ret, indirect, stop:
			ended = true
		}
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
		w.away(in, s)
		if w.pops {
			s.reg[w.sp] = s.reg[w.sp].add(int64(w.popped(in)))
		}
		if b.origin == 0 {
			w.suppose(&w.calls, *s)
		}
	case indirect:
		w.suppose(w.guessAt(b, in, s), *s)
		return false
	case ret:
		b.bad = !w.returns(s)
		return false
	case stop:
		return false
	}
	return true
}

// returns reports whether s is what the function leaves behind, as the mode has it.
func (w *walk) returns(s *state) bool {
	if w.withoutFP {
		return w.leftWithoutFP(s)
	}
	return w.left(s)
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
