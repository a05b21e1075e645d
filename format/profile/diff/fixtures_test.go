package diff

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"stacksnap/format/profile"
	"stacksnap/task"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stacks are how often each stack was seen, its functions from the outermost in with
// semicolons between.
type stacks map[string]int

// viewable makes a profile of each thread's stacks.
func viewable(threads ...stacks) *profile.Profile {
	p := &profile.Profile{Snapshots: 2}
	for i, s := range threads {
		t := &profile.Thread{ID: task.ThreadID(i + 1), Main: i == 0}
		var above profile.Node
		for _, stack := range slices.Sorted(maps.Keys(s)) {
			t.Samples += s[stack]
			n := &above
			for name := range strings.SplitSeq(stack, ";") {
				n = callee(n, name)
				n.Count += s[stack]
			}
			n.Self += s[stack]
			n.States = &profile.States{task.Running: s[stack]}
			n.Spent.OnCPU += time.Duration(s[stack])
		}
		t.States[task.Running] = t.Samples
		t.Roots = above.Children
		p.Threads = append(p.Threads, t)
	}
	return p
}

// callee finds or makes a node of a function below another.
func callee(n *profile.Node, name string) *profile.Node {
	for _, c := range n.Children {
		if c.Function == name {
			return c
		}
	}
	c := &profile.Node{Location: profile.Location{Function: name}, PC: task.Addr(name[0])}
	n.Children = append(n.Children, c)
	return c
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

func patterns(of ...string) (ps profile.Patterns) {
	for _, re := range of {
		ps = append(ps, regexp.MustCompile(re))
	}
	return ps
}

func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
