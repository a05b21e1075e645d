package apple

import (
	"fmt"
	"strings"
	"testing"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// deep is a stack of n frames of one function below main, in two branches at the end;
// each frame was innermost once, too.
func deep(n int) *profile.Profile {
	im := &profile.Image{Path: "/tmp/demo", Load: 0x400000, End: 0x402000}
	node := appletest.Call(im, "turn", 8, 0x400208, appletest.Top(im, "left", 4, 0x400304, 3), appletest.Top(im, "right", 4, 0x400404, 2))
	for range n {
		node = appletest.Call(im, "recurse", 36, 0x400124, node, appletest.Top(im, "check", 2, 0x400502, 1))
	}
	node = appletest.Call(im, "main", 8, 0x400008, node)
	return &profile.Profile{
		Target: task.Info{OS: task.Linux}, Images: []*profile.Image{im}, Snapshots: node.Count,
		Threads: []*profile.Thread{{ID: 1, Samples: node.Count, Roots: []*profile.Node{node}}},
	}
}

// A stack that is not deeper than sample's is whole; of a deeper one the middle is
// left out, and no sample.
func TestSampleOfDeepStacks(t *testing.T) {
	for _, c := range []struct{ frames, lines int }{{100, 204}, {maxLevels - 3, 2*(maxLevels-3) + 4}, {maxLevels - 2, 0}, {10_000, 0}} {
		graph := graphOf(written(t, deep(c.frames)))
		widest, all := 0, strings.Join(graph, "\n")
		for _, line := range graph {
			widest = max(widest, len(line)-len(strings.TrimLeft(line, " +!:|")))
		}
		if most := 4 + 2*(maxLevels+1); widest > most {
			t.Errorf("%d frames: lines are indented by %d columns, want %d at most", c.frames, widest, most)
		}
		left := strings.Contains(all, omitted)
		if left != (c.lines == 0) {
			t.Errorf("%d frames: left out %t", c.frames, left)
		}
		if left && len(graph) > 3*maxLevels {
			t.Errorf("%d frames: %d lines", c.frames, len(graph))
		}
		if !left && len(graph) != c.lines+1 {
			t.Errorf("%d frames: %d lines, want %d", c.frames, len(graph), c.lines+1)
		}
		for _, want := range []string{"3 left  (in demo)", "2 right  (in demo)", "5 turn  (in demo)", fmt.Sprintf("%d main  (in demo)", c.frames+5)} {
			if !strings.Contains(all, want) {
				t.Errorf("%d frames: no %q", c.frames, want)
			}
		}
		checkSums(t, read(t, []byte(written(t, deep(c.frames)))), c.frames+5)
	}
}

// checkSums checks that each line has the samples of those below it, and a thread all.
func checkSums(t *testing.T, p *profile.Profile, samples int) {
	t.Helper()
	self := 0
	for _, n := range p.Threads[0].Nodes() {
		self += n.Self
		if len(n.Children) > 0 && n.Self > 0 {
			t.Fatalf("%s has %d samples, and below it are %d", n.Function, n.Count, sum(n.Children))
		}
	}
	if self != samples || p.Threads[0].Samples != samples {
		t.Errorf("%d samples of %d, want %d", self, p.Threads[0].Samples, samples)
	}
}
