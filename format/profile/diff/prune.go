package diff

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"stacksnap/format/profile"
)

// Nodes iterates over the nodes of the tree with their depth (0 for an outermost frame).
// Each comes before its children.
func (t *Tree) Nodes() iter.Seq2[int, *Node] {
	return profile.Preorder(t.Roots, func(n *Node) []*Node { return n.Children })
}

// Grown returns the branch that has grown by the most more than its caller, and the caller,
// nil for an outermost branch. Both are nil if none has grown. An outermost branch counts
// only if it is new, since the functions that threads begin with grow with any below.
func (d *Diff) Grown() (branch, caller *Node) {
	most := 0.0
	for _, t := range d.Trees {
		var path []*Node
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n)
			var above *Node
			own := d.Change(n.Total)
			if depth > 0 {
				above = path[depth-1]
				own -= max(0, d.Change(above.Total))
			}
			if own > most && (above != nil || n.Total.Before == 0) {
				most, branch, caller = own, n, above
			}
		}
	}
	return branch, caller
}

// Is reports whether the node is a call of f, a function of the same diff.
func (n *Node) Is(f Function) bool { return n.place == f.place }

// functions returns the functions of trees that are not inverted, sorted by the change of
// their own amount.
func (d *Diff) functions(trees []*Tree) []Function {
	index := map[int]int{} // by place
	var list []Function
	for _, t := range trees {
		var path []int    // indexes in list of the functions on the stack
		var onStack []int // number of times that each of list is on the stack
		for depth, n := range t.Nodes() {
			for _, at := range path[min(depth, len(path)):] {
				onStack[at]--
			}
			path = path[:min(depth, len(path))]
			at, ok := index[n.place]
			if !ok {
				at = len(list)
				index[n.place] = at
				list = append(list, Function{Node: n.Node, place: n.place})
			}
			path = append(path, at)
			for len(onStack) < len(list) {
				onStack = append(onStack, 0)
			}
			if list[at].Total.After == 0 && n.Total.After > 0 {
				list[at].Node = n.Node // the later side's
			}
			list[at].Self.add(n.Self)
			if onStack[at]++; onStack[at] == 1 {
				list[at].Total.add(n.Total)
			}
		}
	}
	slices.SortStableFunc(list, d.compareFunctions)
	return list
}

// compareFunctions orders functions by the change of their own amount, then of their total.
func (d *Diff) compareFunctions(a, b Function) int {
	return cmp.Or(
		cmp.Compare(math.Abs(d.Change(b.Self)), math.Abs(d.Change(a.Self))),
		d.compare(a.Total, b.Total), d.compare(a.Self, b.Self),
		cmp.Compare(a.Function, b.Function))
}

// Prune returns a copy of the tree without branches that changed by less than least
// (scaled), or that are deeper than depth frames; 0 means no bound. Below each caller, one
// node named [profile.LeftOut] takes the place of the removed branches.
func (d *Diff) Prune(t *Tree, least float64, depth int) *Tree {
	if least <= 0 && depth <= 0 {
		return t
	}
	changes := map[*Node]bool{} // the node or one below it changes
	var order []*Node
	above := map[*Node]*Node{}
	for _, n := range t.Nodes() {
		order = append(order, n)
		for _, child := range n.Children {
			above[child] = n
		}
	}
	for _, n := range slices.Backward(order) {
		if changes[n] || math.Abs(d.Change(n.Total)) >= least || math.Abs(d.Change(n.Self)) >= least {
			changes[n] = true
			if up := above[n]; up != nil {
				changes[up] = true
			}
		}
	}
	return pruned(t, func(at int, n *Node) bool { return changes[n] && (depth <= 0 || at < depth) })
}

// pruned returns a copy of a tree without the nodes for which stays returns false.
func pruned(t *Tree, stays func(depth int, n *Node) bool) *Tree {
	root := &Node{}
	var at []*Node // copy of the node at each depth
	for depth, n := range t.Nodes() {
		to := root
		if depth > 0 {
			to = at[depth-1]
		}
		switch {
		case to.Node != nil && to.Folded != nil:
			to.Folded.Nodes++
		case stays(depth, n):
			own := *n
			own.Children = nil
			to.keep(&own)
			to = &own
		default:
			to = to.leftOut()
			to.Folded.Branches++
			to.Folded.Nodes++
			to.Self.add(n.Total)
			to.Total.add(n.Total)
		}
		at = append(at[:depth], to)
	}
	copied := *t
	copied.Roots = root.Children
	return &copied
}

// leftOut returns the last child, which represents the removed branches. It adds one if
// there is none.
func (n *Node) leftOut() *Node {
	if last := len(n.Children) - 1; last >= 0 && n.Children[last].Folded != nil {
		return n.Children[last]
	}
	child := &Node{Node: &profile.Node{Location: profile.Location{Function: profile.LeftOut}, Folded: &profile.Folded{}}}
	n.Children = append(n.Children, child)
	return child
}

// keep adds a child before that of [Node.leftOut].
func (n *Node) keep(child *Node) {
	at := len(n.Children)
	if at > 0 && n.Children[at-1].Folded != nil {
		at--
	}
	n.Children = slices.Insert(n.Children, at, child)
}
