package profile

import "cmp"

// LeftOut is the function name of a node that replaces folded branches.
const LeftOut = "<left out>"

// Folded is what a [LeftOut] node replaces.
type Folded struct {
	Branches int // number of branches
	Nodes    int // number of nodes in them
}

// Prune returns a profile with branches folded that have less than least percent of their
// thread's samples, or that are deeper than depth frames; 0 means no bound. Below each
// caller, one [LeftOut] node replaces the folded branches and has their samples. p does not
// change.
func (p *Profile) Prune(least float64, depth int) *Profile {
	if least <= 0 && depth <= 0 {
		return p
	}
	changed := p.turned()
	v := changed.View
	v.Least, v.Depth = least, depth
	v.Unpruned = cmp.Or(v.Unpruned, p)
	for _, t := range p.Threads {
		entry := *t
		pr := pruner{least: least * float64(t.Samples) / 100, depth: depth, folded: map[*Node]*Node{}, moved: t.Timeline.moves()}
		entry.Roots = pr.prune(t.Roots)
		entry.Timeline = t.Timeline.moved(pr.moved)
		for _, n := range pr.folded {
			v.FoldedNodes += n.Folded.Nodes * t.Weight()
			v.Folded += n.Self * t.Weight()
		}
		changed.Threads = append(changed.Threads, &entry)
	}
	return changed
}

// pruner folds branches of one thread.
type pruner struct {
	least  float64 // samples
	depth  int
	folded map[*Node]*Node // LeftOut node below each node
	moved  moves
}

func (pr *pruner) prune(roots []*Node) []*Node {
	var above Node
	var at []*Node // copy of the node at each depth
	for depth, n := range preorder(roots) {
		to := &above
		if depth > 0 {
			to = at[depth-1]
		}
		switch {
		case to.Folded != nil:
			to.Folded.Nodes++
			to.fold(n, 0)
		case pr.tooDeep(depth) || float64(n.Count) < pr.least:
			to = pr.foldedBelow(to)
			to.Folded.Branches++
			to.Folded.Nodes++
			to.fold(n, n.Count)
		default:
			own := *n
			own.Children = nil
			to.Children = append(to.Children, &own)
			to = &own
		}
		pr.moved.note(n, to)
		at = append(at[:depth], to)
	}
	for to, n := range pr.folded {
		to.Children = append(to.Children, n)
	}
	return above.Children
}

func (pr *pruner) tooDeep(depth int) bool { return pr.depth > 0 && depth >= pr.depth }

// foldedBelow returns the LeftOut node below another one.
func (pr *pruner) foldedBelow(n *Node) *Node {
	f := pr.folded[n]
	if f == nil {
		f = &Node{Location: Location{Function: LeftOut}, Folded: &Folded{}}
		pr.folded[n] = f
	}
	return f
}

// fold adds the time of a node, and the given number of samples: those of the branch if the
// node is its first.
func (n *Node) fold(other *Node, samples int) {
	n.Count += samples
	n.Self += samples
	n.Spent.Add(other.Spent)
	n.States = n.States.plus(other.States, 1)
}
