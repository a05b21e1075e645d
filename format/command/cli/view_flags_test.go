package cli

import (
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/live"
)

// TestViewsThatAreWrong are told in a line.
func TestViewsThatAreWrong(t *testing.T) {
	for args, want := range map[string]string{
		"--focus a(":                `--focus "a(" is no regular expression: missing closing ) in "a("`,
		"--ignore ok --ignore [z-a": `--ignore "[z-a" is no regular expression`,
		"--hide *":                  `--hide "*" is no regular expression: missing argument to repetition operator in "*"`,
		"--focus=":                  "--focus needs a RE",
		"--focus x --ignore x":      "leaves nothing",
		"--min 101% -d 1s":          "is not a share: give one such as 1%",
		"--min NaN -d 1s":           "is not a share: give one such as 1%",
		"--min -1 -d 1s":            "is not a share: give one such as 1%",
		"--min x -d 1s":             "is not a share: give one such as 1%",
		"--min 1%":                  "it goes with sampling",
		"--min 1% --by thread":      "it goes with sampling",
		"--depth 0":                 "--depth cannot be 0: give at least 1",
		"--depth -1":                "--depth cannot be negative",
		"--by weight":               `--by is thread, queue, process or state, not "weight"`,
		"--merge --by state":        "give one of them",
		"--merge --no-merge":        "give one of them",
		"-f summary --invert":       "leave out --invert",
		"-f summary --merge":        "leave out --merge",
		"--check --focus x":         "leave out --focus",
		"--check --header":          "leave out --header",
	} {
		_, err := Parse(append([]string{"-p", "1"}, strings.Fields(args)...), "", live.Runs)
		if err == nil || !isUsage(err) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	for _, args := range []string{
		"--min 1 -d 1s", "--min 0 -d 1s", "--min 0% -n 2", "--min 100% -n 2", "--min 0.5% --by process", "--min 1% --hang 1s", "--merge --by thread", "-f summary --focus a --hide b",
		"--invert --depth 3 --fold-recursion --by queue", "--focus a --focus b --ignore c", "--no-pager -o x",
	} {
		if _, err := Parse(append([]string{"-p", "1"}, strings.Fields(args)...), "", live.Runs); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := Parse([]string{"-p", "1"}, "--focus a(", live.Runs); err == nil || !strings.Contains(err.Error(), DefaultsVariable) {
		t.Error(err)
	}
}

// TestViewOf does all that the flags ask for: the names are matched before frames are
// taken together, and what is left out is counted at last.
func TestViewOf(t *testing.T) {
	node := func(name string, self int, children ...*profile.Node) *profile.Node {
		n := &profile.Node{Location: profile.Location{Function: name}, Count: self, Self: self, Children: children}
		for _, c := range children {
			n.Count += c.Count
		}
		return n
	}
	p := &profile.Profile{Snapshots: 10}
	for i := range task.ThreadID(2) {
		root := node("main", 0, node("loop", 0, node("f", 0, node("f", 2, node("leaf", 5))), node("rare", 1)), node("idle", 2))
		p.Threads = append(p.Threads, &profile.Thread{ID: i + 1, Samples: 10, Roots: []*profile.Node{root}})
	}
	o, err := Parse(strings.Fields("-p 1 -d 1s --focus leaf|f --focus rare --ignore idle --hide ^main$ --fold-recursion --invert --by process --min 15% --depth 2"), "", live.Runs)
	if err != nil {
		t.Fatal(err)
	}
	v := o.View.Apply(p)
	var lines []string
	for depth, n := range v.Threads[0].Nodes() {
		lines = append(lines, strings.Repeat(" ", depth)+n.Function)
	}
	want := "leaf, f,  <left out>,f, loop,<left out>"
	if got := strings.Join(lines, ","); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if d := v.View; d.LeftOut != 4 || !d.Inverted || !d.Recursion || d.By != profile.ByProcess || d.Least != 15 || d.Depth != 2 || d.Folded != 10+2 || v.Original() != p {
		t.Errorf("%+v", d)
	}
	if o, err := Parse([]string{"-p", "1"}, "", live.Runs); err != nil || o.View.Apply(p) != p {
		t.Error("nothing was asked for", err)
	}
}

// TestSharesAreOfFunctions, wherever in them samples stood; each bound counts by itself.
func TestSharesAreOfFunctions(t *testing.T) {
	p := &profile.Profile{Snapshots: 100, Threads: []*profile.Thread{{ID: 1, Samples: 100}}}
	for i := range task.Addr(20) {
		leaf := &profile.Node{Location: profile.Location{Function: "leaf"}, PC: 1, Count: 5, Self: 5}
		n := &profile.Node{Location: profile.Location{Function: "f"}, PC: 16 + i, Count: 5, Children: []*profile.Node{leaf}}
		p.Threads[0].Roots = append(p.Threads[0].Roots, n)
	}
	for args, want := range map[string]int{"--min 50%": 0, "--depth 1": 1, "--depth 2": 0} {
		o, err := Parse(strings.Fields("-p 1 -d 1s "+args), "", live.Runs)
		if err != nil {
			t.Fatal(err)
		}
		v := o.View.Apply(p)
		if f := v.Threads[0].Roots; len(f) != 1 || f[0].Count != 100 || v.View.FoldedNodes != want {
			t.Errorf("%s: %d nodes, %d folded", args, len(f), v.View.FoldedNodes)
		}
	}
}
