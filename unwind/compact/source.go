package compact

import (
	"sync"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Source has the rules of the images' __unwind_info. The zero value is ready for use,
// by many goroutines at once.
type Source struct {
	tables rule.PerImage[loaded]
	spare  sync.Pool // *function
}

// loaded caches the table of an image.
type loaded struct {
	table Table
	err   error
}

// Rule implements [rule.Source]. The rule holds in the function's body; for a query
// with First, query analysis first. An error other than [rule.ErrNone] and the errors
// here that wrap it wraps [ErrCorrupt], is [ErrEncoding], or is a failure to read
// code.
func (s *Source) Rule(q rule.Query) (rule.Rule, error) {
	e, err := s.Entry(&q)
	if err != nil {
		return rule.Rule{}, err
	}
	f := s.function()
	defer s.spare.Put(f)
	f.encoding, f.first, f.code = e.Encoding, q.First, q.Code
	f.start = functionStart(&q, e)
	f.offset = uint32(q.PC - f.start)
	return f.rule(q.Arch)
}

// Entry returns the table's entry for q.PC. If its encoding is in DWARF mode,
// [Encoding.FDE] has the offset of the FDE.
func (s *Source) Entry(q *rule.Query) (Entry, error) {
	if q.Image == nil || q.Image.File == nil || q.PC < q.Image.Load || uint64(q.PC-q.Image.Load) > 1<<32-1 {
		return Entry{}, rule.ErrNone
	}
	t, err := s.table(q.Image)
	if err != nil {
		return Entry{}, err
	}
	return t.Lookup(uint32(q.PC - q.Image.Load))
}

// Function returns the range of code that q.PC's entry covers. It may be more than
// one function: adjacent functions with equal encodings share an entry.
func (s *Source) Function(q *rule.Query) (start, end task.Addr, ok bool) {
	e, err := s.Entry(q)
	if err != nil {
		return 0, 0, false
	}
	return q.Image.Load + task.Addr(e.Start), q.Image.Load + task.Addr(e.End), true
}

// FDE returns the offset in __eh_frame that the table has for q.PC. It reports false
// where there is none: see [Encoding.FDE].
func (s *Source) FDE(q *rule.Query) (off int, ok bool) {
	e, err := s.Entry(q)
	if err != nil {
		return 0, false
	}
	at, ok := e.Encoding.FDE(q.Arch)
	return int(at), ok && at != 0
}

// functionStart returns the start of q.PC's function. The file's symbols are more
// exact than an entry, which may cover several functions.
func functionStart(q *rule.Query, e Entry) task.Addr {
	start := q.Image.Load + task.Addr(e.Start)
	if v, ok := q.Image.File.FunctionStart(q.VMAddr()); ok {
		return max(start, q.Image.Addr(v))
	}
	return start
}

func (s *Source) table(im *images.Image) (*Table, error) {
	l := s.tables.Of(im, (*loaded).load)
	return &l.table, l.err
}

func (l *loaded) load(im *images.Image) {
	s, err := im.File.Section(object.UnwindInfo)
	if err != nil || len(s.Data) == 0 {
		l.err = rule.ErrNone
		return
	}
	l.table, l.err = Parse(s.Data)
}

func (s *Source) function() *function {
	if f, ok := s.spare.Get().(*function); ok {
		return f
	}
	return new(function)
}
