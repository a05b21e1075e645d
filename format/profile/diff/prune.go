package diff

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"stacksnap/format/profile"
)

// Nodes gives the nodes of the tree with their depth, 0 for an outermost frame: each
// before its children, and these in order.
func (t *Tree) Nodes() iter.Seq2[int, *Node] {
	return profile.Preorder(t.Roots, func(n *Node) []*Node { return n.Children })
}

// Grown returns the branch that has grown by the most more than what it was called by, and
// its caller, which is nil of an outermost one; both are nil where none has grown. An
// outermost one counts only if it is new: what threads begin with grows with all below.
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

// Is reports whether a node is one of a function, of the same diff.
func (n *Node) Is(f Function) bool { return n.place == f.place }

// functions lists the functions of trees that are not turned: those first whose own
// time changed most.
func (d *Diff) functions(trees []*Tree) []Function {
	index := map[int]int{} // by place
	var list []Function
	for _, t := range trees {
		var path []int    // the functions on the stack
		var onStack []int // how often each of the list is there
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
				list[at].Node = n.Node // where it is now
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

// compareFunctions puts first whose own time changed most, and then what it was called
// for.
func (d *Diff) compareFunctions(a, b Function) int {
	return cmp.Or(
		cmp.Compare(math.Abs(d.Change(b.Self)), math.Abs(d.Change(a.Self))),
		d.compare(a.Total, b.Total), d.compare(a.Self, b.Self),
		cmp.Compare(a.Function, b.Function))
}

// Prune returns a copy of the tree without the branches in which nothing changed by as
// much as least, to the diff's scale, or that stand deeper than so many frames; 0 is no
// bound. One node of the name [LeftOut] stands for those below one caller.
func (d *Diff) Prune(t *Tree, least float64, depth int) *Tree {
	if least <= 0 && depth <= 0 {
		return t
	}
	changes := map[*Node]bool{} // in it or below, something changes
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

// pruned is a copy of a tree with what stays of it.
func pruned(t *Tree, stays func(depth int, n *Node) bool) *Tree {
	root := &Node{}
	var at []*Node // what became of the node at each depth
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

// leftOut is the child that stands for the branches that are left out: the last one.
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
