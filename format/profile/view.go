package profile

// View is how a profile differs from what was captured: what was chosen of it, and how
// it is turned. Counts are those of the samples that it has; none is made up.
type View struct {
	// Whole is what was captured.
	Whole *Profile
	// Selected has all samples of the view, by thread and from the outermost frame in,
	// before they were turned, put together or folded.
	Selected *Profile

	Focus, Ignore, Hide Patterns // what was chosen by
	LeftOut             int      // samples that were not chosen, of all threads
	LeftThreads         int      // threads of which none was chosen

	Recursion bool // rounds of a recursion are taken as one
	Inverted  bool // from the innermost frame out
	By        Grouping

	Least       float64 // the share of its thread's samples, in percent, from which a branch is shown
	Depth       int     // how many frames of a stack are shown; 0: all
	FoldedNodes int     // of the trees, for these two
	Folded      int     // samples that have their innermost frame there
}

// Original is the profile as it was captured, of which p may be a view.
func (p *Profile) Original() *Profile {
	if p.View == nil {
		return p
	}
	return p.View.Whole
}

// Straight is the profile with the samples of a view before they were turned, put
// together or folded.
func (p *Profile) Straight() *Profile {
	if p.View == nil || p.View.Selected == nil {
		return p
	}
	return p.View.Selected
}

// viewed returns a copy of a profile with a view of its own and without threads.
func (p *Profile) viewed() *Profile {
	changed := *p
	changed.Threads = nil
	changed.View = &View{Whole: p}
	if p.View != nil {
		*changed.View = *p.View
	}
	return &changed
}

// turned is viewed, where the samples stay the same.
func (p *Profile) turned() *Profile {
	changed := p.viewed()
	if changed.View.Selected == nil {
		changed.View.Selected = p
	}
	return changed
}

// NumSamples returns the samples of all threads, counting each thread of an entry.
func (p *Profile) NumSamples() (n int) {
	for _, t := range p.Threads {
		n += t.Samples * t.Weight()
	}
	return n
}

// Invert returns the profile with the trees turned: the innermost functions are the
// roots, and below each are those that called it. A node's Self is then in how many
// samples it was the outermost frame, and the time spent is there, too. p does not
// change.
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

// WithRawNames returns a copy of p in which functions are called by their symbols, not
// demangled. p stays as it is.
func (p *Profile) WithRawNames() *Profile { return p.withRoots(moves.withRawNames) }

func (m moves) withRawNames(nodes []*Node) []*Node {
	list := make([]*Node, len(nodes))
	for i, n := range nodes {
		raw := *n
		m.note(n, &raw)
		if n.Raw != "" {
			raw.Function, raw.Overload = n.Raw, ""
		}
		raw.Children = m.withRawNames(n.Children)
		list[i] = &raw
	}
	return list
}
