package profile

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task"
)

// stacks are how often each stack was seen, its functions from the outermost in with
// semicolons between.
type stacks map[string]int

// profile makes a profile of each thread's stacks.
func viewable(threads ...stacks) *Profile {
	p := &Profile{Snapshots: 2}
	for i, s := range threads {
		t := &Thread{ID: task.ThreadID(i + 1), Main: i == 0}
		var above Node
		for _, stack := range slices.Sorted(maps.Keys(s)) {
			t.Samples += s[stack]
			n := &above
			for name := range strings.SplitSeq(stack, ";") {
				n = n.callee(name)
				n.Count += s[stack]
			}
			n.Self += s[stack]
			n.States = &States{task.Running: s[stack]}
			n.Spent.OnCPU += time.Duration(s[stack])
		}
		t.States[task.Running] = t.Samples
		t.Roots = above.Children
		p.Threads = append(p.Threads, t)
	}
	return p
}

// callee finds or makes a node of a function below another.
func (n *Node) callee(name string) *Node {
	for _, c := range n.Children {
		if c.Function == name {
			return c
		}
	}
	c := &Node{Location: Location{Function: name}, PC: task.Addr(name[0])}
	n.Children = append(n.Children, c)
	return c
}

// seen is the stacks of a thread again. It fails where the counts of its tree do not
// add up, or what goes with them does not.
func seen(t *testing.T, th *Thread) stacks {
	t.Helper()
	s := stacks{}
	var path []string
	for depth, n := range th.Nodes() {
		path = append(path[:depth], n.Function)
		sum := n.Self
		for _, c := range n.Children {
			sum += c.Count
		}
		if sum != n.Count || n.Count == 0 {
			t.Errorf("%s: %d samples, and %d below", n.Function, n.Count, sum)
		}
		if n.Self == 0 {
			continue
		}
		s[strings.Join(path, ";")] += n.Self
		if n.Spent.OnCPU != time.Duration(n.Self) || n.States == nil || n.States[task.Running] != n.Self {
			t.Errorf("%s: %d samples, but %v in states %v", n.Function, n.Self, n.Spent, n.States)
		}
	}
	return s
}

func (s stacks) total() (n int) {
	for _, c := range s {
		n += c
	}
	return n
}

// each gives stacks changed one by one; those that are not kept are counted.
func (s stacks) each(change func([]string) ([]string, bool)) (changed stacks, left int) {
	changed = stacks{}
	for stack, n := range s {
		if to, ok := change(strings.Split(stack, ";")); ok {
			changed[strings.Join(to, ";")] += n
		} else {
			left += n
		}
	}
	return changed, left
}

// random are stacks of a few functions, so that they recurse.
func random(r *rand.Rand) stacks {
	s := stacks{}
	for range 1 + r.IntN(12) {
		var frames []string
		for range 1 + r.IntN(14) {
			frames = append(frames, string(rune('a'+r.IntN(4))))
		}
		s[strings.Join(frames, ";")] += 1 + r.IntN(9)
	}
	return s
}

// property tries a change of a profile on random stacks: it has to be what change makes
// of each by itself, and to leave the profile as it was.
func property(t *testing.T, view func(*Profile) *Profile, change func([]string) ([]string, bool)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := random(r)
		p := viewable(s)
		v := view(p)
		want, left := s.each(change)
		got := stacks{}
		for _, th := range v.Threads {
			got = seen(t, th)
		}
		if !maps.Equal(got, want) || v.View.LeftOut != left || got.total()+left != s.total() {
			t.Fatalf("of %v\ngot %v, %d left out\nwant %v, %d", s, got, v.View.LeftOut, want, left)
		}
		if again := seen(t, p.Threads[0]); !maps.Equal(again, s) || p.View != nil {
			t.Fatalf("the profile was %v, and is %v", s, again)
		}
	}
}

func patterns(of ...string) (ps Patterns) {
	for _, re := range of {
		ps = append(ps, regexp.MustCompile(re))
	}
	return ps
}

func TestInvert(t *testing.T) {
	property(t, (*Profile).Invert, func(s []string) ([]string, bool) {
		slices.Reverse(s)
		return s, true
	})
}

func TestSelect(t *testing.T) {
	for _, c := range []struct{ focus, ignore, hide string }{
		{focus: "a"}, {ignore: "b"}, {hide: "c"}, {"[ab]", "c", "d"}, {"a", "b", "a"}, {focus: "nothing"}, {hide: "."},
	} {
		re := func(s string) Patterns {
			if s == "" {
				return nil
			}
			return patterns(s)
		}
		has := func(s []string, of string) bool {
			return of != "" && regexp.MustCompile(of).MatchString(strings.Join(s, ";"))
		}
		view := func(p *Profile) *Profile { return p.Select(re(c.focus), re(c.ignore), re(c.hide)) }
		property(t, view, func(s []string) ([]string, bool) {
			keep := (c.focus == "" || has(s, c.focus)) && !has(s, c.ignore)
			s = slices.DeleteFunc(s, func(f string) bool { return has([]string{f}, c.hide) })
			return s, keep && len(s) > 0
		})
	}
}

// withoutRounds takes, frame by frame, a round back that is the same as the one before.
func withoutRounds(s []string) ([]string, bool) {
	var out []string
	for _, f := range s {
		out = append(out, f)
		for n := 1; n <= maxRound && 2*n <= len(out); n++ {
			if slices.Equal(out[len(out)-n:], out[len(out)-2*n:len(out)-n]) {
				out = out[:len(out)-n]
				break
			}
		}
	}
	return out, true
}

func TestFoldRecursion(t *testing.T) {
	property(t, (*Profile).FoldRecursion, withoutRounds)
	round := strings.Repeat("a;b;c;d;e;f;g;h;", 3)
	long := strings.Repeat("a;b;c;d;e;f;g;h;i;", 2)
	p := viewable(stacks{"main;" + round + "x": 2, "main;" + long + "y": 1}).FoldRecursion()
	want := stacks{"main;a;b;c;d;e;f;g;h;x": 2, "main;" + long + "y": 1}
	if got := seen(t, p.Threads[0]); !maps.Equal(got, want) || !p.View.Recursion {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFoldSelfCalls has calls of a function by itself in one, and no others.
func TestFoldSelfCalls(t *testing.T) {
	none := func(*Location) bool { return false }
	property(t, func(p *Profile) *Profile { return p.FoldSelfCalls(none) }, func(s []string) ([]string, bool) {
		return slices.Compact(s), true
	})
	// Functions of the program's own, in capital letters, call themselves through others, too.
	own := func(l *Location) bool { return l.Function < "a" }
	p := viewable(stacks{"m;A;x;y;A;x;A;z": 1, "m;A;x;B;A;z": 1, "m;x;x;A;x;x": 1, "m;x;A;x;y": 1}).FoldSelfCalls(own)
	want := stacks{"m;A;z": 1, "m;A;x;B;A;z": 1, "m;x;A;x": 1, "m;x;A;x;y": 1}
	if got := seen(t, p.Threads[0]); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	deep := map[string]uint8{}
	for _, n := range p.Threads[0].Nodes() {
		deep[n.Function] = max(deep[n.Function], n.Recursion)
	}
	if want := map[string]uint8{"m": 1, "A": 3, "x": 2, "y": 1, "z": 1, "B": 1}; !maps.Equal(deep, want) {
		t.Errorf("%v deep, want %v", deep, want)
	}
}

// TestPartsAreNotCalls: a function that was inlined in part, as glibc's msort, is as deep as it was
// called.
func TestPartsAreNotCalls(t *testing.T) {
	call := func(raw string, inlined bool, below *Node) *Node {
		n := &Node{Location: Location{Function: "sort", Raw: raw, Inlined: inlined}, PC: 8, Count: 1}
		if below == nil {
			n.Self = 1
		} else {
			n.Children = []*Node{below}
		}
		return n
	}
	split := call("sort", true, call("sort.part.0", false, call("sort", true, call("sort.part.0", false, nil))))
	whole := call("sort", false, call("sort", true, call("sort", false, nil)))
	for want, root := range map[uint8]*Node{2: split, 3: whole} {
		p := &Profile{Threads: []*Thread{{ID: 1, Samples: 1, Roots: []*Node{root}}}}
		got := p.FoldSelfCalls(func(*Location) bool { return false }).Threads[0].Roots[0]
		if got.Recursion != want || got.Inlined || len(got.Children) > 0 {
			t.Errorf("%+v, want it %d deep", got, want)
		}
	}
}

// TestDeepRecursion: depths that do not fit in the node are the largest that does.
func TestDeepRecursion(t *testing.T) {
	for calls, want := range map[int]uint8{254: 254, 255: DeepRecursion, 256: DeepRecursion, 1000: DeepRecursion} {
		var root *Node
		for range calls {
			n := &Node{Location: Location{Function: "f"}, PC: 8, Count: 1}
			if root == nil {
				n.Self = 1
			} else {
				n.Children = []*Node{root}
			}
			root = n
		}
		p := &Profile{Threads: []*Thread{{ID: 1, Samples: 1, Roots: []*Node{root}}}}
		if got := p.FoldSelfCalls(func(*Location) bool { return false }).Threads[0].Roots[0].Recursion; got != want {
			t.Errorf("%d calls: %d, want %d", calls, got, want)
		}
	}
}

// TestGather has the sums of threads with an entry, and leaves the others as they are.
func TestGather(t *testing.T) {
	p := viewable(stacks{"main": 4}, stacks{"w;a": 1, "w;b": 2}, stacks{"w;a": 3}, stacks{"v": 5}, stacks{"w;c": 1})
	p.Threads[4].States = States{task.Sleeping: 1}
	p.Threads[2].Same = []ThreadName{{ID: 9}}
	lock := Wait{Call: "futex", Lock: Mutex, Addr: 8, Owner: 1}
	other := lock
	other.Owner, other.Object = 2, "of another"
	p.Threads[1].Looks, p.Threads[1].Waits = 2, []Waited{{Wait: lock, Looks: 2}}
	p.Threads[2].Looks, p.Threads[2].Waits = 3, []Waited{{Wait: other, Looks: 1}, {Wait: Wait{Call: "read"}, Looks: 2}}
	g := p.Gather(3, func(t *Thread) string { return map[string]string{"w": "w", "v": "v"}[t.Roots[0].Function] })
	if len(g.Threads) != 4 || g.Threads[0] != p.Threads[0] || g.Threads[2] != p.Threads[3] || g.Threads[3] != p.Threads[4] {
		t.Fatalf("%+v", g.Threads)
	}
	all := g.Threads[1]
	if got := []ThreadName{{ID: 2}, {ID: 3}, {ID: 9}}; all.Samples != 9 || all.Together.Entry != "w" || !slices.Equal(all.Together.Threads, got) {
		t.Errorf("%+v of %+v", all, all.Together)
	}
	if n := all.Roots[0]; n.Count != 9 || n.Children[0].Function != "a" || n.Children[0].Count != 7 {
		t.Errorf("%+v", n)
	}
	want := []Waited{{Wait: Wait{Call: "futex", Lock: Mutex, Addr: 8}, Looks: 4, Owners: true}, {Wait: Wait{Call: "read"}, Looks: 4}}
	if all.Looks != 8 || !slices.Equal(all.Waits, want) {
		t.Errorf("in %d checks %+v, want %+v", all.Looks, all.Waits, want)
	}
}

// TestPrune keeps all counts, and says how much it has folded.
func TestPrune(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		s := random(r)
		least, depth := float64(r.IntN(60)), r.IntN(6)
		p := viewable(s)
		v := p.Prune(least, depth)
		if least == 0 && depth == 0 {
			if v != p {
				t.Fatal("nothing was to be pruned")
			}
			continue
		}
		got := seen(t, v.Threads[0])
		folded, nodes, all := 0, 0, 0
		for range p.Threads[0].Nodes() {
			all++
		}
		for at, n := range v.Threads[0].Nodes() {
			switch {
			case n.Folded != nil:
				folded += n.Count
				nodes += n.Folded.Nodes
				all -= n.Folded.Nodes
			default:
				if depth > 0 && at >= depth || float64(n.Count) < least*float64(s.total())/100 {
					t.Errorf("%s is shown at %d with %d of %d samples: least %v %%, depth %d", n.Function, at, n.Count, s.total(), least, depth)
				}
				all--
			}
		}
		if got.total() != s.total() || v.View.Folded != folded || v.View.FoldedNodes != nodes || all != 0 {
			t.Errorf("%v of %v: %+v, and %d nodes are lost", got, s, v.View, all)
		}
	}
}

// TestPruneAtTheBound: a branch of just that share, and a stack of just that depth, are
// shown; what is folded is told in one node, the last.
func TestPruneAtTheBound(t *testing.T) {
	p := viewable(stacks{"m;a": 90, "m;b": 5, "m;c;d": 4, "m;e": 1})
	for _, c := range []struct {
		least float64
		depth int
		want  string
	}{
		{5, 0, "m+0 100/0 (a+0 90/90, b+0 5/5, <left out>+0 5/5)"},
		{4, 0, "m+0 100/0 (a+0 90/90, b+0 5/5, c+0 4/0 (d+0 4/4), <left out>+0 1/1)"},
		{0, 2, "m+0 100/0 (a+0 90/90, b+0 5/5, c+0 4/0 (<left out>+0 4/4), e+0 1/1)"},
		{0, 1, "m+0 100/0 (<left out>+0 100/100)"},
		{101, 0, "<left out>+0 100/100"},
	} {
		v := p.ByFunction().Prune(c.least, c.depth)
		for range 2 { // that merging by function leaves it so
			if got := outline(v.Threads[0].Roots); got != c.want {
				t.Errorf("%v %%, depth %d: %s, want %s", c.least, c.depth, got, c.want)
			}
			v = v.ByFunction()
		}
	}
	f := p.Prune(5, 0).Threads[0].Roots[0].Children[2].Folded
	if want := (Folded{Branches: 2, Nodes: 3}); *f != want {
		t.Errorf("%+v, want %+v", *f, want)
	}
}

// TestSelectedThreads: those of which nothing is left are left out, with their samples;
// each of several that are alike counts.
func TestSelectedThreads(t *testing.T) {
	p := viewable(stacks{"m;a": 2}, stacks{"m;b": 3, "m;a": 1})
	p.Threads[1].Same = []ThreadName{{ID: 7}}
	p.Threads[1].Empty, p.Threads[1].Err = 2, "why"
	p.Threads[1].Samples += 2
	v := p.Select(patterns("^b$"), nil, nil)
	if got := v.View; got.LeftOut != 2+2*(1+2) || got.LeftThreads != 1 || len(v.Threads) != 1 || v.Threads[0].Empty != 0 || v.Threads[0].Err != "" {
		t.Errorf("%+v of %+v", got, v.Threads)
	}
	v = p.Select(nil, patterns("a|b"), nil)
	if got := v.View; got.LeftOut != 2+2*4 || got.LeftThreads != 1 || len(v.Threads) != 1 || v.Threads[0].Empty != 2 {
		t.Errorf("ignored: %+v of %+v", got, v.Threads)
	}
	if v.NumSamples() != 2*6 || v.View.Whole != p || v.Original() != p || v.Straight() != v {
		t.Errorf("%+v", v.View)
	}
}

// TestPatterns match a function as people know it and as its file has it, and code
// without a name by its image.
func TestPatterns(t *testing.T) {
	image := &Image{Path: "/opt/libx.so"}
	for _, c := range []struct {
		re string
		of Location
		is bool
	}{
		{"^ns::f", Location{Function: "ns::f(int)", Raw: "_ZN2ns1fEi"}, true},
		{"^_ZN2ns", Location{Function: "ns::f(int)", Raw: "_ZN2ns1fEi"}, true},
		{"^$", Location{Function: "f"}, false},
		{"libx", Location{Function: "f", Image: image}, false},
		{"libx", Location{Image: image}, true},
		{`^\?\?\?$`, Location{}, true},
		{"x", Location{Function: "\x1b[2Jx\xff"}, true},
	} {
		m := patterns("never", c.re).matcher()
		for range 2 { // the second time it is known
			if m.matches(&c.of) != c.is {
				t.Errorf("%q matches %+v: %t", c.re, c.of, !c.is)
			}
		}
	}
}

// TestHiddenRootIsCut: who is outermost then lacks its callers, too.
func TestHiddenRootIsCut(t *testing.T) {
	p := viewable(stacks{"h;h;a": 1, "h;b": 1, "a": 1})
	cut := &Cut{}
	cut.Reason = 2
	p.Threads[0].Roots[1].Cut = cut
	roots := p.Select(nil, nil, patterns("h")).Threads[0].Roots
	got := outline(roots)
	if got != "a+0 1/1, cut a+0 1/1, cut b+0 1/1" && got != "cut a+0 1/1, a+0 1/1, cut b+0 1/1" {
		t.Errorf("%s", got)
	}
}

func TestRawNames(t *testing.T) {
	leaf := &Node{Location: Location{Function: "a::parse(int)", Raw: "_ZN1a5parseEi", Overload: "i"}, Self: 2}
	plain := &Node{Location: Location{Function: "of a JIT compiler"}, Self: 1}
	root := &Node{Location: Location{Function: "main", Raw: "main"}, Children: []*Node{leaf, plain}}
	p := &Profile{Threads: []*Thread{{ID: 7, Roots: []*Node{root}}}}
	th := p.WithRawNames().Threads[0]
	if got := th.Roots[0]; th.ID != 7 || got.Function != "main" || len(got.Children) != 2 {
		t.Fatalf("%+v", got)
	}
	if got := th.Roots[0].Children[0]; got.Function != "_ZN1a5parseEi" || got.Overload != "" || got.Self != 2 {
		t.Errorf("%+v", got)
	}
	if got := th.Roots[0].Children[1]; got.Function != "of a JIT compiler" {
		t.Errorf("%+v", got)
	}
	if leaf.Function != "a::parse(int)" || leaf.Overload != "i" {
		t.Errorf("the profile was changed: %+v", leaf)
	}
}
