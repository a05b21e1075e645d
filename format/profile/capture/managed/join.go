package managed

import (
	"errors"
	"fmt"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes"
)

// kinds has what native functions are to the runtimes.
type kinds map[lookedUp]unwind.Kind

type lookedUp struct {
	at      task.Addr
	runtime int
}

// Join appends to dst the stack of a thread with its managed frames, which it sets in t as
// well, and reports whether there are any. The frames in t are valid until the thread's next stack.
func (r *Runtimes) Join(dst []unwind.Frame, t *task.Thread, native []unwind.Frame, stop unwind.Stop) (joined []unwind.Frame, ok bool) {
	t.Managed = nil
	runtime := r.readFrames(t)
	if runtime < 0 {
		r.stale = r.stale || r.runsLoop(t, native)
		r.kept.drop(t.ID)
		return dst, false
	}
	if t.Later {
		return r.joinLater(dst, t, native, runtime)
	}
	frames := r.kept.of[t.ID].frames
	joined, err := unwind.Join(dst, native, stop, frames, func(f *unwind.Frame) unwind.Kind { return r.kind(f, runtime) }, r.all)
	if err != nil {
		r.apart++
		r.stale = true
		r.last = err
		r.kept.drop(t.ID)
		return dst, false
	}
	t.Managed = frames
	return joined, true
}

// readFrames reads the managed frames of a thread into kept, and returns their runtime; less
// than 0: there are none, or they cannot be read or are of several runtimes.
func (r *Runtimes) readFrames(t *task.Thread) (runtime int) {
	runtime = -1
	frames := r.kept.of[t.ID].frames[:0]
	for i := range t.Chains {
		c := &t.Chains[i]
		if c.Beside || c.Runtime >= len(r.found) || len(c.Objects) == 0 {
			continue
		}
		before := len(frames)
		instance := &r.found[c.Runtime]
		var err error
		frames, err = instance.Frames(frames, r.threads.inner(t.ID), c.Objects, r.memory)
		switch {
		case err != nil:
			r.last, r.stale = err, true
			r.apart++
			return -1
		case len(frames) == before:
		case runtime >= 0:
			r.last = errSeveral
			r.apart++
			return -1
		default:
			runtime = c.Runtime
		}
		for j := range frames[before:] {
			frames[before+j].Runtime = instance.name
		}
	}
	if !r.kept.set(t.ID, frames) {
		r.last = errRoom
		r.apart++
		return -1
	}
	return runtime
}

var errSeveral = errors.New("the thread has frames of several interpreters")

// Kept returns the managed frames of the last stack of a thread.
func (r *Runtimes) Kept(id task.ThreadID) []task.ManagedFrame {
	if r == nil {
		return nil
	}
	return r.kept.of[id].frames
}

// runsLoop reports whether the stack of a thread has a frame that runs managed functions, or a goroutine
// that was not read.
func (r *Runtimes) runsLoop(t *task.Thread, native []unwind.Frame) bool {
	for i := range native {
		for runtime := range r.found {
			if _, isGo := r.found[runtime].Instance.(runtimes.Scheduler); isGo && t.Goroutine.ID != 0 {
				continue
			}
			if r.kind(&native[i], runtime) == unwind.EvalLoop {
				return true
			}
		}
	}
	return false
}

// kind returns what a native frame is to a runtime.
func (r *Runtimes) kind(f *unwind.Frame, runtime int) unwind.Kind {
	at := f.LookUp()
	key := lookedUp{at, runtime}
	k, ok := r.kinds[key]
	if !ok {
		k = kindAt(r.in, at, &r.found[runtime])
		r.kinds[key] = k
	}
	return k
}

func kindAt(m *images.Map, at task.Addr, in *found) unwind.Kind {
	im, ok := m.Find(at)
	if !ok || im.Path != in.at.path || im.Load != in.at.load || im.File == nil {
		return unwind.Unrelated
	}
	if sym, ok := im.File.Symbol(im.VMAddr(at)); ok && in.IsLoop(sym.Name) {
		return unwind.EvalLoop
	}
	return unwind.OfInterpreter
}

// Note adds how many stacks are shown without their managed frames, if any are.
func (r *Runtimes) Note() {
	if r != nil && r.apart > 0 {
		r.note(fmt.Sprintf("stacks shown with native frames alone, as those of the interpreter could not be joined with them: %d (the last: %v)", r.apart, r.last))
	}
}
