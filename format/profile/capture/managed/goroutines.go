package managed

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes"
	"stacksnap/unwind/runtimes/golang"
)

// goRuntime is Go's runtime in an image, or why it is not known.
type goRuntime struct {
	runtime *golang.Runtime
	err     error
}

// Go returns Go's runtime in an image. What is found is kept.
func (r *Runtimes) Go(im *images.Image) (*golang.Runtime, error) {
	at := place{im.Path, im.Load}
	g, ok := r.goes[at]
	if !ok {
		g.runtime, g.err = golang.Attach(im, r.memory, r.os)
		r.goes[at] = g
	}
	return g.runtime, g.err
}

// SetGoroutine sets the goroutine that a thread ran when its stack was copied, which was walked as
// native code.
func (r *Runtimes) SetGoroutine(t *task.Thread, native []unwind.Frame) {
	t.Goroutine = task.Goroutine{}
	if r.saved && len(t.Chains) == 0 {
		t.Goroutine = r.onStack(native)
		return
	}
	for i := range t.Chains {
		c := &t.Chains[i]
		if c.Runtime >= len(r.found) {
			continue
		}
		of, ok := r.found[c.Runtime].Instance.(runtimes.Scheduler)
		if !ok {
			continue
		}
		if t.Same && r.ran[t.ID].ID != 0 {
			t.Goroutine = r.ran[t.ID]
			return
		}
		if t.Goroutine, ok = of.Goroutine(r.threads.inner(t.ID), c.Objects, r.memory); ok {
			break
		}
	}
	r.ran[t.ID] = t.Goroutine
}

// onStack returns the goroutine on whose stack a thread of a saved process has a frame.
func (r *Runtimes) onStack(native []unwind.Frame) task.Goroutine {
	if r.onStacks == nil {
		r.onStacks = []golang.OnStacks{}
		for _, g := range r.goes {
			if g.err == nil {
				r.onStacks = append(r.onStacks, g.runtime.OnStacks(r.memory))
			}
		}
	}
	for _, all := range r.onStacks {
		for i := range native {
			if g, ok := all.At(native[i].SP); ok {
				return g
			}
		}
	}
	return task.Goroutine{}
}
