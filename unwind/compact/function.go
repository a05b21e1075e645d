package compact

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// function is one query, with the facts that an encoding alone lacks.
type function struct {
	encoding Encoding
	start    task.Addr // of the function
	offset   uint32    // of the pc, from start
	first    bool      // the pc may be any instruction, not only a call
	code     task.Memory
	buf      [8]byte
}

// rule converts the encoding to a rule.
func (f *function) rule(a task.Arch) (rule.Rule, error) {
	switch a {
	case task.ARM64:
		return arm64Rule(f)
	case task.AMD64:
		return amd64.rule(f)
	case task.I386:
		return i386.rule(f)
	}
	return rule.Rule{}, rule.ErrNone
}

// text reads n bytes, at most 8, of the function's code at offset off.
func (f *function) text(off, n uint32) ([]byte, error) {
	b := f.buf[:n]
	if f.code == nil {
		return nil, &task.FaultError{Addr: f.start}
	}
	return b, task.ReadFull(f.code, b, f.start+task.Addr(off))
}
