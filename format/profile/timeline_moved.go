package profile

// moves are what became of nodes of a thread's tree in another tree; nil where nobody
// wants to know.
type moves map[*Node]*Node

// moves returns an empty list of them, for a thread that has a timeline.
func (t *Timeline) moves() moves {
	if t == nil {
		return nil
	}
	return moves{}
}

// note notes what a node became.
func (m moves) note(from, to *Node) {
	if m != nil {
		m[from] = to
	}
}

// moved returns the timeline for a tree in which nodes are others. What ends in one that
// is not there is left out.
func (t *Timeline) moved(m moves) *Timeline {
	return t.where(func(n *Node) *Node { return m[n] })
}

// where is the timeline for a tree in which what became of a node is told by a function.
func (t *Timeline) where(node func(*Node) *Node) *Timeline {
	if t == nil {
		return nil
	}
	changed := *t
	changed.leaves = make([]*Node, len(t.leaves))
	for i, n := range t.leaves {
		if n == noFrame {
			changed.leaves[i] = noFrame
		} else if n != nil {
			changed.leaves[i] = node(n)
		}
	}
	return &changed
}

// follow notes where samples go, for a timeline.
func (g *grower) follow(t *Timeline) {
	if t != nil {
		g.moved = map[*Node]int{}
	}
}

// grown is the timeline for the tree that has grown.
func (g *grower) grown(t *Timeline) *Timeline {
	return t.where(func(n *Node) *Node {
		if at, ok := g.moved[n]; ok {
			return g.nodes[at]
		}
		return nil
	})
}

// withoutEmpty leaves out the samples of which no frame is known.
func (t *Timeline) withoutEmpty() *Timeline {
	if t == nil {
		return nil
	}
	changed := *t
	changed.leaves = append([]*Node{nil}, t.leaves[1:]...)
	return &changed
}
