package goswitch

import (
	"errors"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// errGoroutine is the error for a g that cannot be read.
var errGoroutine = errors.New("the goroutine whose stack it was called on cannot be read")

// away is the rule of a frame whose caller is on another stack, at address p. It
// implements [rule.Expression].
type away struct {
	p           value
	fp, ra, cfa int32 // from p
	hasFP       bool
	record      bool // on AMD64: asmcgocall made a frame record at p, so its frame pointer is p
}

// Apply implements [rule.Expression]. g is read at the time of the walk, and may have
// another stack by then, so the result is [rule.Unproven]: it counts only if the pc
// follows a call.
func (a *away) Apply(s *rule.State) error {
	p, err := a.place(s)
	if err != nil {
		return err
	}
	pc, ok := s.Stack.Pointer(p + task.Addr(int64(a.ra)))
	if !ok {
		return rule.ErrNotCaptured
	}
	fp := s.Regs.Arch.FP()
	s.Regs.Forget(fp)
	if a.hasFP {
		if v, ok := s.Stack.Pointer(p + task.Addr(int64(a.fp))); ok {
			s.Regs.Set(fp, v)
		}
	}
	s.Return(pc, uint64(p)+uint64(int64(a.cfa)), rule.OtherStack)
	return nil
}

// stackEnds divides the end address of every goroutine stack: stacks have a power of
// two of bytes, at least 2048, and those larger than a page end at a page
// (runtime/stack.go, stackMin, stackalloc).
const stackEnds = 2048

// place returns the goroutine's stack pointer. The frame pointer is used if its depth
// on a goroutine's stack is the saved depth.
func (a *away) place(s *rule.State) (task.Addr, error) {
	sp := s.Regs.SP()
	at, ok := s.Stack.Pointer(sp + task.Addr(int64(a.p.off)))
	if !ok || a.p.kind == word {
		return task.Addr(at), notCaptured(ok)
	}
	g, ok := s.Stack.Pointer(sp + task.Addr(int64(a.p.g)))
	if !ok {
		return 0, rule.ErrNotCaptured
	}
	if fp, ok := s.Regs.Value(s.Regs.Arch.FP()); ok && a.record && g != 0 && fp != 0 && (fp+at)%stackEnds == 0 {
		return task.Addr(fp), nil
	}
	hi, ok := s.Word(task.Addr(g) + task.Addr(int64(a.p.hi)))
	if !ok || g == 0 || hi%stackEnds != 0 || hi <= at {
		return 0, errGoroutine
	}
	return task.Addr(hi - at), nil
}

func notCaptured(ok bool) error {
	if !ok {
		return rule.ErrNotCaptured
	}
	return nil
}
