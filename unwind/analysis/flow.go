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
	branch        // to target, or to the next instruction
	call          // to the next instruction once the callee returns, which it may never do
	ret           // to the caller
	indirect      // to an address in a register or in memory
	stop          // nowhere: a trap, or not an instruction
)

// inst is a decoded instruction. target is the offset that it jumps to from the
// function's start.
type inst struct {
	size   uint32 // 0: cut off by the end of the code
	flow   flow
	target int64
	nop    bool
	table  bool  // indirect, and certainly through a table in this function
	direct bool  // a call of target
	refers bool  // the address of target is taken, without a jump
	popped int32 // bytes of arguments that the callee pops, if it pops any
	equal  uint8 // 1 + the register that sp equals after the instruction; see state.equal
	// reads and writes are set if there is no state: see plain.
	reads  uint8
	writes uint32
}

// longest is the maximum length of an instruction in bytes.
const longest = 15

// Limits of the work for one query.
const (
	maxCode   = 1 << 20   // bytes of a function
	maxSteps  = 1_000_000 // instructions executed
	maxBlocks = 60_000    // fewer than isData
)

// mode has the assumptions of a run that are unusual for a function.
type mode struct {
	peek      bool // examine every callee; see outlined and spared
	pops      bool // assume that callees pop arguments; see inst.popped
	withoutFP bool // the function returns without its caller's fp; see leftWithoutFP
}

// walk follows the control flow of one function. It is reused.
type walk struct {
	*machine
	query       rule.Query
	knowns      *knowns     // may be nil
	mem         task.Memory // the memory that code was read from; may be nil
	start       task.Addr   // of the function
	code        []byte
	pc          uint32
	blocks      []block
	plain       []plain  // by off
	at          []uint16 // by off: 1 + index in blocks, isTable or isData
	queue       []uint16
	after       []uint16 // blocks to continue at after calls, when all else is done
	steps       int
	calleeSteps int  // instructions of callees examined so far
	plainly     int  // index in plain of the first that block.end has not reached
	overCall    bool // only padding is between a call and block.end
	calleeCode  [maxOutlined]byte
	mode

	inst, besides       inst  // scratch: the current instruction, and one of outlined code
	now, before, beside state // scratch: the states of the current block and of outlined code
	forward             forward

	found  bool // pc was reached
	here   state
	hereAt uint32 // offset of the instruction that contains pc
	fell   bool   // control certainly runs past the function's end
	// The states at all jumps through tables, at all calls, at all tail jumps, and at
	// all indirect jumps in what may be data.
	tables, calls, tailJumps, indirectJumps guess

	guessing bool   // only code that no jump leads to is left
	hereFrom uint16 // block.origin
	fault    error
}

// guess is the common state of several places; has is false if there were none.
type guess struct {
	state
	has bool
}

// run computes the state before the instruction that contains pc. Code that no jump
// leads to is assumed to start with the state at all jumps through tables or, if
// there are none, at all calls, whose callees may throw to a handler here.
func (w *walk) run() error {
	w.steps, w.calleeSteps, w.found, w.fell, w.fault = 0, 0, false, false, nil
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

// balance returns an error if the function returns with another frame than it was
// entered with.
func (w *walk) balance() error {
	for i := range w.blocks {
		if b := &w.blocks[i]; b.seen && b.bad && (b.origin == 0 || b.origin == w.hereFrom) {
			return ErrUnbalanced
		}
	}
	return nil
}

// runCalled runs the code that the function itself calls and no jump leads to, as a
// function. Hand-written code has such parts, which no table lists (s2n-bignum in
// AWS-LC).
func (w *walk) runCalled() {
	start := w.entered()
	for i := range w.blocks {
		if b := &w.blocks[i]; b.called && !b.seen {
			w.arrive(int64(b.off), &start, uint16(i+1), false)
			w.drain()
		}
	}
}

// runUnreached runs the code that no jump leads to. It may be data, so it does not
// change the state of other code.
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

// guesses returns the states assumed for unreached code, the best first.
func (w *walk) guesses() [4]*guess {
	return [...]*guess{&w.tables, &w.calls, &w.tailJumps, &w.indirectJumps}
}

// divide splits the code into blocks at jump targets and after instructions that
// control does not continue after.
func (w *walk) divide() {
	w.blocks, w.plain, w.queue, w.after = w.blocks[:0], w.plain[:0], w.queue[:0], w.after[:0]
	w.at = slices.Grow(w.at[:0], len(w.code))[:len(w.code)]
	clear(w.at)
	w.markData()
	w.leader(0)
	ended := false // control does not continue after the previous instruction
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

// drain runs blocks until no state changes.
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

// follow merges the state after an instruction into its jump target, and reports
// whether control also continues after it.
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

// returns reports whether s is a valid state at a return in this mode.
func (w *walk) returns(s *state) bool {
	if w.withoutFP {
		return w.leftWithoutFP(s)
	}
	return w.left(s)
}

// guessAt returns the guess that an indirect jump adds to.
func (w *walk) guessAt(b *block, in *inst, s *state) *guess {
	switch {
	case b.origin != 0:
		return &w.indirectJumps
	case in.table || !w.left(s):
		return &w.tables
	}
	return &w.tailJumps
}

// suppose merges s into g: from here control may go to code that no jump leads to.
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
