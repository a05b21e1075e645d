package profile

import (
	"fmt"
	"maps"
	"testing"

	"stacksnap/task"
)

// TestDeepViews of a stack as deep as a runaway recursion, with samples at many depths.
func TestDeepViews(t *testing.T) {
	const depth, apart = 100_000, 10_000
	var above Node
	n := &above
	for i := range depth {
		n = n.callee(fmt.Sprintf("%c", 'a'+i%20)) // too long a round to be folded
		n.Count = depth/apart - i/apart
		if i%apart == apart-1 {
			n.Self = 1
		}
	}
	p := &Profile{Snapshots: 2, Threads: []*Thread{{ID: 1, Samples: depth / apart, Roots: above.Children}}}
	for name, v := range map[string]*Profile{
		"inverted":   p.Invert(),
		"selected":   p.Select(patterns("a"), nil, patterns("b")),
		"recursion":  p.FoldRecursion(),
		"self calls": p.FoldSelfCalls(func(*Location) bool { return true }),
		"grouped":    p.GroupBy(ByProcess),
		"states":     p.GroupBy(ByState),
		"pruned":     p.Prune(1, depth/2),
	} {
		self := 0
		for _, n := range v.Threads[0].Nodes() {
			self += n.Self
		}
		if self != depth/apart {
			t.Errorf("%s: %d samples", name, self)
		}
	}
}

// TestInvertIsBounded: with the nodes of one profile, and the frames that are followed.
func TestInvertIsBounded(t *testing.T) {
	for name, bound := range map[string]func(*orchard){
		"room":  func(o *orchard) { o.room = 3 },
		"steps": func(o *orchard) { o.steps = 4 },
	} {
		all := newOrchard()
		bound(all)
		g := all.grower()
		p := viewable(stacks{"m;a;b;c": 3, "m;d": 2})
		for path := range g.paths(p.Threads[0].Roots) {
			if n := path[len(path)-1].Node; n.Self > 0 {
				g.count(g.outward(path), n, 1)
			}
		}
		th := &Thread{Roots: g.roots()}
		if got := seen(t, th); !maps.Equal(got, stacks{"c;b;a;" + Further: 3, Further: 2}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestViewsOfNothing leave it so.
func TestViewsOfNothing(t *testing.T) {
	p := &Profile{}
	if v := p.Select(patterns("x"), nil, nil).FoldRecursion().Invert().GroupBy(ByProcess).Prune(1, 1); len(v.Threads) != 0 || v.View.Whole != p {
		t.Errorf("%+v", v)
	}
	if p.Select(nil, nil, nil) != p || p.GroupBy(ByThread) != p || p.Prune(0, 0) != p {
		t.Error("nothing was asked for")
	}
}

// TestNothingBelowFurther: what is not told apart is one node, and has no others below it.
func TestNothingBelowFurther(t *testing.T) {
	all := newOrchard()
	all.room = 2
	s := selector{all, Patterns(nil).matcher(), Patterns(nil).matcher(), patterns("x").matcher()}
	own, left := s.regrow(viewable(stacks{"m;a;b;c": 3, "m;d;e": 2}).Threads[0])
	if got := seen(t, own); left != 0 || !maps.Equal(got, stacks{"m;a;" + Further: 3, "m;" + Further: 2}) {
		t.Errorf("%v, %d left out", got, left)
	}
}

// TestAlikeByStates: threads are alike only if their samples are of the same states, and
// the same branches are folded.
func TestAlikeByStates(t *testing.T) {
	p := viewable(stacks{"m;a;b": 2}, stacks{"m;a;b": 2}, stacks{"m;a;b": 2})
	if got := p.FoldThreads().Threads; len(got) != 2 || len(got[1].Same) != 1 {
		t.Errorf("%d entries", len(got))
	}
	p.Threads[2].Roots[0].Children[0].Children[0].States = &States{task.Sleeping: 2}
	if got := p.FoldThreads().Threads; len(got) != 3 {
		t.Errorf("%d entries of other states", len(got))
	}
	p = viewable(stacks{"m;a;b": 2}, stacks{"m;a;b": 2}, stacks{"m;a;b;c": 2})
	if got := p.Prune(0, 1).FoldThreads().Threads; len(got) != 3 {
		t.Errorf("%d entries of other branches", len(got))
	}
}
