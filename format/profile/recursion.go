package profile

import "strings"

// maxRound is the most functions in one round of a recursion.
const maxRound = 8

// FoldRecursion returns a profile in which the rounds of a recursion are merged: if a
// function, or up to eight in a row, call themselves again, the callees of later rounds are
// below the first. p does not change.
func (p *Profile) FoldRecursion() *Profile {
	changed := p.viewed()
	changed.View.Recursion = true
	all := newOrchard()
	for _, t := range p.Threads {
		changed.Threads = append(changed.Threads, all.regrown(t, func(g *grower, path []frame) {
			last := &path[len(path)-1]
			last.at = g.round(parent(path), *last)
			g.count(last.at, last.Node, 1)
		}))
	}
	return changed
}

// round returns the node for a frame below another node. If the frame completes a round
// that equals the previous one, it returns the end of that.
func (g *grower) round(above int, f frame) int {
	at, full := g.child(above, f.number, f.Node)
	if full {
		return at
	}
	back := at
	for length := 1; length <= maxRound; length++ {
		if back = g.above(back); back == top {
			return at
		}
		if g.repeats(at, back, length) {
			g.absorbRound(at, back, length)
			return back
		}
	}
	return at
}

func (g *grower) above(at int) int {
	if at == top {
		return top
	}
	return g.parents[at]
}

// repeats reports whether the functions from node a outwards equal those from node b.
func (g *grower) repeats(a, b, length int) bool {
	for range length {
		if a == top || b == top || !g.nodes[a].isLike(g.nodes[b]) {
			return false
		}
		a, b = g.parents[a], g.parents[b]
	}
	return true
}

// absorbRound adds the addresses of a round to the previous one.
func (g *grower) absorbRound(from, to, length int) {
	for range length {
		g.nodes[to].absorbPlace(g.nodes[from])
		from, to = g.parents[from], g.parents[to]
	}
}

// maxThrough is the most frames of libraries through which a function calls itself.
const maxThrough = 16

// FoldSelfCalls returns a profile in which calls of a function by itself, inlined or not, are
// one node, with what all of them call below it. own reports which functions are of the
// program's own code: these may also call themselves through others. The node's Recursion is
// how deep they were. p does not change.
func (p *Profile) FoldSelfCalls(own func(*Location) bool) *Profile {
	changed := p.viewed()
	all := newOrchard()
	for _, t := range p.Threads {
		changed.Threads = append(changed.Threads, all.regrown(t, func(g *grower, path []frame) {
			last := &path[len(path)-1]
			last.own = own(&last.Location)
			g.foldSelfCall(path)
		}))
	}
	return changed
}

// foldSelfCall adds the samples of the last frame of a path to the node of the frame that it
// is another call of, if there is one.
func (g *grower) foldSelfCall(path []frame) {
	last := &path[len(path)-1]
	last.deep = 1
	if outer := g.selfCall(path); outer != nil {
		last.at, last.deep = outer.at, outer.deep+1
		if outer == &path[len(path)-2] && outer.Inlined && last.isPart() {
			last.deep--
		}
		n := g.nodes[last.at]
		n.absorbPlace(last.Node)
		n.Inlined = n.Inlined && last.Inlined
	} else {
		last.at, _ = g.child(parent(path), last.number, last.Node)
	}
	to := g.nodes[last.at]
	to.Recursion = max(to.Recursion, uint8(min(last.deep, DeepRecursion)))
	g.count(last.at, last.Node, 1)
}

// selfCall returns the frame of the same function as the last one of a path that called it:
// directly, or through libraries if the function is the program's own.
func (g *grower) selfCall(path []frame) *frame {
	i := len(path) - 1
	last := &path[i]
	for through := 0; through <= maxThrough && i > 0; through++ {
		i--
		switch outer := &path[i]; {
		case g.nodes[outer.at].isSelf(last.Node):
			return outer
		case !last.own || outer.own:
			return nil
		}
	}
	return nil
}

// isPart reports whether a node is the part of a function that was split off, to inline the rest.
func (n *Node) isPart() bool { return !n.Inlined && strings.Contains(n.Raw, ".part.") }

// isSelf reports whether two nodes have the same function, inlined or not. Code without a
// name must have a known start.
func (n *Node) isSelf(other *Node) bool {
	a, b := n.functionKey(), other.functionKey()
	a.cut, b.cut = 0, 0
	a.inlined, b.inlined = false, false
	return a == b && (n.Function != "" || n.Start != 0)
}

// isLike reports whether two nodes have the same function, ignoring their cuts.
func (n *Node) isLike(other *Node) bool {
	a, b := n.functionKey(), other.functionKey()
	a.cut, b.cut = 0, 0
	return a == b
}
