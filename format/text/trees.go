package text

import (
	"cmp"
	"strconv"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/words"
)

// trees returns the profile with trees for people: alike threads are merged, and
// recursive calls are folded.
func trees(p *profile.Profile, o *words.Options) *profile.Profile {
	if v := p.View; v != nil && v.Unpruned != nil {
		p = inOrder(o.Folded(p.Unpruned()))
	}
	if o.Alike > 0 && (p.View == nil || p.View.By == profile.ByThread) {
		p = p.Gather(o.Alike, gathering(p))
	}
	if !o.SelfCalls {
		p = p.FoldSelfCalls(owncode.Is)
	}
	return p.ByBounds()
}

// bounds returns the minimum share of calls in the trees of a profile, and the depth
// from which stacks are folded. A view's own bounds take precedence.
func bounds(p *profile.Profile, o *words.Options) (least float64, depth int) {
	if v := p.View; v != nil && v.Unpruned != nil {
		return cmp.Or(v.Least, o.Least), v.Depth
	}
	return o.Least, 0
}

// gathering returns a function that returns the entry under which a thread is merged
// with others. It returns "" for the main thread and threads in a deadlock, which are
// shown by themselves.
func gathering(p *profile.Profile) func(*profile.Thread) string {
	dead := p.Deadlocked()
	return func(t *profile.Thread) string {
		if t.Main || dead[t.ID] {
			return ""
		}
		return entryOf(t)
	}
}

// maxEntry is the maximum number of frames searched for the entry of a thread.
const maxEntry = 32

// entryOf returns the outermost function of the program's own code that all complete stacks of
// a thread have in common; empty if there is none.
func entryOf(t *profile.Thread) string {
	level := complete(t.Roots)
	for depth := 0; depth < maxEntry && isOneFunction(level); depth++ {
		if l := &level[0].Location; owncode.Is(l) && !owncode.IsBeginning(l.Function) {
			return l.Function
		}
		var below []*profile.Node
		for _, n := range level {
			below = append(below, n.Children...)
		}
		level = below
	}
	return ""
}

// complete returns the nodes whose callers are known.
func complete(roots []*profile.Node) (nodes []*profile.Node) {
	for _, n := range roots {
		if n.Cut == nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func isOneFunction(nodes []*profile.Node) bool {
	for _, n := range nodes {
		if n.Image != nodes[0].Image || n.Function != nodes[0].Function {
			return false
		}
	}
	return len(nodes) > 0
}

// bounded stores the minimum share of calls in the trees. If the profile's view has a
// bound, it takes over the view of shown instead, because the header describes what
// the view omits.
func (p *printer) bounded(shown *profile.Profile, least float64) {
	if p.Profile.View == nil || p.Profile.View.Unpruned == nil {
		p.least = least
		return
	}
	own := *p.Profile
	own.View = shown.View
	p.Profile = &own
}

// isLight reports whether the calls of a folded node weigh too little, even together,
// for a line.
func (p *printer) isLight(n *profile.Node) bool {
	return p.least > 0 && float64(n.Count) < p.least*float64(p.Total)/100
}

// leftOut writes how many calls are omitted because they weigh little.
func (p *printer) leftOut() {
	share := strconv.FormatFloat(p.least, 'g', -1, 64) + " %"
	switch {
	case p.calls == 0:
		return
	case p.calls == 1:
		p.Line("")
		p.Text("", 2, "1 call under "+share+" of its thread's samples is left out: --min 0 shows it")
	default:
		p.Line("")
		p.Text("", 2, words.Count(p.calls)+" calls under "+share+" of their thread's samples are left out: --min 0 shows them")
	}
}
