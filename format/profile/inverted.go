package profile

// Invert returns the profile with the trees turned: the innermost functions are the
// roots, and below each stand those that called it. A node's Self is then in how many
// samples it was the outermost frame, and what was spent stands there, too. p is left
// as it is.
func (p *Profile) Invert() *Profile {
	changed := p.turned()
	changed.View.Inverted = true
	all := newOrchard()
	for _, t := range p.Threads {
		changed.Threads = append(changed.Threads, all.regrown(t, func(g *grower, path []frame) {
			if n := path[len(path)-1].Node; n.Self > 0 {
				g.count(g.outward(path), n, 1)
			}
		}))
	}
	return changed
}

// outward finds the node at which a stack ends that begins with its innermost frame.
func (g *grower) outward(path []frame) int {
	at := top
	for i := len(path) - 1; i >= 0; i-- {
		var full bool
		if at, full = g.child(at, path[i].number, path[i].Node); full {
			break
		}
	}
	return at
}
