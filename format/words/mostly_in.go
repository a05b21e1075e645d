package words

import (
	"cmp"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// mostlyOwn is the share of a thread's samples from which on a function of own code is said to be
// where it was.
const mostlyOwn = 0.5

// MostlyIn returns a phrase with the function of own code in which a thread was in most of its
// samples, itself or by what it called; "" if there is none.
func (p *Printer) MostlyIn(t *profile.Thread) string {
	in := map[string]int{}
	var most *profile.Node
	var path []*profile.Node
	for depth, n := range t.Nodes() {
		path = append(path[:depth], n)
		own := owncode.Innermost(path)
		if n.Self == 0 || own == nil {
			continue
		}
		in[own.Function] += n.Self
		if most == nil || in[own.Function] > in[most.Function] {
			most = own
		}
	}
	if most == nil {
		return ""
	}
	share := float64(in[most.Function]) / float64(cmp.Or(t.Samples, 1))
	switch {
	case share < mostlyOwn:
		return ""
	case in[most.Function] == t.Samples:
		return "in " + p.functionIn(most.Location, nameRoom) + sourceLine(&most.Location)
	}
	return "in " + p.functionIn(most.Location, nameRoom) + sourceLine(&most.Location) + " in " + Percent(share) + " of its samples"
}
