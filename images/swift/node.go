package swift

// node is a node of the tree. A nil node stands for a part that the name should
// have and has not: what is made of it is nil too, and the name is none of Swift's.
type node struct {
	kind     kind
	index    int
	text     string
	children []*node
}

// is reports whether there is a node and it is of the kind.
func (n *node) is(k kind) bool { return n != nil && n.kind == k }

// child returns the child at i, nil if there is none.
func (n *node) child(i int) *node {
	if n == nil || i < 0 || i >= len(n.children) {
		return nil
	}
	return n.children[i]
}

// last returns the last child, nil if there is none.
func (n *node) last() *node {
	if n == nil {
		return nil
	}
	return n.child(len(n.children) - 1)
}

// find returns the first child of the kind, nil if there is none.
func (n *node) find(k kind) *node {
	if n == nil {
		return nil
	}
	for _, c := range n.children {
		if c.kind == k {
			return c
		}
	}
	return nil
}

// reverse turns the children from the one at i on round: those that come from the
// stack come last first.
func (n *node) reverse(i int) {
	for j := len(n.children) - 1; i < j; i, j = i+1, j-1 {
		n.children[i], n.children[j] = n.children[j], n.children[i]
	}
}

// arena makes the nodes of one tree, some at a time.
type arena struct {
	nodes []node  // made and not yet used
	refs  []*node // the same for lists of children
	made  int
}

// Nodes and references made at a time.
const (
	arenaNodes = 48
	arenaRefs  = 64
)

// leaf makes a node without children.
func (a *arena) leaf(k kind) *node {
	if len(a.nodes) == 0 {
		if a.made >= maxNodes {
			return nil
		}
		a.nodes = make([]node, arenaNodes)
		a.made += arenaNodes
	}
	n := &a.nodes[0]
	a.nodes = a.nodes[1:]
	n.kind = k
	return n
}

// withText makes a node that has a text.
func (a *arena) withText(k kind, text string) *node {
	n := a.leaf(k)
	if n != nil {
		n.text = text
	}
	return n
}

// withIndex makes a node that has an index.
func (a *arena) withIndex(k kind, index int) *node {
	n := a.leaf(k)
	if n != nil {
		n.index = index
	}
	return n
}

// node makes a node with children, nil if one of them is.
func (a *arena) node(k kind, children ...*node) *node {
	for _, c := range children {
		if c == nil {
			return nil
		}
	}
	n := a.leaf(k)
	if n != nil {
		n.children = a.list(children)
	}
	return n
}

// phrase makes a node that is only printed, by a template.
func (a *arena) phrase(template string, children ...*node) *node {
	n := a.node(kindPhrase, children...)
	if n != nil {
		n.text = template
	}
	return n
}

// typed makes a type of a node.
func (a *arena) typed(n *node) *node { return a.node(kindType, n) }

// list copies a list of children so that another child moves it elsewhere.
func (a *arena) list(children []*node) []*node {
	n := len(children)
	if n > len(a.refs) {
		a.refs = make([]*node, max(arenaRefs, n))
	}
	list := a.refs[:n:n]
	a.refs = a.refs[n:]
	copy(list, children)
	return list
}

// add adds a child that must be there: without it the result is nil.
func add(n, child *node) *node {
	if n == nil || child == nil {
		return nil
	}
	n.children = append(n.children, child)
	return n
}

// addIf adds a child that need not be there.
func addIf(n, child *node) {
	if n != nil && child != nil {
		n.children = append(n.children, child)
	}
}
