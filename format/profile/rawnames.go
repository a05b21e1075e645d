package profile

// WithRawNames returns a profile in which functions have the names that their files
// have. p is left as it is.
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
