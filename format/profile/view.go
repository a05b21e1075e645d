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
