package profile

import "slices"

// grower grows a call tree anew from stacks: nodes of one function under one caller
// are one, as [Profile.ByFunction] has them. What nothing is counted under is no part
// of the tree.
type grower struct {
	*orchard
	nodes   []*Node // each after the node that it is below
	parents []int   // of each, by their index; top for an outermost one
	index   map[branching]int
	moved   map[*Node]int // where the samples of nodes went, for a timeline; nil: nobody asks
}

// orchard is what the trees of one profile share while they grow.
type orchard struct {
	numbers map[functionKey]int
	room    int // how many nodes there may still be, but for one of [Further] under each
	steps   int // how many frames may still be followed
}

// branching is a function under a node.
type branching struct{ parent, function int }

// top stands above the outermost frames.
const top = -1

// maxSteps bounds the work on trees that are very deep and have samples at every depth.
const maxSteps = 1 << 26

func newOrchard() *orchard {
	return &orchard{numbers: map[functionKey]int{}, room: maxNodes, steps: maxSteps}
}

func (o *orchard) grower() *grower { return &grower{orchard: o, index: map[branching]int{}} }

// regrown returns a thread whose tree has grown anew: visit is given each of its nodes, as
// [grower.paths] does.
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

// number tells functions apart faster than their names do.
func (o *orchard) number(n *Node) int {
	key := n.functionKey()
	i, ok := o.numbers[key]
	if !ok {
		i = len(o.numbers)
		o.numbers[key] = i
	}
	return i
}

// child finds or makes the node of a function, of that number, under another one. It
// is not full where there was room for it: else it stands for all further calls there.
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

// further is the node for what is not told apart below another one.
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

// count adds samples in which a node was the last of their stack.
func (g *grower) count(at int, n *Node, weight int) {
	to := g.nodes[at]
	if g.moved != nil {
		g.moved[n] = at
	}
	to.Self += n.Self * weight
	to.States = to.States.plus(n.States, weight)
	to.Spent.add(n.Spent)
}

// roots ends the growth, and returns the outermost nodes.
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

// inOrder sorts siblings that were found from the last to the first.
func inOrder(siblings []*Node) {
	slices.Reverse(siblings)
	slices.SortStableFunc(siblings, heavier)
}

// frame is a node on the way to one that is looked at, and where it has gone.
type frame struct {
	*Node
	number int
	at     int
}

// paths gives each node with the way to it from the outermost frame on, itself last.
// What the loop sets there stays for the nodes below.
func (g *grower) paths(roots []*Node) func(yield func([]frame) bool) {
	return func(yield func([]frame) bool) {
		var path []frame
		for depth, n := range preorder(roots) {
			path = append(path[:depth], frame{n, g.number(n), top})
			if !yield(path) {
				return
			}
		}
	}
}

// parent is where the node before the last of a path has gone.
func parent(path []frame) int {
	if len(path) < 2 {
		return top
	}
	return path[len(path)-2].at
}
