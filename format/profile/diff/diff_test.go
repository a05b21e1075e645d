package diff

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// amounts are what each stack, or function, has on both sides.
type amounts map[string]Amount

func (a amounts) add(key string, n Amount) {
	sum := a[key]
	sum.add(n)
	a[key] = sum
}

// diffed are the stacks of a diff. It fails where its sums do not add up.
func diffed(t *testing.T, d *Diff) amounts {
	t.Helper()
	found := amounts{}
	var all Amount
	for _, tree := range d.Trees {
		var names []string
		var sum Amount
		for depth, n := range tree.Nodes() {
			names = append(names[:depth], n.Function)
			if n.Self != (Amount{}) {
				found.add(strings.Join(names, ";"), n.Self)
			}
			sum.add(n.Self)
			below := n.Self
			for _, c := range n.Children {
				below.add(c.Total)
			}
			if below != n.Total {
				t.Errorf("%v: %v, and %v below", names, n.Total, below)
			}
		}
		if sum != tree.Total {
			t.Errorf("%+v in a tree of %+v", sum, tree.Total)
		}
		all.add(sum)
	}
	if all != d.Selected {
		t.Errorf("%+v in trees, %+v selected", all, d.Selected)
	}
	return found
}

func mustDiff(t *testing.T, before, after *profile.Profile, o Options) *Diff {
	t.Helper()
	d, err := New(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDiffProperties: stacks and functions are what counting by hand gives, whatever the
// profiles, put together and by thread.
func TestDiffProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		one, two := []stacks{random(r), random(r)}, []stacks{random(r), random(r), random(r)}
		stacksWanted, self, total := amounts{}, amounts{}, amounts{}
		for i, side := range [][]stacks{one, two} {
			for _, s := range side {
				for stack, n := range s {
					names := strings.Split(stack, ";")
					a := amountOf(int64(n), i == 1)
					stacksWanted.add(stack, a)
					self.add(names[len(names)-1], a)
					slices.Sort(names)
					for _, name := range slices.Compact(names) {
						total.add(name, a)
					}
				}
			}
		}
		for _, by := range []profile.Grouping{profile.ByProcess, profile.ByThread, profile.ByQueue, profile.ByState} {
			d := mustDiff(t, viewable(one...), viewable(two...), Options{By: by})
			if diff := cmp.Diff(stacksWanted, diffed(t, d)); diff != "" {
				t.Fatalf("by %v (-want +got):\n%s", by, diff)
			}
			if d.Whole != d.Selected {
				t.Errorf("%+v of %+v selected", d.Selected, d.Whole)
			}
			gotSelf, gotTotal := amounts{}, amounts{}
			for _, f := range d.Functions {
				gotTotal[f.Function] = f.Total
				if f.Self != (Amount{}) {
					gotSelf[f.Function] = f.Self
				}
			}
			if diff := cmp.Diff([]amounts{self, total}, []amounts{gotSelf, gotTotal}); diff != "" {
				t.Fatalf("functions by %v (-want +got):\n%s", by, diff)
			}
		}
	}
}

// TestDiffOfOne with itself changes nothing.
func TestDiffOfOne(t *testing.T) {
	p := viewable(stacks{"main;a;b": 3, "main;c": 2})
	for _, scale := range []Scale{ToTotal, ToTime, AsCounted} {
		for _, f := range mustDiff(t, p, p, Options{Scale: scale}).Functions {
			if f.Self.Before != f.Self.After || f.Total.Before != f.Total.After {
				t.Errorf("%v: %+v", scale, f)
			}
		}
	}
}

// TestDiffInverted: the trees are turned, and the functions are the same.
func TestDiffInverted(t *testing.T) {
	one, two := viewable(stacks{"main;a;b": 3, "main;b": 1}), viewable(stacks{"main;b": 4})
	d := mustDiff(t, one.Invert(), two.Invert(), Options{By: profile.ByProcess})
	check(t, "stacks", diffed(t, d), amounts{"b;a;main": {3, 0}, "b;main": {1, 4}})
	if a, b := d.Functions[0], d.Functions[1]; !d.Inverted || a.Total != (Amount{3, 0}) || b.Total != (Amount{4, 4}) || b.Self != b.Total {
		t.Errorf("%+v, %+v", a, b)
	}
	if _, err := New(one, two.Invert(), Options{}); err == nil {
		t.Error("one side turned")
	}
}

// TestDiffSame: what makes functions the same, and what does not.
func TestDiffSame(t *testing.T) {
	program := &profile.Image{Path: "/v1/work-1", Load: 0x1000, Main: true}
	renamed := &profile.Image{Path: "/v2/work-2", Load: 0x9000}
	lib, libThere := &profile.Image{Path: "/lib/libx.so", Load: 0x20000}, &profile.Image{Path: "/usr/lib/libx.so", Load: 0x70000}
	jit, jitLater := &profile.Image{Path: "/tmp/perf-1.map", Generated: true}, &profile.Image{Path: "/tmp/perf-2.map", Generated: true}
	for name, c := range map[string]struct {
		one, two profile.Node
		same     bool
	}{
		"program of two names":  {profile.Node{Location: profile.Location{Image: program, Function: "f"}}, profile.Node{Location: profile.Location{Image: renamed, Function: "f"}}, true},
		"library":               {profile.Node{Location: profile.Location{Image: lib, Function: "f"}}, profile.Node{Location: profile.Location{Image: libThere, Function: "f"}}, true},
		"function of another":   {profile.Node{Location: profile.Location{Image: lib, Function: "f"}}, profile.Node{Location: profile.Location{Image: renamed, Function: "f"}}, false},
		"generated":             {profile.Node{Location: profile.Location{Image: jit, Function: "f"}}, profile.Node{Location: profile.Location{Image: jitLater, Function: "f"}}, true},
		"overloads":             {profile.Node{Location: profile.Location{Image: lib, Function: "f", Overload: "a"}}, profile.Node{Location: profile.Location{Image: libThere, Function: "f", Overload: "b"}}, false},
		"inlined in one":        {profile.Node{Location: profile.Location{Image: lib, Function: "f", Inlined: true}}, profile.Node{Location: profile.Location{Image: libThere, Function: "f"}}, true},
		"guessed in one":        {profile.Node{Location: profile.Location{Image: lib, Function: "f"}, By: unwind.ByScan}, profile.Node{Location: profile.Location{Image: libThere, Function: "f"}}, true},
		"unnamed, mapped apart": {profile.Node{Location: profile.Location{Image: lib, Start: 0x20100}}, profile.Node{Location: profile.Location{Image: libThere, Start: 0x70100}}, true},
		"unnamed, elsewhere":    {profile.Node{Location: profile.Location{Image: lib, Start: 0x20100}}, profile.Node{Location: profile.Location{Image: libThere, Start: 0x70200}}, false},
		"cut in one":            {profile.Node{Location: profile.Location{Image: lib, Function: "f"}, Cut: &profile.Cut{Reason: unwind.NoCaller}}, profile.Node{Location: profile.Location{Image: libThere, Function: "f"}}, false},
	} {
		c.one.Self, c.two.Self = 2, 2
		one := &profile.Profile{Main: program, Threads: []*profile.Thread{{Roots: []*profile.Node{&c.one}}}}
		two := &profile.Profile{Main: renamed, Threads: []*profile.Thread{{Roots: []*profile.Node{&c.two}}}}
		d := mustDiff(t, one, two, Options{By: profile.ByProcess})
		if got := len(d.Trees[0].Roots) == 1; got != c.same {
			t.Errorf("%s: same %v", name, got)
		}
	}
}

// TestDiffCPU compares CPU time where both sides have it, that of no sample, too.
func TestDiffCPU(t *testing.T) {
	timed := func(s stacks, rest time.Duration, spent time.Duration) *profile.Profile {
		p := viewable(s)
		p.Threads[0].Spent = profile.Spent{OnCPU: time.Duration(p.Threads[0].Samples) + rest, Blocked: 7}
		p.End = p.Start.Add(spent)
		return p
	}
	one, two := timed(stacks{"a": 10}, 0, 20), timed(stacks{"a": 10, "a;b": 20}, 10, 80)
	d := mustDiff(t, one, two, Options{Choose: true, Scale: ToTime})
	check(t, "stacks", diffed(t, d), amounts{"a": {10, 10}, "a;b": {0, 20}, BetweenSamples: {0, 10}})
	before, after := d.Value(Amount{10, 20})
	if d.Measure != ByCPU || d.Whole != (Amount{10, 40}) || before != 50 || after != 25 || d.Change(Amount{10, 20}) != -25 {
		t.Errorf("%v %+v %v %v", d.Measure, d.Whole, before, after)
	}
	shot := timed(stacks{"a": 10}, 0, 20)
	shot.Snapshots = 1 // in which nothing can be counted
	if d := mustDiff(t, shot, two, Options{Choose: true}); d.Measure != BySamples || shot.CountsCPU() || !one.CountsCPU() {
		t.Error("one snapshot has no CPU time")
	}
	if d := mustDiff(t, one, viewable(stacks{"a": 1}), Options{Choose: true}); d.Measure != BySamples {
		t.Error("one side has no CPU time")
	}
	if d := mustDiff(t, one.Select(patterns("b"), nil, nil), two.Select(patterns("b"), nil, nil), Options{Choose: true}); d.Selected != (Amount{0, 20}) || d.Whole != (Amount{10, 40}) {
		t.Errorf("%+v of %+v", d.Selected, d.Whole)
	}
}

// TestDiffRefuses what cannot be compared, and says why.
func TestDiffRefuses(t *testing.T) {
	full, empty, shot := viewable(stacks{"a": 1}), &profile.Profile{Snapshots: 9}, viewable(stacks{"a": 1})
	shot.Snapshots = 1
	unknown := viewable(stacks{"a": 1})
	unknown.Snapshots = 0
	for _, c := range []struct {
		one, two *profile.Profile
		o        Options
		side     string
		why      string
	}{
		{empty, full, Options{}, "before", "no samples"},
		{full, empty, Options{}, "after", "no samples"},
		{full, shot, Options{Scale: ToTime}, "after", "one snapshot"},
		{unknown, full, Options{Scale: ToTime}, "before", "how often"},
		{full, full, Options{Measure: ByCPU}, "before", "CPU time"},
	} {
		var wrong *IncomparableError
		_, err := New(c.one, c.two, c.o)
		if !errors.As(err, &wrong) || wrong.Side() != c.side || !strings.Contains(wrong.Why, c.why) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %s", c.o, err, c.why)
		}
	}
	for _, c := range [][2]*profile.Profile{{shot, full}, {shot, shot}, {unknown, full}} {
		if _, err := New(c[0], c[1], Options{Choose: true}); err != nil {
			t.Error(err)
		}
	}
	if d := mustDiff(t, empty, empty, Options{Scale: AsCounted}); len(d.Trees) != 0 || len(d.Functions) != 0 {
		t.Errorf("%+v", d)
	}
}

// TestDiffThreads: threads are put together by name, and the main ones whatever theirs.
func TestDiffThreads(t *testing.T) {
	one, two := viewable(stacks{"m": 1}, stacks{"w": 2}, stacks{"w": 3}), viewable(stacks{"m": 2}, stacks{"w": 4}, stacks{"x": 5})
	one.Threads[0].Name, two.Threads[0].Name = "work-1", "work-2"
	for i, name := range []string{"worker", "worker"} {
		one.Threads[i+1].Name, two.Threads[i+1].Name = name, []string{"worker", "other"}[i]
	}
	two.Threads[1].Same = []profile.ThreadName{{ID: 9}, {ID: 10}}
	one.Threads[2].Empty = 2
	one.Threads[2].Same = []profile.ThreadName{{ID: 8}}
	d := mustDiff(t, one, two, Options{By: profile.ByThread, Scale: AsCounted})
	got := map[string][2]Amount{}
	for _, tree := range d.Trees {
		name := tree.Name
		if tree.Main {
			name += "main"
		}
		got[name] = [2]Amount{tree.Threads, tree.Total}
	}
	check(t, "threads", got, map[string][2]Amount{"main": {{1, 1}, {1, 2}}, "worker": {{3, 3}, {12, 12}}, "other": {{0, 1}, {0, 5}}})
	if d.Trees[0].Name != "other" || diffed(t, d)[NoStack] != (Amount{4, 0}) {
		t.Errorf("%+v", d.Trees[0])
	}
}

// TestDiffPrune keeps what changes, also where its callers do not, and all samples.
func TestDiffPrune(t *testing.T) {
	one := viewable(stacks{"main;a;x": 50, "main;a;y": 30, "main;b;z": 19, "main;c": 1})
	two := viewable(stacks{"main;a;x": 30, "main;a;y": 50, "main;b;z": 18, "main;c": 2})
	d := mustDiff(t, one, two, Options{By: profile.ByProcess})
	kept := d.Prune(d.Trees[0], 5, 0)
	got := amounts{}
	for depth, n := range kept.Nodes() {
		got[strings.Repeat(" ", depth)+n.Function] = n.Total
		if n.Folded != nil && (*n.Folded != profile.Folded{Branches: 2, Nodes: 3} || n != kept.Roots[0].Children[1]) {
			t.Errorf("%+v", n.Folded)
		}
	}
	check(t, "kept", got, amounts{"main": {100, 100}, " a": {80, 80}, "  x": {50, 30}, "  y": {30, 50}, " " + profile.LeftOut: {20, 20}})
	flat := d.Prune(d.Trees[0], 0, 1)
	if n := flat.Roots[0].Children; len(n) != 1 || n[0].Total != (Amount{100, 100}) || n[0].Folded.Nodes != 6 {
		t.Errorf("%+v", n[0])
	}
	if d.Prune(d.Trees[0], 0, 0) != d.Trees[0] || len(d.Trees[0].Roots[0].Children) != 3 {
		t.Error("the tree itself was changed")
	}
}

// TestDiffDeep: stacks of any depth, without recursion.
func TestDiffDeep(t *testing.T) {
	deep := func(depth int) *profile.Profile {
		root := &profile.Node{Location: profile.Location{Function: "f"}}
		n := root
		for range depth {
			n.Children = []*profile.Node{{Location: profile.Location{Function: "f"}, PC: task.Addr(depth)}}
			n = n.Children[0]
		}
		n.Self = 3
		return &profile.Profile{Snapshots: 3, Threads: []*profile.Thread{{Roots: []*profile.Node{root}}}}
	}
	const depth = 1 << 17
	d := mustDiff(t, deep(depth), deep(depth+1), Options{By: profile.ByProcess})
	d.Prune(d.Trees[0], 1, 0)
	if f := d.Functions; len(f) != 1 || f[0].Total != (Amount{3, 3}) || f[0].Self != (Amount{3, 3}) {
		t.Errorf("%+v", slices.Collect(maps.Values(diffed(t, d))))
	}
}
