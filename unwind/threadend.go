package unwind

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// threadEnd recognises a thread's outermost frame by the code around its call, where
// there is no unwind information and often no name, as in musl. The caller of a
// thread's function ends the thread afterwards (clone), and the caller of a program's
// first function begins by clearing the frame pointer and aligning the stack
// (_start). It is a [rule.Source].
type threadEnd struct{}

// Rule implements [rule.Source].
func (threadEnd) Rule(q rule.Query) (rule.Rule, error) {
	if q.First || q.Image == nil {
		return rule.Rule{}, rule.ErrNone
	}
	var b [maxThreadEnd]byte
	n, _ := q.Code.ReadMemory(b[:], q.PC+1)
	a := archOf(q.Arch)
	if a.ends != nil && a.ends(b[:n]) {
		return rule.Bottom(), nil
	}
	if a.starts != nil && q.PC >= maxStart {
		var b [maxStart]byte
		if task.ReadFull(q.Code, b[:], q.PC+1-maxStart) == nil && a.starts(b[:]) {
			return rule.Bottom(), nil
		}
	}
	return rule.Rule{}, rule.ErrNone
}

// maxThreadEnd is how many bytes of code after the call are examined: mov %eax, %edi;
// xor %eax, %eax; mov $60, %al; syscall; hlt have nine.
const maxThreadEnd = 24

// maxStart is how many bytes up to the end of the call are examined.
const maxStart = 48

// birth is the rule of code in which a new thread may have just started. In the new
// thread, the stack is empty. In the thread that created it, parent leads to the
// caller.
type birth struct {
	parent rule.Rule
	result task.Reg // 0 in the new thread
}

// Apply implements [rule.Expression].
func (b *birth) Apply(s *rule.State) error {
	if v, ok := s.Regs.Value(b.result); ok && v == 0 {
		return rule.ErrOutermost
	}
	return s.Apply(&b.parent)
}

// births recognises the code between the system call clone or clone3 and where the
// new thread clears its frame pointer. Call frame information there, if any, is the
// parent's. It is a [rule.Source].
type births struct{}

// maxBirth is how many bytes before and after the pc are examined.
const maxBirth = 16

// Rule implements [rule.Source].
func (births) Rule(q rule.Query) (rule.Rule, error) {
	born := archOf(q.Arch).born
	if !q.First || born == nil || q.Image == nil || q.PC < maxBirth {
		return rule.Rule{}, rule.ErrNone
	}
	var b [2 * maxBirth]byte
	if task.ReadFull(q.Code, b[:], q.PC-maxBirth) != nil || !born(b[:]) {
		return rule.Rule{}, rule.ErrNone
	}
	return rule.Rule{Expression: &birth{parent: rule.Frameless(q.Arch, 0), result: 0}}, nil
}
