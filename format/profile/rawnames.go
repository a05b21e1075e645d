package profile

// WithRawNames returns a profile in which functions have the names that their files
// have. p is left as it is.
func (p *Profile) WithRawNames() *Profile { return p.withRoots(withRawNames) }

func withRawNames(nodes []*Node) []*Node {
	list := make([]*Node, len(nodes))
	for i, n := range nodes {
		raw := *n
		if n.Raw != "" {
			raw.Function, raw.Overload = n.Raw, ""
		}
		raw.Children = withRawNames(n.Children)
		list[i] = &raw
	}
	return list
}
