package format

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	tree := Tree(Options{})
	for _, c := range []struct {
		name    string
		write   Writer
		profile *profile.Profile
	}{
		{"linux.txt", tree, linux()},
		{"linux_color.txt", Tree(Options{Color: true}), linux()},
		{"darwin.txt", tree, darwin()},
		{"darwin_merge.txt", tree, darwin().FoldThreads()},
		{"translated.txt", tree, translated()},
		{"translated_live.txt", tree, translatedLive()},
		{"no_threads.txt", tree, noThreads()},
		{"recursion.txt", tree, recursion(9_000)},
		{"staircase.txt", tree, staircase()},
		{"hostile.txt", tree, hostile()},
		{"sampled.txt", tree, sampled()},
		{"sampled.folded", Folded, sampled()},
		{"sampled.json", JSON, sampled()},
		{"linux.json", JSON, linux()},
		{"linux.folded", Folded, linux()},
		{"darwin_merge.json", JSON, darwin().FoldThreads()},
		{"hostile.json", JSON, hostile()},
		{"hostile.folded", Folded, hostile()},
		{"sampled_invert.txt", tree, sampled().Invert()},
		{"sampled_invert.folded", Folded, sampled().Invert()},
		{"sampled_focus.txt", tree, sampled().Select(matching("hot|cold"), nil, matching("^__libc"))},
		{"sampled_min.txt", tree, sampled().ByFunction().Prune(12, 2)},
		{"sampled_min.json", JSON, sampled().ByFunction().Prune(12, 2)},
		{"sampled_state.txt", tree, stated().GroupBy(profile.ByState)},
		{"sampled_split.txt", tree, stated()},
		{"recursion_process.txt", tree, recursion(30).GroupBy(profile.ByProcess).Prune(0, 3)},
		{"sampled_split_invert.txt", tree, stated().Invert()},
		{"sampled_process.folded", Folded, sampled().GroupBy(profile.ByProcess)},
		{"linux_invert.txt", tree, linux().Invert().Prune(0, 2)},
		{"linux_narrow.txt", Tree(Options{Width: 80}), linux()},
		{"sampled_narrow.txt", Tree(Options{Width: 80}), sampled()},
		{"darwin_process.txt", tree, darwin().GroupBy(profile.ByProcess)},
		{"darwin_queue.json", JSON, darwin().GroupBy(profile.ByQueue)},
		{"darwin_state.folded", Folded, darwin().GroupBy(profile.ByState).Invert()},
		{"hostile_view.txt", Tree(Options{Width: 60}), hostile().Select(matching("x", "\x1b"), nil, nil).Invert()},
		{"hostile_view.json", JSON, hostile().Select(matching("x", "\x1b"), nil, nil).Invert()},
		{"recursion_folded.txt", tree, recursion(9_000).FoldRecursion()},
		{"staircase_narrow.txt", Tree(Options{Width: 60}), staircase()},
	} {
		t.Run(c.name, func(t *testing.T) { checkGolden(t, c.name, written(t, c.write, c.profile)) })
	}
}

func written(t *testing.T, write func(io.Writer, *profile.Profile) error, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join(testdata(), name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", file, diff)
	}
}

// testdata is the folder of the golden files, which are those of all forms.
func testdata() string {
	_, here, _, _ := runtime.Caller(0)
	dir := filepath.Dir(here)
	for filepath.Base(dir) != "format" {
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "testdata")
}

func matching(of ...string) (ps profile.Patterns) {
	for _, re := range of {
		ps = append(ps, regexp.MustCompile(re))
	}
	return ps
}

// stated is sampled, with the states of the samples of each node.
func stated() *profile.Profile {
	p := sampled()
	for _, n := range p.Threads[0].Nodes() {
		if n.Self > 0 {
			n.States = &profile.States{task.Running: n.Self}
		}
		if n.Function == "__lll_lock_wait" {
			n.States = &profile.States{task.Running: 1, task.Sleeping: n.Self - 1}
		}
	}
	return p
}
