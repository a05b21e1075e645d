package diff

import (
	"cmp"
	"math"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// The names of the nodes for samples without a stack, and for CPU time between samples.
const (
	NoStack        = "<no stack>"
	BetweenSamples = "<between samples>"
)

// place identifies a function in both profiles.
type place struct {
	image    string // name of the image
	program  bool   // the image is the main program; image is empty
	function string
	overload string
	offset   uint64 // offset in the image, for code without a name
}

// top is the parent of the outermost functions.
const top = -1

// merging merges two profiles into one tree for each group of threads.
type merging struct {
	*Diff
	places map[place]int
	known  map[called]int // number of each function of the current side
	groups map[group]*merged
	order  []*merged
}

// called identifies a function within one profile.
type called struct {
	image    *profile.Image
	function string
	overload string
	area     task.Addr // code area, for code without a name
}

// group identifies the threads of a tree.
type group struct {
	main  bool
	name  string
	state task.State
}

// merged is a tree that is being merged.
type merged struct {
	*Tree
	nodes   []*Node // each after its parent
	parents []int
	index   map[branch]int
}

// branch identifies a node by its parent and function. Outermost nodes with different cuts
// are different.
type branch struct {
	parent, place int
	cut           unwind.Reason
}

// merge returns the trees of both profiles in one for each group, and what has numbered their places.
func (d *Diff) merge(before, after *profile.Profile) ([]*Tree, *merging) {
	m := &merging{Diff: d, places: map[place]int{}, groups: map[group]*merged{}}
	m.add(after, true) // first, as its source lines are the ones to show
	m.add(before, false)
	trees := make([]*Tree, len(m.order))
	for i, t := range m.order {
		t.finish()
		trees[i] = t.Tree
	}
	return trees, m
}

// add adds one of the profiles.
func (m *merging) add(p *profile.Profile, after bool) {
	m.known = map[called]int{}
	selected := p.View != nil && len(p.View.Focus)+len(p.View.Ignore)+len(p.View.Hide) > 0
	if m.By == profile.ByState {
		p = p.GroupBy(profile.ByState)
	}
	for _, t := range p.Threads {
		tree := m.group(t)
		weight := int64(t.Weight())
		if t.Together != nil {
			weight = int64(len(t.Together.Threads))
		}
		tree.Threads.add(amountOf(weight, after))
		rest := t.Spent.OnCPU
		var path []int
		for depth, n := range t.Nodes() {
			above := top
			if depth > 0 {
				above = path[depth-1]
			}
			at := tree.child(above, m.place(p, n), n)
			path = append(path[:depth], at)
			tree.nodes[at].Self.add(amountOf(m.measured(t, n), after))
			rest -= n.Spent.OnCPU
		}
		switch {
		case m.Measure == BySamples && t.Empty > 0:
			tree.mark(m, NoStack, amountOf(int64(t.Empty*t.Weight()), after))
		case m.Measure == ByCPU && rest > 0 && !selected:
			tree.mark(m, BetweenSamples, amountOf(int64(rest), after))
		}
	}
}

func amountOf(n int64, after bool) Amount {
	if after {
		return Amount{After: n}
	}
	return Amount{Before: n}
}

// measured returns a node's own amount.
func (m *merging) measured(t *profile.Thread, n *profile.Node) int64 {
	if m.Measure == ByCPU {
		return int64(n.Spent.OnCPU)
	}
	return int64(n.Self * t.Weight())
}

// group returns the tree of a thread.
func (m *merging) group(t *profile.Thread) *merged {
	var key group
	switch m.By {
	case profile.ByThread:
		if key.main = t.Main; !t.Main {
			key.name = t.Name
		}
	case profile.ByQueue:
		key.name = t.Queue
	case profile.ByState:
		key.state = t.State
	}
	tree := m.groups[key]
	if tree == nil {
		tree = &merged{Tree: &Tree{Name: key.name, Main: key.main}, index: map[branch]int{}}
		if m.By == profile.ByState {
			tree.Name = key.state.String()
		}
		m.groups[key] = tree
		m.order = append(m.order, tree)
	}
	return tree
}

// place returns the number of a node's function.
func (m *merging) place(p *profile.Profile, n *profile.Node) int {
	key := called{n.Image, n.Function, n.Overload, 0}
	if n.Function == "" {
		key.area = n.Area()
	}
	at, ok := m.known[key]
	if !ok {
		at = m.number(placeOf(p, n))
		m.known[key] = at
	}
	return at
}

func (m *merging) number(where place) int {
	at, ok := m.places[where]
	if !ok {
		at = len(m.places)
		m.places[where] = at
	}
	return at
}

// placeOf returns the key of a node's function, independent of the address of its image.
func placeOf(p *profile.Profile, n *profile.Node) place {
	where := place{function: n.Function, overload: n.Overload}
	im := n.Image
	switch {
	case im == nil:
	case im.Generated:
		where.image = "<generated>" // the name of its file contains the pid
	case im == p.Main || im.Main:
		where.program = true
	default:
		where.image = cmp.Or(im.Name(), string(im.ID)) // a stackshot has no paths
	}
	if n.Function == "" && im != nil && n.Area() >= im.Load {
		where.offset = uint64(n.Area() - im.Load)
	}
	return where
}

// child returns the node of a function below a parent. It adds one if there is none.
func (t *merged) child(parent, where int, n *profile.Node) int {
	key := branch{parent: parent, place: where}
	if n.Cut != nil {
		key.cut = n.Cut.Reason
	}
	at, ok := t.index[key]
	if ok {
		t.nodes[at].By = max(t.nodes[at].By, n.By)
		return at
	}
	own := *n
	own.Location, own.Children = n.AreaLocation(), nil
	at = len(t.nodes)
	t.index[key] = at
	t.nodes = append(t.nodes, &Node{Node: &own, place: where})
	t.parents = append(t.parents, parent)
	return at
}

// mark adds an amount that belongs to no frame.
func (t *merged) mark(m *merging, name string, a Amount) {
	n := &profile.Node{Location: profile.Location{Function: name}}
	at := t.child(top, m.number(place{function: name}), n)
	t.nodes[at].Self.add(a)
}

// finish computes the totals and links the nodes.
func (t *merged) finish() {
	for at := len(t.nodes) - 1; at >= 0; at-- {
		n := t.nodes[at]
		n.Total.add(n.Self)
		if n.Total == (Amount{}) {
			continue
		}
		if parent := t.parents[at]; parent == top {
			t.Total.add(n.Total)
			t.Roots = append(t.Roots, n)
		} else {
			t.nodes[parent].Total.add(n.Total)
			t.nodes[parent].Children = append(t.nodes[parent].Children, n)
		}
	}
}

// compare orders amounts by their change and, if that is equal, by their size.
func (d *Diff) compare(a, b Amount) int {
	return cmp.Or(
		cmp.Compare(math.Abs(d.Change(b)), math.Abs(d.Change(a))),
		cmp.Compare(b.After, a.After), cmp.Compare(b.Before, a.Before))
}

// sort sorts the children of each node.
func (d *Diff) sort(t *Tree) {
	inOrder := func(siblings []*Node) {
		slices.Reverse(siblings) // they were found from the last to the first
		slices.SortStableFunc(siblings, func(a, b *Node) int { return d.compare(a.Total, b.Total) })
	}
	inOrder(t.Roots)
	for _, n := range t.Nodes() {
		inOrder(n.Children)
	}
}
