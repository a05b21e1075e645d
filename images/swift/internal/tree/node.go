// Package tree has the tree of a mangled name, whose nodes its parsers make, and what both
// manglings write in the same way: numbers, Punycode, and letters that mean the same texts.
package tree

// Node is a node of the tree. A nil *Node means that the name lacks a required part.
// A node made from a nil child is nil too, so the whole name is rejected.
type Node struct {
	Kind     Kind
	Index    int
	Text     string
	Children []*Node
}

// Is reports whether n is not nil and of kind k.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// Child returns the child at i, nil if there is none.
func (n *Node) Child(i int) *Node {
	if n == nil || i < 0 || i >= len(n.Children) {
		return nil
	}
	return n.Children[i]
}

// Last returns the last child, nil if there is none.
func (n *Node) Last() *Node {
	if n == nil {
		return nil
	}
	return n.Child(len(n.Children) - 1)
}

// Find returns the first child of the kind, nil if there is none.
func (n *Node) Find(k Kind) *Node {
	if n == nil {
		return nil
	}
	for _, c := range n.Children {
		if c.Kind == k {
			return c
		}
	}
	return nil
}

// Reverse reverses the children from index i on. Nodes popped from a stack come in
// reverse order.
func (n *Node) Reverse(i int) {
	for j := len(n.Children) - 1; i < j; i, j = i+1, j-1 {
		n.Children[i], n.Children[j] = n.Children[j], n.Children[i]
	}
}

// Arena makes the nodes of one tree, and allocates them in blocks. It returns nil
// once the tree has too many nodes.
type Arena struct {
	nodes []Node  // allocated, not used yet
	refs  []*Node // the same, for lists of children
	made  int
}

// How many nodes and references are allocated at once.
const (
	arenaNodes = 48
	arenaRefs  = 64
)

// Leaf makes a node without children.
// It is not inlined: copies of it took 20 kB of the program.
//
//go:noinline
func (a *Arena) Leaf(k Kind) *Node {
	if len(a.nodes) == 0 {
		if a.made >= maxNodes {
			return nil
		}
		a.nodes = make([]Node, arenaNodes)
		a.made += arenaNodes
	}
	n := &a.nodes[0]
	a.nodes = a.nodes[1:]
	n.Kind = k
	return n
}

// WithText makes a node with a text. It returns nil if one of the children is nil. It
// is not inlined: copies of it took 8 kB of the program.
//
//go:noinline
func (a *Arena) WithText(k Kind, text string, children ...*Node) *Node {
	n := a.Node(k, children...)
	if n != nil {
		n.Text = text
	}
	return n
}

// WithIndex makes a node with an index.
func (a *Arena) WithIndex(k Kind, index int) *Node {
	n := a.Leaf(k)
	if n != nil {
		n.Index = index
	}
	return n
}

// Node makes a node with children. It returns nil if one of them is nil.
func (a *Arena) Node(k Kind, children ...*Node) *Node {
	for _, c := range children {
		if c == nil {
			return nil
		}
	}
	n := a.Leaf(k)
	if n != nil {
		n.Children = a.list(children)
	}
	return n
}

// Phrase makes a node that is only printed: by a template, into which the children
// are inserted.
func (a *Arena) Phrase(template string, children ...*Node) *Node {
	return a.WithText(Phrase, template, children...)
}

// Simple makes a type that is printed by a template and needs no parentheses.
func (a *Arena) Simple(template string, children ...*Node) *Node {
	return a.WithText(SimpleType, template, children...)
}

// Number makes a node for a number. It returns nil if n is negative.
func (a *Arena) Number(n int) *Node {
	if n < 0 {
		return nil
	}
	return a.WithIndex(Number, n)
}

// GenericParam makes a node for a generic parameter. It returns nil if a number is
// negative.
func (a *Arena) GenericParam(depth, index int) *Node {
	return a.Node(GenericParam, a.Number(depth), a.Number(index))
}

// Typed makes a Type node with n as its child.
func (a *Arena) Typed(n *Node) *Node { return a.Node(Type, n) }

// list copies a list of children. Its capacity is its length, so that appending a
// child copies it again.
func (a *Arena) list(children []*Node) []*Node {
	n := len(children)
	if n > len(a.refs) {
		a.refs = make([]*Node, max(arenaRefs, n))
	}
	list := a.refs[:n:n]
	a.refs = a.refs[n:]
	copy(list, children)
	return list
}

// Add adds a child and returns n, or nil if either is nil. It is not inlined: copies
// of it took 16 kB of the program.
//
//go:noinline
func Add(n, child *Node) *Node {
	if n == nil || child == nil {
		return nil
	}
	n.Children = append(n.Children, child)
	return n
}

// AddIf adds a child unless it is nil.
// It is not inlined: copies of it took 12 kB of the program.
//
//go:noinline
func AddIf(n, child *Node) {
	if n != nil && child != nil {
		n.Children = append(n.Children, child)
	}
}
