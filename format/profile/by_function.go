package profile

import (
	"cmp"
	"slices"

	"stacksnap/task"
	"stacksnap/unwind"
)

// ByFunction returns a profile in which nodes of one function with the same caller are
// merged, whatever their addresses: many samples of a loop become one branch. Code without
// a symbol is merged by [Node.Area]. A merged node has the most frequent address, and the
// others in Also. p does not change.
func (p *Profile) ByFunction() *Profile { return p.by((*Node).functionKey) }

// ByBounds is ByFunction, except for code without a symbol whose function's start is unknown: all of
// an image's such code with the same caller becomes one node.
func (p *Profile) ByBounds() *Profile {
	return p.by(func(n *Node) functionKey {
		k := n.functionKey()
		if n.Function == "" {
			k.pc = n.Start
		}
		return k
	})
}

// by merges siblings with the same key.
func (p *Profile) by(key func(*Node) functionKey) *Profile {
	merged := *p
	merged.Threads = make([]*Thread, len(p.Threads))
	for i, t := range p.Threads {
		entry := *t
		moved := t.Timeline.moves()
		entry.Roots = moved.mergeNodes(t.Roots, key)
		entry.Timeline = t.Timeline.moved(moved)
		merged.Threads[i] = &entry
	}
	return &merged
}

// functionKey identifies the function of a node among its siblings.
type functionKey struct {
	image    *Image
	function string
	overload string
	pc       task.Addr // the area, for code without a function
	inlined  bool
	kernel   bool
	guess    bool
	cut      unwind.Reason
}

func (n *Node) functionKey() functionKey {
	k := functionKey{image: n.Image, function: n.Function, overload: n.Overload, inlined: n.Inlined, kernel: n.Kernel, guess: n.By.Guess()}
	if n.Function == "" {
		k.pc = n.Area()
	}
	if n.Cut != nil {
		k.cut = n.Cut.Reason
	}
	return k
}

// mergeNodes merges siblings with the same key. Both siblings and the result have the heaviest
// first.
func (m moves) mergeNodes(siblings []*Node, key func(*Node) functionKey) []*Node {
	if len(siblings) == 1 {
		return []*Node{m.mergeGroup(siblings, key)}
	}
	groups := map[functionKey][]*Node{}
	var order []functionKey
	for _, n := range siblings {
		k := key(n)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], n)
	}
	merged := make([]*Node, len(order))
	for i, k := range order {
		merged[i] = m.mergeGroup(groups[k], key)
	}
	slices.SortStableFunc(merged, heavier)
	return merged
}

// mergeGroup merges nodes of one function, and those below them.
func (m moves) mergeGroup(group []*Node, key func(*Node) functionKey) *Node {
	n := *group[0]
	m.note(group[0], &n)
	children := slices.Clone(n.Children)
	for _, other := range group[1:] {
		n.absorb(other)
		m.note(other, &n)
		children = append(children, other.Children...)
	}
	slices.SortStableFunc(children, heavier)
	n.Children = nil
	if len(children) > 0 {
		n.Children = m.mergeNodes(children, key)
	}
	return &n
}

// maxAlso is the most further addresses kept of a function.
const maxAlso = 64

// absorb adds the samples and addresses of another node of the same function.
func (n *Node) absorb(other *Node) {
	n.Count += other.Count
	n.Self += other.Self
	n.States = n.States.plus(other.States, 1)
	n.Spent.Add(other.Spent)
	n.absorbPlace(other)
}

// absorbPlace adds the addresses of another node of the same function, and the less
// reliable unwinding method.
func (n *Node) absorbPlace(other *Node) {
	n.By = max(n.By, other.By)
	n.Why = cmp.Or(n.Why, other.Why)
	if n.File != other.File || n.Line != other.Line {
		n.File, n.Line, n.Column = "", 0, 0
	}
	if n.Column != other.Column {
		n.Column = 0
	}
	n.More = n.More || other.More
	n.reach(Address{other.PC, other.Offset})
	for _, a := range other.Also {
		n.reach(a)
	}
}

// reach adds an address of the function.
func (n *Node) reach(a Address) {
	switch {
	case n.PC == a.PC || slices.Contains(n.Also, a):
	case len(n.Also) >= maxAlso:
		n.More = true
	default:
		n.Also = append(slices.Clip(n.Also), a)
	}
}
