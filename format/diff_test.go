package format_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"stacksnap/format"
	"stacksnap/format/folded"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
)

// later is sampled() after a change: cold is gone, hot takes longer, and there is more of
// it all.
func later() *profile.Profile {
	p := fixtures.Sampled()
	p.Start = p.Start.Add(time.Hour)
	p.End = p.Start.Add(4 * time.Second)
	p.Snapshots *= 2
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			switch n.Function {
			case "hot(int)":
				n.Self *= 4
			case "cold()":
				n.Function, n.Raw, n.Self = "slow_path()", "_Z9slow_pathv", 90
			}
		}
	}
	return p
}

// compared compares two profiles as the command does.
func compared(t *testing.T, before, after *profile.Profile, o diff.Options) *words.Comparison {
	t.Helper()
	d, err := diff.New(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	return &words.Comparison{Diff: d, Tool: "stacksnap 1.0", Files: [2]string{"old.snap", "new.snap"}}
}

var inOne = diff.Options{By: profile.ByProcess}

func TestDiffGolden(t *testing.T) {
	one := compared(t, fixtures.Sampled(), later(), inOne)
	byThread := compared(t, fixtures.Sampled(), later(), diff.Options{By: profile.ByThread, Scale: diff.ToTime})
	counted := compared(t, fixtures.Stated(), fixtures.Stated(), diff.Options{By: profile.ByState, Scale: diff.AsCounted})
	turned := compared(t, fixtures.Sampled().Invert(), later().Invert(), inOne)
	cpu := compared(t, fixtures.Sampled(), later(), diff.Options{By: profile.ByProcess, Choose: true})
	evil := compared(t, fixtures.Hostile(), fixtures.Hostile().FoldThreads(), inOne)
	small := compared(t, fixtures.Sampled(), later(), inOne)
	small.Least = 5
	shot := compared(t, fixtures.Linux(), fixtures.Sampled(), diff.Options{By: profile.ByProcess, Choose: true})
	for _, c := range []struct {
		name  string
		write report.Writer
		of    *words.Comparison
		how   words.Options
	}{
		{"diff_color.txt", text.Tree, one, words.Options{Color: true}},
		{"diff_narrow.txt", text.Tree, one, words.Options{Width: 70}},
		{"diff_table.txt", text.Summary, cpu, words.Options{}},
		{"diff_threads.txt", text.Tree, byThread, words.Options{}},
		{"diff_counted.txt", text.Tree, counted, words.Options{ASCII: true}},
		{"diff_invert.txt", text.Tree, turned, words.Options{}},
		{"diff_min.txt", text.Tree, small, words.Options{}},
		{"diff_shot.txt", text.Tree, shot, words.Options{}},
		{"diff_hostile.txt", text.Tree, evil, words.Options{Width: 60}},
		{"diff_invert.folded", folded.Write, turned, words.Options{}},
		{"diff_hostile.folded", folded.Write, evil, words.Options{}},
		{"diff_hostile.json", jsondoc.Write, evil, words.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden.Check(t, c.name, golden.WrittenReport(t, c.write, report.OfDiff(c.of), c.how))
		})
	}
}

// TestDiffHostile: nothing of a name reaches a terminal, and lines stay lines.
func TestDiffHostile(t *testing.T) {
	c := compared(t, fixtures.Hostile(), fixtures.Sampled(), inOne)
	c.Files = [2]string{"a\x1b[31m", "b\u202e\n"}
	for _, f := range format.All() {
		if f.Diffs {
			onlyPrintable(t, f, golden.WrittenReport(t, f.Write, report.OfDiff(c), words.Options{}))
		}
	}
	var document map[string]any
	if err := json.Unmarshal(golden.WrittenReport(t, jsondoc.WriteLine, report.OfDiff(c), words.Options{}), &document); err != nil {
		t.Error(err)
	}
}

// TestDiffWidth: lines fit where they can.
func TestDiffWidth(t *testing.T) {
	c := compared(t, fixtures.Sampled(), later(), inOne)
	for line := range strings.Lines(string(golden.WrittenReport(t, text.Tree, report.OfDiff(c), words.Options{Width: 80}))) {
		if n := words.Columns(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestDiffDeepTree is written as fast as it is long.
func TestDiffDeepTree(t *testing.T) {
	c := compared(t, fixtures.Recursion(5_000), fixtures.Recursion(9_000), inOne)
	if out := golden.WrittenReport(t, text.Tree, report.OfDiff(c), words.Options{}); len(out) > 4<<20 {
		t.Errorf("%d bytes", len(out))
	}
}

// TestDiffSummary says what changed most, by its own time.
func TestDiffSummary(t *testing.T) {
	of := func(before, after [3]int) string {
		side := func(n [3]int) *profile.Profile {
			root := &profile.Node{Location: profile.Location{Function: "main"}, Self: n[0]}
			for i, name := range []string{"a", "b"} {
				root.Children = append(root.Children, &profile.Node{Location: profile.Location{Function: name}, Self: n[i+1]})
			}
			return &profile.Profile{Snapshots: 2, Threads: []*profile.Thread{{Roots: []*profile.Node{root}}}}
		}
		return words.DiffHeadline(compared(t, side(before), side(after), inOne))
	}
	for want, got := range map[string]string{
		"b grew from 10.0 % to 40.0 % of all samples, called by main":                   of([3]int{0, 90, 10}, [3]int{0, 60, 40}),
		"b is new on top of stacks: 40.0 % of all samples, called by main":              of([3]int{0, 100, 0}, [3]int{0, 60, 40}),
		"main grew from 20.0 % to 60.0 % of all samples":                                of([3]int{20, 80, 0}, [3]int{60, 40, 0}),
		"no function changed by 1 % or more of its own":                                 of([3]int{0, 99_000, 1000}, [3]int{0, 98_500, 1500}),
		"no change beyond noise (±1.3 points)":                                          of([3]int{0, 990, 10}, [3]int{1, 985, 14}),
		"b is gone from the top of stacks: it was 1.6 % of all samples, called by main": of([3]int{100, 884, 16}, [3]int{108, 892, 0}),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestDiffCaller: the first line names who called what changed.
func TestDiffCaller(t *testing.T) {
	tree := func(a, b, direct int) *profile.Profile {
		leaf := func(n int) *profile.Node {
			return &profile.Node{Location: profile.Location{Function: "leaf"}, Self: n}
		}
		roots := []*profile.Node{leaf(direct)}
		for name, n := range map[string]int{"a": a, "b": b} {
			roots = append(roots, &profile.Node{Location: profile.Location{Function: name}, Self: 100 - n, Children: []*profile.Node{leaf(n)}})
		}
		return &profile.Profile{Snapshots: 2, Threads: []*profile.Thread{{Roots: roots}}}
	}
	for want, after := range map[string]*profile.Profile{
		"after, called by b":        tree(10, 90, 10),
		"after, mostly called by a": tree(90, 40, 10),
		"after":                     tree(10, 10, 900),
	} {
		got := words.DiffHeadline(compared(t, tree(10, 10, 10), after, inOne))
		if _, by, _ := strings.Cut(got, "samples"); by != strings.TrimPrefix(want, "after") || !strings.HasPrefix(got, "leaf grew") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestDiffOwnCaller: of a function of a library the first line names the frame of own code that led to it.
func TestDiffOwnCaller(t *testing.T) {
	im, lib := &profile.Image{Path: "/srv/shop", Main: true}, &profile.Image{Path: "/lib/libc.so.6"}
	tree := func(compare int) *profile.Profile {
		n := &profile.Node{Location: profile.Location{Image: lib, Function: "memcmp"}, Self: compare}
		for _, l := range []profile.Location{{Image: lib, Function: "qsort"}, {Image: im, Function: "rank"}, {Image: im, Function: "main"}} {
			n = &profile.Node{Location: l, Self: 10, Children: []*profile.Node{n}}
		}
		return &profile.Profile{Snapshots: 2, Threads: []*profile.Thread{{Roots: []*profile.Node{n}}}}
	}
	if got := words.DiffHeadline(compared(t, tree(10), tree(900), inOne)); !strings.HasSuffix(got, "called by rank") {
		t.Error(got)
	}
}

// TestDiffTrunk: frames that all stacks have are a line, and the branch that has grown is
// named, not only what it ends in.
func TestDiffTrunk(t *testing.T) {
	deep := func(slow int) *profile.Profile {
		node := func(name string, self int, children ...*profile.Node) *profile.Node {
			return &profile.Node{Location: profile.Location{Function: name}, Self: self, Children: children}
		}
		slowly := node("search", 0, node("compare", 1+slow/4, node("memcmp", 1+slow)))
		n := node("handle", 0, slowly, node("parse", 100))
		for _, name := range []string{"main", "run", "init", "start", "_start"} {
			n = node(name, 0, n)
		}
		return &profile.Profile{Snapshots: 2, Threads: []*profile.Thread{{Roots: []*profile.Node{n}}}}
	}
	c := compared(t, deep(0), deep(80), inOne)
	c.Least = .5
	golden.Check(t, "diff_trunk.txt", golden.WrittenReport(t, text.Tree, report.OfDiff(c), words.Options{}))
	if branch, caller := c.Grown(); branch.Function != "search" || caller.Function != "handle" {
		t.Errorf("%s by %s", branch.Function, caller.Function)
	}
	started := deep(0)
	started.Threads = append(started.Threads, &profile.Thread{Roots: []*profile.Node{{Location: profile.Location{Function: "worker"}, Self: 500}}})
	if branch, caller := compared(t, deep(0), started, inOne).Grown(); branch.Function != "worker" || caller != nil {
		t.Errorf("%s by %v", branch.Function, caller)
	}
	same := compared(t, deep(3), deep(3), inOne)
	if branch, caller := same.Grown(); branch != nil || caller != nil {
		t.Errorf("%v by %v", branch, caller)
	}
}
