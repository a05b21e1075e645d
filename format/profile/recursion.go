package profile

// maxRound is how many functions may call each other in a circle that is taken as one
// round.
const maxRound = 8

// FoldRecursion returns the profile with rounds of a recursion taken as one: where a
// function, or up to eight in a row, call themselves again, what is called from a
// later round stands below the first. p is left as it is.
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

// round is the node of a frame below another: a new one, or where it ends a round that
// is the same as the one before, the end of that.
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

// repeats reports whether the functions from a node outward are the same as those from
// another.
func (g *grower) repeats(a, b, length int) bool {
	for range length {
		if a == top || b == top || !g.nodes[a].isLike(g.nodes[b]) {
			return false
		}
		a, b = g.parents[a], g.parents[b]
	}
	return true
}

// absorbRound takes the places of a round over into the one before.
func (g *grower) absorbRound(from, to, length int) {
	for range length {
		g.nodes[to].absorbPlace(g.nodes[from])
		from, to = g.parents[from], g.parents[to]
	}
}

// isLike reports whether two nodes are of one function. What an outermost one lacks is
// not looked at.
func (n *Node) isLike(other *Node) bool {
	a, b := n.functionKey(), other.functionKey()
	a.cut, b.cut = 0, 0
	return a == b
}
