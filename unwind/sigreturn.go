package unwind

import (
	"bytes"
	"sync"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// sigreturn knows the code that Linux returns to from a signal handler by its
// instructions, because not all of it has unwind information that is right: the
// vdso's of ARM64 leads past the interrupted function, Go's and musl's to
// nothing. I386 and ARM have an older call beside rt_sigreturn, for handlers without
// SA_SIGINFO. It is a rule.Source.
type sigreturn struct{ buffers sync.Pool } // of *[16]byte

// trampoline is code that calls sigreturn or rt_sigreturn.
type trampoline struct {
	code  []byte
	start *rule.Long // at its start, to which the handler returns
	// stands are the offsets of further instructions, at which only a thread itself may
	// stand, with what holds there.
	stands []stand
}

type stand struct {
	offset int
	rule   *rule.Long
}

// Rule implements [rule.Source].
func (s *sigreturn) Rule(q rule.Query) (rule.Rule, error) {
	b, ok := s.buffers.Get().(*[16]byte)
	if !ok {
		b = new([16]byte)
	}
	defer s.buffers.Put(b)
	pc := q.PC
	if !q.First {
		pc++ // the handler returns to the start
	}
	for i := range archOf(q.Arch).trampolines {
		if l := archOf(q.Arch).trampolines[i].at(&q, pc, b[:]); l != nil {
			return l.Rule(), nil
		}
	}
	return rule.Rule{}, rule.ErrNone
}

// at returns what holds at pc, nil where that is not in the trampoline.
func (t *trampoline) at(q *rule.Query, pc task.Addr, b []byte) *rule.Long {
	if t.begins(q.Code, pc, b) {
		return t.start
	}
	if !q.First {
		return nil
	}
	for _, s := range t.stands {
		if t.begins(q.Code, pc-task.Addr(s.offset), b) {
			return s.rule
		}
	}
	return nil
}

func (t *trampoline) begins(code task.Memory, a task.Addr, b []byte) bool {
	p := b[:len(t.code)]
	return task.ReadFull(code, p, a) == nil && bytes.Equal(p, t.code)
}

func saved(reg, base task.Reg, off int) rule.Value {
	v := rule.At(base, int32(off))
	v.Reg = reg
	return v
}
