package profile

import (
	"fmt"
	"slices"

	"stacksnap/task"
	"stacksnap/unwind"
)

// edge identifies a node: its parent, its place in the code, whether it is a guess, and,
// for an outermost frame, why its callers are missing.
type edge struct {
	parent *Node
	callee
}

// callee is an edge without the parent.
type callee struct {
	site  *site
	guess bool
	cut   unwind.Reason // Bottom unless the frame is outermost
}

// merge adds a stack to the thread's tree, from the outermost frame inwards, and sets
// r.path. Frames of the kernel are the innermost.
func (b *Builder) merge(r *record, s *Stack, inKernel []task.KernelFrame) {
	r.path = slices.Grow(r.path[:0], len(s.Frames)+len(inKernel))
	r.stop, r.depth, r.further = s.Stop.Reason, len(s.Frames)+len(inKernel), false
	at, cut := &r.target().top, s.Stop.Reason
	for i := len(s.Frames) - 1; i >= 0; i-- {
		if r.further {
			return
		}
		f := &s.Frames[i]
		where := b.names.siteOf(f)
		at = b.descend(r, edge{at, callee{where, f.By.Guess(), cut}}, f, s.Stop)
		cut = unwind.Bottom
	}
	for i := len(inKernel) - 1; i >= 0 && !r.further; i-- {
		where := b.names.inKernel(&inKernel[i])
		at = b.descend(r, edge{at, callee{where, false, cut}}, &toldByKernel, s.Stop)
		cut = unwind.Bottom
	}
	if r := r.target(); len(s.Frames)+len(inKernel) == 0 && r.Err == "" {
		r.Err = newCut(s.Stop).String()
	}
}

// toldByKernel is a frame that the kernel names without an address.
var toldByKernel = unwind.Frame{Return: true, Kernel: true, By: unwind.ByReport}

// descend counts the next frame of a stack. stop is the reason why the stack ends.
func (b *Builder) descend(r *record, e edge, f *unwind.Frame, stop unwind.Stop) *Node {
	at := b.child(r, e, f)
	at.Count++
	r.path = append(r.path, at)
	if e.cut != unwind.Bottom && at.Cut == nil {
		at.Cut = newCut(stop)
	}
	return at
}

// Trampoline is the function name of a signal trampoline without a symbol. Its Offset is
// relative to the image, like that of code without a name.
const Trampoline = "<signal trampoline>"

// maxNodes bounds the number of nodes in all trees, without one [Further] node under each.
// A program may have any number of different stacks.
const maxNodes = 1 << 19

// Further is the function name of a node that merges all further callees: because there are
// too many nodes, or because a report that was read ends there.
const Further = "<further calls>"

// further is the site of all [Further] nodes.
var further = &site{Location: Location{Function: Further}}

// child returns the node for an edge. It adds one if there is none, or returns the
// [Further] node if there are too many.
func (b *Builder) child(r *record, e edge, f *unwind.Frame) *Node {
	n := b.find(e)
	if e.site == further || n == nil && len(b.ends) >= b.maxNodes {
		e, r.further = edge{e.parent, callee{site: further}}, true
		b.Note(fmt.Sprintf("there were more than %d different places in the call trees: later ones are not told apart", b.maxNodes))
		if n = b.find(e); n != nil {
			return n
		}
	}
	if n == nil {
		n = &oneOf(&b.nodes)[0]
		*n = Node{Location: e.site.Location, PC: f.PC, Return: f.Return, By: f.By, number: uint32(len(b.ends))}
		if f.Trampoline && n.Function == "" {
			n.Function = Trampoline
		}
		b.add(e, n)
	}
	n.By = max(n.By, f.By)
	if n.Why == "" && f.Err != nil {
		n.Why = f.Err.Error()
	}
	return n
}

// fewSiblings is the number of siblings up to which they are searched one by one. Most
// frames have one callee.
const fewSiblings = 8

// find returns the node for an edge, nil if there is none.
func (b *Builder) find(e edge) *Node {
	if len(e.parent.Children) > fewSiblings {
		return b.edges[e]
	}
	for _, n := range e.parent.Children {
		if b.ends[n.number] == e.callee {
			return n
		}
	}
	return nil
}

// add adds a new node for an edge.
func (b *Builder) add(e edge, n *Node) {
	b.ends = append(b.ends, e.callee)
	siblings := e.parent.Children
	if siblings == nil {
		siblings = oneOf(&b.calls)[:0]
	}
	siblings = append(siblings, n)
	e.parent.Children = siblings
	switch {
	case len(siblings) == fewSiblings+1:
		for _, s := range siblings {
			b.edges[edge{e.parent, b.ends[s.number]}] = s
		}
	case len(siblings) > fewSiblings:
		b.edges[e] = n
	}
}

// oneOf returns a slice for one element, from an array that is allocated for many at once,
// which is faster.
func oneOf[T any](left *[]T) []T {
	const many = 16
	if len(*left) == 0 {
		*left = make([]T, many)
	}
	first := (*left)[:1:1]
	*left = (*left)[1:]
	return first
}

func newCut(s unwind.Stop) *Cut {
	c := &Cut{Reason: s.Reason, Need: s.Need}
	if s.Err != nil {
		c.Detail = s.Err.Error()
	}
	return c
}
