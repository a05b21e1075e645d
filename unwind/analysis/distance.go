package analysis

import (
	"stacksnap/unwind/rule"
)

// Distances returns the offsets of sp and the frame pointer from the CFA before the
// instruction at q.PC. ok is false unless all paths from the function's start agree.
func (s *Source) Distances(q rule.Query) (sp, fp int32, ok bool) {
	if machineOf(q.Arch) == nil {
		return 0, 0, false
	}
	w := s.walk()
	defer s.done(w)
	w.query = q // in w, so that it is not allocated for each query
	start, end, ok := s.function(&w.query)
	if !ok || end-start > maxCode {
		return 0, 0, false
	}
	if w.read(w.query.Code, start, int(end-start)) != nil {
		return 0, 0, false
	}
	return w.distances(w.machineOf(&w.query, start), uint32(q.PC-start))
}

func (w *walk) distances(m *machine, pc uint32) (sp, fp int32, ok bool) {
	w.machine, w.pc, w.mode = m, pc, mode{}
	if w.solve() != nil || w.hereFrom != 0 {
		return 0, 0, false
	}
	a, b := w.here.reg[m.sp], w.here.reg[m.fp]
	return a.off, b.off, a.kind == frame && b.kind == frame
}
