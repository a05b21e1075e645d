package exidx

import (
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Source has the rules of .ARM.exidx. The zero value is ready for use, by many
// goroutines at once.
type Source struct {
	tables rule.PerImage[loaded]
}

// loaded caches the table of an image.
type loaded struct {
	table table
	err   error
}

// Rule implements [rule.Source]. The rule holds in the function's body; for a query
// with First, query call frame information and analysis first. An error other than
// [rule.ErrNone] and [ErrCantUnwind] wraps [ErrMalformed] or is a failure to read the
// tables.
func (s *Source) Rule(q rule.Query) (rule.Rule, error) {
	e, err := s.entry(&q)
	if err != nil {
		return rule.Rule{}, err
	}
	program, err := e.program(q.Image, q.Code)
	if err != nil {
		return rule.Rule{}, err
	}
	return run(program)
}

// Function returns the range of code that q.PC's entry covers, which may be more than
// one function.
func (s *Source) Function(q *rule.Query) (start, end task.Addr, ok bool) {
	e, err := s.entry(q)
	if err != nil {
		return 0, 0, false
	}
	return q.Image.Addr(uint64(e.start)), q.Image.Addr(uint64(e.end)), true
}

func (s *Source) entry(q *rule.Query) (entry, error) {
	if q.Arch != task.ARM || q.Image == nil || q.Image.File == nil {
		return entry{}, rule.ErrNone
	}
	l := s.tables.Of(q.Image, (*loaded).load)
	if l.err != nil {
		return entry{}, l.err
	}
	e, ok := l.table.find(uint32(q.VMAddr()))
	if !ok {
		return entry{}, rule.ErrNone
	}
	return e, nil
}

func (l *loaded) load(im *images.Image) {
	sec, err := im.File.Section(object.ExIdx)
	if err != nil {
		l.err = rule.ErrNone
		return
	}
	l.table = table{vmaddr: uint32(sec.VMAddr), data: sec.Data}
}
