package diff

import (
	"cmp"
	"math"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// What stands for the frames of samples that have none, and of CPU time that goes with
// no sample.
const (
	NoStack        = "<no stack>"
	BetweenSamples = "<between samples>"
)

// place is what functions of two profiles share to be the same.
type place struct {
	image    string // its name
	program  bool   // it is the program itself, and image is empty
	function string
	overload string
	offset   uint64 // in the image, of code without a name
}

// top is above the outermost functions.
const top = -1

// merging is two profiles on the way to one tree for each group of threads.
type merging struct {
	*Diff
	places map[place]int
	known  map[called]int // the number in places of what one side calls so
	groups map[group]*merged
	order  []*merged
}

// called is how one side calls a function, however it is called and found.
type called struct {
	image    *profile.Image
	function string
	overload string
	area     task.Addr // where there is no function
}

// group is threads that belong together.
type group struct {
	main  bool
	name  string
	state task.State
}

// merged is a tree that is being merged.
type merged struct {
	*Tree
	nodes   []*Node // each after the node that it is below
	parents []int
	index   map[branch]int
}

// branch is a function under a node; callers that are missing tell outermost ones
// apart.
type branch struct {
	parent, place int
	cut           unwind.Reason
}

// merge returns the trees of both profiles in one for each group.
func (d *Diff) merge(before, after *profile.Profile) []*Tree {
	m := &merging{Diff: d, places: map[place]int{}, groups: map[group]*merged{}}
	m.add(after, true) // whose places in functions are the ones to show
	m.add(before, false)
	trees := make([]*Tree, len(m.order))
	for i, t := range m.order {
		t.finish()
		trees[i] = t.Tree
	}
	return trees
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

// measured is what a node has that is not of those below it.
func (m *merging) measured(t *profile.Thread, n *profile.Node) int64 {
	if m.Measure == ByCPU {
		return int64(n.Spent.OnCPU)
	}
	return int64(n.Self * t.Weight())
}

// group finds the tree that a thread's samples belong to.
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

// place numbers the function of a node.
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

// placeOf is where a node is, wherever its image is mapped.
func placeOf(p *profile.Profile, n *profile.Node) place {
	where := place{function: n.Function, overload: n.Overload}
	im := n.Image
	switch {
	case im == nil:
	case im.Generated:
		where.image = "<generated>" // its file is named for the process
	case im == p.Main || im.Main:
		where.program = true
	default:
		where.image = cmp.Or(im.Name(), string(im.ID)) // a stackshot tells no paths
	}
	if n.Function == "" && im != nil && n.Area() >= im.Load {
		where.offset = uint64(n.Area() - im.Load)
	}
	return where
}

// child finds or makes a node.
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

// mark adds what goes with no frame.
func (t *merged) mark(m *merging, name string, a Amount) {
	n := &profile.Node{Location: profile.Location{Function: name}}
	at := t.child(top, m.number(place{function: name}), n)
	t.nodes[at].Self.add(a)
}

// finish sums up, from the innermost nodes out.
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

// compare puts first what changed more and, of what changed as much, what there is more
// of now.
func (d *Diff) compare(a, b Amount) int {
	return cmp.Or(
		cmp.Compare(math.Abs(d.Change(b)), math.Abs(d.Change(a))),
		cmp.Compare(b.After, a.After), cmp.Compare(b.Before, a.Before))
}

// sort puts siblings in order, in the whole tree.
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
