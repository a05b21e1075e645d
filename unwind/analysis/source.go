package analysis

import (
	"slices"
	"sync"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Extents returns the start and end of the function that q.PC is in, if known.
type Extents interface {
	Function(q *rule.Query) (start, end task.Addr, ok bool)
}

// Source derives rules from the code of images. It is used by many goroutines at
// once. For a query with First it is more exact than unwind tables that describe
// function bodies only; for others it serves functions without tables.
type Source struct {
	// Extents, such as unwind tables, are queried when an image's file has no
	// function starts, and for starts closer to the pc.
	Extents []Extents

	spare sync.Pool // *walk
	known knowns
}

// Rule implements [rule.Source]. Without a known function start, the rule is derived
// from the code after the pc and is [rule.Unproven]. The errors wrap [ErrUncertain],
// and [rule.ErrNone] too if the function is unknown, or are a failure to read the
// code.
func (s *Source) Rule(q rule.Query) (rule.Rule, error) {
	m := machineOf(q.Arch)
	if m == nil {
		return rule.Rule{}, rule.ErrNone
	}
	w := s.walk()
	defer s.done(w)
	w.query = q // in w, so that it is not allocated for each query
	if r, ok := w.stub(&w.query); ok {
		return r, nil
	}
	start, end, ok := s.function(&w.query)
	if !ok {
		return w.ahead(&w.query)
	}
	return w.within(&w.query, start, end)
}

// within is the rule of the function that seems to be from start to end.
func (w *walk) within(q *rule.Query, start, end task.Addr) (rule.Rule, error) {
	r, err := w.between(q, start, end)
	if err == ErrUnbalanced || err == nil && w.fell {
		if wider, ok := w.widened(q, start, end); ok {
			return wider, nil
		}
	}
	if err == ErrUnbalanced {
		return w.withoutItsFP(q, start, end)
	}
	return r, err
}

// withoutItsFP is the rule of a function that returns, always without its caller's
// fp: CFA and pc are found as in others, and fp is lost unless it is unchanged since
// entry.
func (w *walk) withoutItsFP(q *rule.Query, start, end task.Addr) (rule.Rule, error) {
	if err := w.take(q, start, end); err != nil {
		return rule.Rule{}, err
	}
	w.machine, w.pc, w.mode = w.machineOf(q, start), uint32(q.PC-start), mode{withoutFP: true}
	if w.solve() != nil || w.fell || w.hereFrom != 0 {
		return rule.Rule{}, ErrUnbalanced
	}
	return w.ruleHere(!q.First)
}

// between is the rule of the function from start to end.
func (w *walk) between(q *rule.Query, start, end task.Addr) (rule.Rule, error) {
	if err := w.take(q, start, end); err != nil {
		return rule.Rule{}, err
	}
	return w.rule(w.machineOf(q, start), uint32(q.PC-start), !q.First)
}

// take reads the code from start to end. It fails unless it gets at least the code up
// to q.PC.
func (w *walk) take(q *rule.Query, start, end task.Addr) error {
	if end-start > maxCode {
		return ErrTooLarge
	}
	if err := w.read(q.Code, start, int(end-start)); err != nil && len(w.code) <= int(q.PC-start) {
		return err
	}
	return nil
}

// Limits of the search for the function's start.
const (
	maxWiden     = 48
	maxWidenCode = 16 << 10
)

// widened tries later ends and earlier starts, because a label within a function, as
// in assembly, may seem to be a function. A start counts only if a path certainly
// leads from there to the pc.
func (w *walk) widened(q *rule.Query, start, end task.Addr) (rule.Rule, bool) {
	if q.Image == nil || q.Image.File == nil {
		return rule.Rule{}, false
	}
	for n := 0; n < maxWiden && w.fell && end-start <= maxWidenCode; n++ {
		_, next, ok := extentAt(q.Image, end)
		if !ok || next <= end {
			break
		}
		end = next
		if r, err := w.between(q, start, end); err == nil && !w.fell {
			return r, true
		}
	}
	for range maxWiden {
		v, ok := q.Image.File.FunctionStart(q.Image.VMAddr(start - 1))
		if !ok || q.Image.Addr(v) >= start || end-q.Image.Addr(v) > maxWidenCode {
			break
		}
		start = q.Image.Addr(v)
		if r, err := w.between(q, start, end); err == nil && w.hereFrom == 0 {
			return r, true
		}
	}
	return rule.Rule{}, false
}

// machines has a row for each architecture.
var machines = [task.NumArchs]*machine{task.AMD64: &amd64, task.ARM64: &arm64, task.I386: &i386, task.ARM: &thumb}

// machineOf returns nil for an architecture without a row.
func machineOf(a task.Arch) *machine {
	if a < task.NumArchs {
		return machines[a]
	}
	return nil
}

// machineOf is the machine for the function at start, whose code was read. On ARM
// there are two.
func (w *walk) machineOf(q *rule.Query, start task.Addr) *machine {
	if q.Arch != task.ARM {
		return machineOf(q.Arch)
	}
	if q.Image != nil {
		if t, ok := q.Image.File.(object.ThumbReporter); ok {
			if isThumb, known := t.Thumb(q.Image.VMAddr(start)); known {
				return armMachines[isThumb]
			}
		}
	}
	return armMachines[start%4 != 0 || looksThumb(w.code)]
}

func (s *Source) walk() *walk {
	if w, ok := s.spare.Get().(*walk); ok {
		return w
	}
	return &walk{knowns: &s.known}
}

func (s *Source) done(w *walk) {
	w.mem, w.query = nil, rule.Query{}
	s.spare.Put(w)
}

// rule is the rule at pc of the function whose code was read.
func (w *walk) rule(m *machine, pc uint32, inCall bool) (rule.Rule, error) {
	w.machine, w.pc, w.mode = m, pc, mode{}
	err := w.solve()
	if err == ErrUnbalanced {
		w.mode = mode{peek: true, pops: m.lr == numRegisters}
		err = w.solve()
	}
	switch {
	case err == ErrUnbalanced:
		return w.fragment()
	case err != nil:
		return rule.Rule{}, err
	}
	return w.ruleHere(inCall)
}

// ruleHere is the rule at pc after a successful run.
func (w *walk) ruleHere(inCall bool) (rule.Rule, error) {
	if inCall && (w.leavesFrame() || w.isAway()) {
		inCall = false
	}
	return w.machine.rule(&w.here, inCall, w.withoutFP)
}

// instHere decodes the instruction that contains pc, after a successful run.
func (w *walk) instHere() *inst {
	w.step(w.machine, w.code, w.hereAt, nil, &w.inst)
	return &w.inst
}

// read reads up to n bytes of code at a.
func (w *walk) read(mem task.Memory, a task.Addr, n int) error {
	w.mem, w.start = mem, a
	w.code = slices.Grow(w.code[:0], n)[:n]
	got, err := mem.ReadMemory(w.code, a)
	w.code = w.code[:got]
	return err
}

// function returns the intersection of all known extents of the function.
func (s *Source) function(q *rule.Query) (start, end task.Addr, ok bool) {
	start, end, ok = fileExtent(q)
	for _, e := range s.Extents {
		lo, hi, known := e.Function(q)
		switch {
		case known && !ok:
			start, end, ok = lo, hi, true
		case known:
			start, end = max(start, lo), min(end, hi)
		}
	}
	return start, end, ok && start <= q.PC && q.PC < end
}

// fileExtent returns the function's extent by the image's file. The end is the first
// address with another function start, found by doubling steps and then bisection.
func fileExtent(q *rule.Query) (start, end task.Addr, ok bool) {
	if q.Image == nil || q.Image.File == nil {
		return 0, 0, false
	}
	return extentAt(q.Image, q.PC)
}

func extentAt(im *images.Image, a task.Addr) (start, end task.Addr, ok bool) {
	f, pc := im.File, im.VMAddr(a)
	v, ok := f.FunctionStart(pc)
	if !ok || v > pc {
		return 0, 0, false
	}
	same := func(a uint64) bool { x, ok := f.FunctionStart(a); return ok && x == v }
	low, high := pc, pc+64
	for high-pc <= maxCode && same(high) {
		low, high = high, high+(high-pc)
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; same(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return im.Addr(v), im.Addr(high), true
}
