package managed

import (
	"bytes"
	"slices"

	"stacksnap/task"
	"stacksnap/unwind"
)

// joinLater is Join for a thread that ran between the copy of its stack and that of its frames. With
// the native frames of interpreters, it has those alone.
func (r *Runtimes) joinLater(dst []unwind.Frame, t *task.Thread, native []unwind.Frame, runtime int) ([]unwind.Frame, bool) {
	if r.all && len(native) > 0 {
		r.kept.drop(t.ID)
		return dst, false
	}
	kind := func(f *unwind.Frame) unwind.Kind { return r.kind(f, runtime) }
	if !r.keepsCallers(t, native, kind) {
		t.Registers, t.Stacks = task.Registers{}, nil
		native = nil
	}
	t.Managed = r.kept.of[t.ID].frames
	return unwind.JoinLater(dst, native, t.Managed, kind), true
}

// maxCallers is how many bytes the callers of the outermost loop take at most, to be compared.
const maxCallers = 64 << 10

// keepsCallers reports whether what called the outermost loop of a copied stack is the same now.
func (r *Runtimes) keepsCallers(t *task.Thread, native []unwind.Frame, kind func(*unwind.Frame) unwind.Kind) bool {
	i := unwind.OutermostLoop(native, kind)
	if i < 0 || i == len(native)-1 {
		return false
	}
	from, end := native[i+1].SP-8, native[len(native)-1].SP // from the return address on
	if native[i+1].SP == 0 || end <= from || end-from > maxCallers {
		return false
	}
	r.then = slices.Grow(r.then[:0], int(end-from))[:end-from]
	r.now = slices.Grow(r.now[:0], int(end-from))[:end-from]
	return task.ReadFull(t, r.then, from) == nil && task.ReadFull(r.memory, r.now, from) == nil && bytes.Equal(r.then, r.now)
}
