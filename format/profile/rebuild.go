package profile

import "slices"

// grower rebuilds a call tree from stacks, in which nodes of one function with the same
// caller are merged, as in [Profile.ByFunction]. Nodes without any samples are left out.
type grower struct {
	*orchard
	nodes   []*Node // each after its parent
	parents []int   // index of each node's parent; top for an outermost one
	index   map[branching]int
	moved   map[*Node]int // for a timeline: the index of the node that took each node's samples; nil: not needed
}

// orchard is the state that the rebuilt trees of one profile share.
type orchard struct {
	numbers map[functionKey]int
	room    int // number of nodes that may still be added, without [Further] nodes
	steps   int // number of frames that may still be added
}

// branching is the key of a node: its parent and function.
type branching struct{ parent, function int }

// top is the parent of the outermost frames.
const top = -1

// maxSteps bounds the work for very deep trees with samples at each depth.
const maxSteps = 1 << 26

func newOrchard() *orchard {
	return &orchard{numbers: map[functionKey]int{}, room: maxNodes, steps: maxSteps}
}

func (o *orchard) grower() *grower { return &grower{orchard: o, index: map[branching]int{}} }

// regrown returns a copy of a thread with a rebuilt tree. visit is called for each node of
// the old tree, as by [grower.paths], and adds to the new one.
func (o *orchard) regrown(t *Thread, visit func(g *grower, path []frame)) *Thread {
	own := *t
	g := o.grower()
	g.follow(t.Timeline)
	for path := range g.paths(t.Roots) {
		visit(g, path)
	}
	own.Roots, own.Timeline = g.roots(), g.grown(t.Timeline)
	return &own
}

// number returns the number of a node's function, by which functions are compared quickly.
func (o *orchard) number(n *Node) int {
	key := n.functionKey()
	i, ok := o.numbers[key]
	if !ok {
		i = len(o.numbers)
		o.numbers[key] = i
	}
	return i
}

// child returns the node for a function below parent. It adds one if there is none. If
// there is no room, it returns the [Further] node there, and full is true.
func (g *grower) child(parent, number int, n *Node) (at int, full bool) {
	if parent != top && g.nodes[parent].Function == Further {
		return parent, true
	}
	g.steps--
	at, ok := g.index[branching{parent, number}]
	switch {
	case ok:
		g.nodes[at].absorbPlace(n)
		return at, false
	case g.room <= 0 || g.steps <= 0:
		return g.further(parent), true
	}
	g.room--
	own := *n
	own.Count, own.Self, own.Spent, own.States, own.Children = 0, 0, Spent{}, nil, nil
	own.Also = slices.Clip(own.Also)
	return g.plant(parent, number, &own), false
}

// further returns the [Further] node below parent.
func (g *grower) further(parent int) int {
	n := &Node{Location: Location{Function: Further}}
	number := g.number(n)
	if at, ok := g.index[branching{parent, number}]; ok {
		return at
	}
	return g.plant(parent, number, n)
}

func (g *grower) plant(parent, number int, n *Node) int {
	at := len(g.nodes)
	g.index[branching{parent, number}] = at
	g.nodes = append(g.nodes, n)
	g.parents = append(g.parents, parent)
	return at
}

// count adds the samples that end in n to a node of the new tree.
func (g *grower) count(at int, n *Node, weight int) {
	to := g.nodes[at]
	if g.moved != nil {
		g.moved[n] = at
	}
	to.Self += n.Self * weight
	to.States = to.States.plus(n.States, weight)
	to.Spent.Add(n.Spent)
}

// roots completes the tree and returns the outermost nodes.
func (g *grower) roots() (roots []*Node) {
	for at := len(g.nodes) - 1; at >= 0; at-- {
		n := g.nodes[at]
		if n.Count += n.Self; n.Count == 0 {
			continue
		}
		inOrder(n.Children)
		if parent := g.parents[at]; parent == top {
			roots = append(roots, n)
		} else {
			g.nodes[parent].Count += n.Count
			g.nodes[parent].Children = append(g.nodes[parent].Children, n)
		}
	}
	inOrder(roots)
	return roots
}

// inOrder sorts siblings that are in reverse order.
func inOrder(siblings []*Node) {
	slices.Reverse(siblings)
	slices.SortStableFunc(siblings, heavier)
}

// frame is a node on a path of the old tree, its function's number, and its index in the new
// tree. The rest is for [Profile.FoldSelfCalls]: how deep the function has called itself,
// and whether it is the program's own.
type frame struct {
	*Node
	number int
	at     int
	deep   int
	own    bool
}

// paths iterates over the nodes of a tree. Each path begins with the outermost frame and
// ends with the node. Changes that the loop makes to a path's frames are kept for the nodes
// below.
func (g *grower) paths(roots []*Node) func(yield func([]frame) bool) {
	return func(yield func([]frame) bool) {
		var path []frame
		for depth, n := range preorder(roots) {
			path = append(path[:depth], frame{Node: n, number: g.number(n), at: top})
			if !yield(path) {
				return
			}
		}
	}
}

// parent returns the index, in the new tree, of the last node's parent.
func parent(path []frame) int {
	if len(path) < 2 {
		return top
	}
	return path[len(path)-2].at
}
