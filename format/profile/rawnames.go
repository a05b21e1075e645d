package profile

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
