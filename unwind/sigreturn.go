package unwind

import (
	"bytes"
	"sync"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// sigreturn recognises, by its instructions, the code that Linux signal handlers
// return to. Unwind information for it is often wrong or absent: the vdso's on ARM64
// skips the interrupted function, Go and musl have none. I386 and ARM have an older
// system call beside rt_sigreturn, for handlers without SA_SIGINFO. It is a
// [rule.Source].
type sigreturn struct{ buffers sync.Pool } // of *[16]byte

// trampoline is code that calls sigreturn or rt_sigreturn.
type trampoline struct {
	code  []byte
	start *rule.RegisterList // the rule at its first instruction, where the handler returns to
	// interiors has the rules at the instructions after the first. Only a thread's own
	// pc can be there.
	interiors []interior
}

type interior struct {
	offset int
	rule   *rule.RegisterList
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
		pc++ // the handler returns to the first instruction
	}
	all := archOf(q.Arch).trampolines
	for i := range all {
		if l := all[i].at(&q, pc, b[:]); l != nil {
			return l.Rule(), nil
		}
	}
	return rule.Rule{}, rule.ErrNone
}

// at returns the rule at pc, nil if pc is not in the trampoline.
func (t *trampoline) at(q *rule.Query, pc task.Addr, b []byte) *rule.RegisterList {
	if t.begins(q.Code, pc, b) {
		return t.start
	}
	if !q.First {
		return nil
	}
	for _, s := range t.interiors {
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
