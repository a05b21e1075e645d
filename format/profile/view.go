package profile

// View is how a profile differs from the capture: the selected samples, and how they are
// merged. Counts are always those of captured samples.
type View struct {
	// Whole is the profile as captured.
	Whole *Profile
	// Selected has the selected samples, by thread and from the outermost frame inwards,
	// before they were inverted, grouped or pruned.
	Selected *Profile

	Focus, Ignore, Hide Patterns // the selection
	LeftOut             int      // number of samples left out, in all threads
	LeftThreads         int      // number of threads left out completely

	Recursion bool // rounds of a recursion are merged
	Inverted  bool // trees begin with the innermost frame
	By        Grouping

	Least       float64 // least share of its thread's samples, in percent, of a branch that is not folded
	Depth       int     // number of frames from which on a stack is folded; 0: never
	FoldedNodes int     // number of nodes folded because of Least and Depth
	Folded      int     // number of samples that end in folded nodes
	// Unpruned is the profile before it was pruned; nil if it was not.
	Unpruned *Profile
}

// Original returns the profile as captured; p may be a view of it.
func (p *Profile) Original() *Profile {
	if p.View == nil {
		return p
	}
	return p.View.Whole
}

// Straight returns the profile before it was inverted, grouped or pruned, but with the
// samples that the view selects.
func (p *Profile) Straight() *Profile {
	if p.View == nil || p.View.Selected == nil {
		return p
	}
	return p.View.Selected
}

// Unpruned returns the profile before branches were folded.
func (p *Profile) Unpruned() *Profile {
	if p.View == nil || p.View.Unpruned == nil {
		return p
	}
	return p.View.Unpruned
}

// viewed returns a copy of a profile with its own View and without threads.
func (p *Profile) viewed() *Profile {
	changed := *p
	changed.Threads = nil
	changed.View = &View{Whole: p}
	if p.View != nil {
		*changed.View = *p.View
	}
	return &changed
}

// turned is viewed for views that keep all samples.
func (p *Profile) turned() *Profile {
	changed := p.viewed()
	if changed.View.Selected == nil {
		changed.View.Selected = p
	}
	return changed
}

// NumSamples returns the number of samples of all threads, including each thread of an
// entry.
func (p *Profile) NumSamples() (n int) {
	for _, t := range p.Threads {
		n += t.Samples * t.Weight()
	}
	return n
}

// Invert returns a profile with inverted trees: the innermost functions are the roots, with
// their callers below them. Self then counts the samples in which a node is outermost, and
// their time is there too. p does not change.
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

// outward returns the node for a stack that begins with its innermost frame.
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

// WithRawNames returns a profile in which functions have their mangled names. p does not
// change.
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
