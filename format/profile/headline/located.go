package headline

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// located returns the function in which the main thread was found most often, for a thread about
// which nothing more is certain: it woke while it was captured, or it waits in changing places
// and uses little CPU time in between.
func located(p *profile.Profile) Headline {
	t := p.MainThread()
	if t == nil {
		return Headline{}
	}
	c := newCounted()
	callers := map[key]*profile.Node{} // by called function, in its heaviest stack
	for path, weight := range stacks(t, func(n *profile.Node) float64 { return float64(n.Self) }) {
		k := keyOf(path[len(path)-1])
		if weight > c.most[k] {
			callers[k] = owncode.Innermost(path)
		}
		c.add(path, weight)
	}
	k, most := heaviest(c.self)
	if most == 0 {
		return Headline{}
	}
	b := used(p)
	b.Hotspot, b.Where, b.Share = Function, c.where[k], most/c.whole
	return Headline{Kind: Located, Main: true, Thread: t, Own: callers[k], CPU: b}
}
