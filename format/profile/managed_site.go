package profile

import (
	"stacksnap/task"
	"stacksnap/unwind"
)

// managedPlace is a place in a managed function, run by a native function at pc.
type managedPlace struct {
	task.ManagedFrame
	pc task.Addr
}

// siteOf returns the site of a frame.
func (n *symbolizer) siteOf(f *unwind.Frame) *site {
	if f.Managed == nil {
		return n.site(f.PC, f.Return, f.Kernel)
	}
	key := managedPlace{*f.Managed, f.PC}
	key.Entry = false // how it was called is no part of where it is
	if known := n.managed[key]; known != nil {
		return known
	}
	if n.count >= maxSites {
		return further
	}
	n.count++
	im := n.runtime(f.Managed.Runtime)
	n.managed[key] = &site{Location: Location{Image: im, Function: key.Function, Raw: key.Function, File: key.File, Line: key.Line}, pc: f.PC, isReturn: f.Return}
	return n.managed[key]
}

// runtime returns the image of what a runtime runs.
func (n *symbolizer) runtime(name string) *Image {
	im := n.runtimes[name]
	if im == nil {
		im = &Image{Path: name, Runtime: true, Symbols: true}
		n.runtimes[name] = im
		n.seen[im] = true
	}
	return im
}

// AddManagedTask adds a task whose stack has the functions of a runtime alone, the outermost
// first.
func (b *Builder) AddManagedTask(t *Task, frames []task.ManagedFrame) {
	made := &builtTask{Task: *t}
	var last *Node
	for i := range frames {
		n := &Node{Location: b.names.siteOf(&unwind.Frame{Managed: &frames[i]}).Location, Count: t.Count}
		if last == nil {
			made.outermost = n
		} else {
			last.Children = []*Node{n}
		}
		last = n
	}
	if last != nil {
		last.Self = t.Count
	}
	b.tasks = append(b.tasks, made)
}

// AddTaskDeadlock adds tasks of which each waits for the next, and the last for the first.
func (b *Builder) AddTaskDeadlock(d TaskDeadlock) { b.p.TaskDeadlocks = append(b.p.TaskDeadlocks, d) }
