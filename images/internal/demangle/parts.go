package demangle

import "slices"

// compound is a node with parts.
type compound interface {
	AST

	// clone returns a copy of the node that has the same parts.
	clone() compound

	// parts shows v each part in the order of the mangled name. A part that the node
	// can do without may be nil.
	parts(v visitor)
}

// visitor is shown the parts of a node, and may replace them.
type visitor interface {
	part(*AST)
	list(*[]AST)
}

// walk gives enter each node of a tree, a parent before its parts, which are left out
// where enter returns false.
func walk(a AST, enter func(AST) bool) {
	if !enter(a) {
		return
	}
	if c, ok := a.(compound); ok {
		c.parts(walker(enter))
	}
}

type walker func(AST) bool

func (w walker) part(p *AST) {
	if *p != nil {
		walk(*p, w)
	}
}

func (w walker) list(l *[]AST) {
	for _, a := range *l {
		walk(a, w)
	}
}

// rebuild copies the tree of a as far as change replaces nodes in it. change gets a node
// after its parts have been replaced, and returns nil to keep it. A node that skip
// returns true for stays as it is. rebuild returns nil if nothing was replaced.
func rebuild(a AST, change func(AST) AST, skip func(AST) bool) AST {
	if skip(a) {
		return nil
	}
	c, ok := a.(compound)
	if !ok {
		return change(a)
	}
	e := rebuilder{change: change, skip: skip}
	c = c.clone()
	c.parts(&e)
	if !e.changed {
		return change(a)
	}
	if r := change(c); r != nil {
		return r
	}
	return c
}

// rebuilder rebuilds the parts of one node.
type rebuilder struct {
	change  func(AST) AST
	skip    func(AST) bool
	changed bool
}

func (e *rebuilder) part(p *AST) {
	if *p == nil {
		return
	}
	if r := rebuild(*p, e.change, e.skip); r != nil {
		*p, e.changed = r, true
	}
}

// list copies the list before it replaces something in it: the original node has it too.
func (e *rebuilder) list(l *[]AST) {
	copied := false
	for i, a := range *l {
		r := rebuild(a, e.change, e.skip)
		if r == nil {
			continue
		}
		if !copied {
			*l, copied = slices.Clone(*l), true
		}
		(*l)[i], e.changed = r, true
	}
}

// shallow returns a copy of a node.
func shallow[T any](node *T) *T {
	c := *node
	return &c
}
