package unwind

import (
	"errors"
	"slices"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// walk is a walk under way: the frame that it has reached, and the part of the
// captured stack that the frame is in.
type walk struct {
	rule.State
	in   *images.Map
	code task.Memory
	arch task.Arch
	mask uint64 // of code addresses

	sp, fp    task.Reg
	unaligned uint64 // bits that no stack pointer has

	entry *entry // of the frame
	first bool   // the frame was interrupted, it is not in a call
	stack stacks

	// What the last step found: how, and why not better; or why the walk ends.
	by   Method
	why  error
	stop Stop

	broke  bool // a scan led on
	broken Stop // why the first had to
}

// Walk appends the frames of a captured thread to dst, the innermost first, and
// tells why there are no more. Stack words come from t alone; code is asked for
// instructions, may be the live process, and may be nil: then nothing is asked.
// Walk allocates nothing but what dst lacks, once the rules of the code are in
// the cache.
func (u *Unwinder) Walk(dst []Frame, t *task.Thread, m *images.Map, code task.Memory) ([]Frame, Stop) {
	if !u.start(t, m, code) {
		return dst, Stop{Reason: NoRegisters, Err: t.Err}
	}
	w := &u.walk
	for range MaxFrames {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, 1)
		}
		dst = dst[:len(dst)+1]
		w.show(&dst[len(dst)-1])
		if !u.step() && !u.scan() {
			return dst, w.ended()
		}
	}
	return dst, Stop{Reason: TooDeep}
}

// show makes f what the walk has reached. A trampoline's pc may follow no call:
// the kernel put it there.
func (w *walk) show(f *Frame) {
	flags := w.entry.rule.Flags
	f.PC, f.SP = w.entry.pc, task.Addr(w.Regs.R[w.sp])
	f.Trampoline = flags&rule.Signal != 0
	f.Return = !w.first && flags&(rule.Signal|rule.Calling) != rule.Signal
	f.By, f.Err = w.by, w.why
}

// ended is why the walk ended: where frames were guessed, the reason for that,
// unless more of the stack may tell, or the bottom was reached all the same: then
// it is around the guess that callers may be missing.
func (w *walk) ended() Stop {
	if w.broke && w.stop.Reason != NotCaptured && w.stop.Reason != Bottom {
		return w.broken
	}
	return w.stop
}

// start makes the thread's own frame current.
func (u *Unwinder) start(t *task.Thread, m *images.Map, code task.Memory) bool {
	w := &u.walk
	_, hasPC := t.Registers.Value(t.Registers.Arch.PC())
	if !hasPC || t.Registers.SP() == 0 {
		return false
	}
	if code == nil {
		code = nowhere{}
	}
	w.State.Reset(t)
	if m != w.in {
		u.enter(m)
	}
	w.in, w.code, w.arch, w.mask = m, code, t.Registers.Arch, 0
	w.Memory = code
	w.sp, w.fp, w.unaligned = w.arch.SP(), w.arch.FP(), uint64(w.arch.PointerSize()-1)
	w.dropAsyncBit()
	if w.arch == task.ARM64 {
		w.mask = u.opts.CodeMask
	}
	w.first, w.entry = true, nil
	w.by, w.why, w.broke = ByRegisters, nil, false
	w.stack.reset(t, w.Regs.SP())
	w.entry = u.lookUp(w.Regs.PC(), true)
	return true
}

// step goes on to the caller. It sets by and why, or stop when there is none.
func (u *Unwinder) step() bool {
	w := &u.walk
	e := w.entry
	if e.rule.Has(rule.Outermost) {
		w.stop = Stop{Reason: Bottom}
		return false
	}
	if e.guess {
		return u.chain(e, e.err)
	}
	err := u.try(&e.rule, e.by)
	if err == nil || err == rule.ErrUnknownRegister && u.findFP(e) {
		return u.found(e.by, e.err)
	}
	return u.fallBack(e, err)
}

// found notes how the caller was found.
func (u *Unwinder) found(by Method, why error) bool {
	u.walk.by, u.walk.why = by, why
	return true
}

// end notes why there is no caller.
func (u *Unwinder) end(s Stop) bool {
	u.walk.stop = s
	return false
}

// fallBack tries the sources after the one whose rule led nowhere because of
// err, then the frame pointer.
func (u *Unwinder) fallBack(e *entry, err error) bool {
	missed := u.walk.Stack.Missed
	if s, ok := u.final(e, err); ok {
		return u.end(s)
	}
	rest := *e
	rest.err = err
	for u.ask(&rest, rest.next); !rest.guess; u.ask(&rest, rest.next) {
		if rest.rule.Has(rule.Outermost) {
			return u.end(Stop{Reason: Bottom})
		}
		if u.try(&rest.rule, rest.by) == nil {
			return u.found(rest.by, err)
		}
	}
	if u.chain(&rest, err) {
		return true
	}
	if r := u.walk.stop.Reason; r != NotCaptured && r != Bottom {
		u.walk.Stack.Missed = missed
		return u.end(u.stop(err)) // the better method's failure tells more
	}
	return false
}

// nowhere is memory of which nothing can be read.
type nowhere struct{}

var errNowhere = errors.New("no memory was given to read code from")

func (nowhere) ReadMemory([]byte, task.Addr) (int, error) { return 0, errNowhere }
