package analysis

import (
	"stacksnap/unwind/rule"
)

// Distances returns the offsets of sp and the frame pointer from the CFA before the
// instruction at q.PC. ok is false unless all paths from the function's start agree.
func (s *Source) Distances(q rule.Query) (sp, fp int32, ok bool) {
	w := s.walk()
	defer s.done(w)
	m := s.solveUpTo(w, q)
	if m == nil {
		return 0, 0, false
	}
	a, b := w.here.reg[m.sp], w.here.reg[m.fp]
	return a.off, b.off, a.kind == frame && b.kind == frame
}

// Unchanged returns the registers, a bit for each by its number in rules, whose values
// before the instruction at q.PC are those on the function's entry, on all paths from
// its start: calls preserve them, and the function has not changed them yet, or has
// restored them. It returns 0 if the function is not known.
func (s *Source) Unchanged(q rule.Query) (registers uint64) {
	w := s.walk()
	defer s.done(w)
	m := s.solveUpTo(w, q)
	if m == nil {
		return 0
	}
	for _, k := range m.kept {
		if w.here.reg[k] == entryOf(k) {
			registers |= 1 << m.dwarf[k]
		}
	}
	return registers
}

// solveUpTo leaves in w.here what is known before the instruction at q.PC. It returns
// nil unless that was derived from the start of the function.
func (s *Source) solveUpTo(w *walk, q rule.Query) *machine {
	if machineOf(q.Arch) == nil {
		return nil
	}
	w.query = q // in w, so that it is not allocated for each query
	start, end, ok := s.function(&w.query)
	if !ok || end-start > maxCode || w.read(w.query.Code, start, int(end-start)) != nil {
		return nil
	}
	return w.solveFor(w.machineOf(&w.query, start), uint32(q.PC-start))
}

func (w *walk) solveFor(m *machine, pc uint32) *machine {
	w.machine, w.pc, w.mode = m, pc, mode{}
	if w.solve() != nil || w.hereFrom != 0 {
		return nil
	}
	return m
}
