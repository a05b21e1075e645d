package managed

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes/cpython"
)

// Saved joins the managed frames that a recording has of its threads.
type Saved struct {
	All bool // native frames of the interpreter are kept

	in    *images.Map
	loops map[task.Addr]bool
	image *images.Image // that the loop of the current stack is in
}

// Join appends to dst the stack of a thread with its managed frames, and reports whether there
// are any.
func (s *Saved) Join(dst []unwind.Frame, m *images.Map, t *task.Thread, native []unwind.Frame, stop unwind.Stop) ([]unwind.Frame, bool) {
	if len(t.Managed) == 0 {
		return dst, false
	}
	if m != s.in {
		s.in, s.loops = m, map[task.Addr]bool{}
	}
	s.image = nil
	for i := range native {
		if at := native[i].LookUp(); s.isLoop(at) {
			s.image, _ = m.Find(at)
			break
		}
	}
	switch {
	case t.Later && s.All && len(native) > 0:
		return dst, false
	case t.Later:
		return unwind.JoinLater(dst, native, t.Managed, s.kind), true
	}
	joined, err := unwind.Join(dst, native, stop, t.Managed, s.kind, s.All)
	return joined, err == nil
}

func (s *Saved) kind(f *unwind.Frame) unwind.Kind {
	at := f.LookUp()
	if s.isLoop(at) {
		return unwind.EvalLoop
	}
	if im, ok := s.in.Find(at); ok && im == s.image {
		return unwind.OfInterpreter
	}
	return unwind.Unrelated
}

func (s *Saved) isLoop(at task.Addr) bool {
	is, known := s.loops[at]
	if known {
		return is
	}
	if im, ok := s.in.Find(at); ok && im.File != nil {
		sym, _ := im.File.Symbol(im.VMAddr(at))
		is = new(cpython.Instance).IsLoop(sym.Name)
	}
	s.loops[at] = is
	return is
}
