package unwind

import (
	"errors"
	"slices"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// walk is the state of a walk: the current frame, and the part of the captured stack
// that the frame is in.
type walk struct {
	rule.State
	in   *images.Map
	code task.Memory
	arch task.Arch
	mask uint64 // the bits of a code address; 0: all

	sp, fp    task.Reg
	unaligned uint64 // bits that are 0 in every stack pointer

	captured *task.Registers // the innermost frame's

	entry *entry // of the current frame
	first bool   // the frame was interrupted; it is not in a call
	stack stacks

	// The result of the last step: how the caller was found and why not better, or
	// why the walk ends.
	by   Method
	why  error
	stop Stop

	broke  bool // a scan found a caller
	broken Stop // the Stop that led to the first scan
}

// Walk appends the frames of a captured thread to dst, the innermost first, and
// returns why it ended. Stack words come from t alone. Instructions are read from
// code, which may be the live process; nil reads none. Once the rules are cached,
// Walk allocates only to grow dst.
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

// show fills f with the current frame. A trampoline's pc may not follow a call: the
// kernel put it there.
func (w *walk) show(f *Frame) {
	flags := w.entry.rule.Flags
	f.PC, f.SP = w.entry.pc, task.Addr(w.Regs.R[w.sp])
	f.Trampoline = flags&rule.Signal != 0
	f.Return = !w.first && flags&(rule.Signal|rule.Calling) != rule.Signal
	f.By, f.Err = w.by, w.why
}

// ended returns why the walk ended. If a scan guessed a caller, that is the Stop that
// led to the scan, because callers may be missing there. But it is the last Stop if
// more of the stack may help, or if the bottom was reached.
func (w *walk) ended() Stop {
	if w.broke && w.stop.Reason != NotCaptured && w.stop.Reason != Bottom {
		return w.broken
	}
	return w.stop
}

// start makes the thread's innermost frame current. It reports false if pc or sp is
// unknown.
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
	w.captured = &t.Registers
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

// step moves to the caller. It sets by and why, or stop when there is no caller.
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
	innermost := w.by == ByRegisters
	err := u.try(&e.rule, e.by)
	if innermost && err == nil {
		u.keepPopped(e)
	}
	if err == nil || err == rule.ErrUnknownRegister && u.findFP(e) {
		return u.found(e.by, e.err)
	}
	return u.fallBack(e, err)
}

// found records how the caller was found.
func (u *Unwinder) found(by Method, why error) bool {
	u.walk.by, u.walk.why = by, why
	return true
}

// end records why there is no caller.
func (u *Unwinder) end(s Stop) bool {
	u.walk.stop = s
	return false
}

// fallBack tries the sources after the one whose rule failed with err, then the frame
// pointer.
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
		return u.end(u.stop(err)) // the better method's error is more informative
	}
	return false
}

// nowhere is memory that cannot be read.
type nowhere struct{}

var errNowhere = errors.New("no memory was given to read code from")

func (nowhere) ReadMemory([]byte, task.Addr) (int, error) { return 0, errNowhere }
