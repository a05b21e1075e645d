package unwind

import (
	"bytes"

	"stacksnap/task"
	"stacksnap/unwind/compact"
	"stacksnap/unwind/rule"
)

// functionEntry has the rules of a function's first instructions, which need no
// unwind information: at its start, and on AMD64 and I386 after endbr and after push
// fp. It is a [rule.Source].
type functionEntry struct{}

// Rule implements [rule.Source].
func (functionEntry) Rule(q rule.Query) (rule.Rule, error) {
	if !q.First || q.Image == nil || q.Image.File == nil {
		return rule.Rule{}, rule.ErrNone
	}
	start, ok := q.Image.File.FunctionStart(q.VMAddr())
	if !ok || q.VMAddr() < start {
		return rule.Rule{}, rule.ErrNone
	}
	return begun(&q, q.Image.Addr(start))
}

// described is like functionEntry, but for functions that compact unwind describes.
// The table's function starts are more reliable than the file's, which may include
// labels within a function. It is a [rule.Source].
type described struct{ tables *compact.Source }

// Rule implements [rule.Source].
func (d described) Rule(q rule.Query) (rule.Rule, error) {
	if !q.First {
		return rule.Rule{}, rule.ErrNone
	}
	e, err := d.tables.Entry(&q)
	if err != nil || !e.Encoding.Describes(q.Arch) {
		return rule.Rule{}, rule.ErrNone
	}
	return begun(&q, q.Image.Load+task.Addr(e.Start))
}

// begun returns the rule at q.PC, in the first instructions of the function at start.
func begun(q *rule.Query, start task.Addr) (rule.Rule, error) {
	done := q.PC - start
	if done == 0 {
		return rule.Frameless(q.Arch, 0), nil
	}
	if _, ok := q.Arch.LR(); ok || done > 5 {
		return rule.Rule{}, rule.ErrNone
	}
	var code [5]byte
	if task.ReadFull(q.Code, code[:done], start) != nil {
		return rule.Rule{}, rule.ErrNone
	}
	return pushed(q.Arch, code[:done])
}

// pushed returns the rule after the instructions in code, which may be endbr64 or
// endbr32, push fp, or both:
//
//	push fp:  cfa = sp + 2w; fp = *(cfa - 2w); pc = *(cfa - w)
func pushed(a task.Arch, code []byte) (rule.Rule, error) {
	rest := bytes.TrimPrefix(code, archOf(a).landing)
	w := int32(a.PointerSize())
	switch {
	case len(rest) == 0:
		return rule.Frameless(a, 0), nil
	case len(rest) == 1 && rest[0] == 0x55:
		r := rule.Frameless(a, w)
		r.Save(a.FP(), rule.At(rule.CFA, -2*w))
		return r, nil
	}
	return rule.Rule{}, rule.ErrNone
}
