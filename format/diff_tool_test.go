//go:build long

package format_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/folded"
	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task/needs"
)

// diffRow is a row of pprof's -top of a difference; its numbers may be negative.
var diffRow = regexp.MustCompile(`(?m)^ *(-?\d+) +-?[\d.]+% +-?[\d.]+% +(-?\d+) +-?[\d.]+% +(?:\| )?(\S.*?)(?: \(inline\))?$`)

// TestDiffPprofTool: the table has the changes that go tool pprof -diff_base has of the
// pprof files of both sides.
func TestDiffPprofTool(t *testing.T) {
	for name, sides := range map[string][2]*profile.Profile{
		"later": {fixtures.Sampled(), later()}, "earlier": {later(), fixtures.Sampled()},
	} {
		files := [2]string{filepath.Join(t.TempDir(), "before.pb"), filepath.Join(t.TempDir(), "after.pb")}
		for i, p := range sides {
			if err := os.WriteFile(files[i], golden.Written(t, pprof.Write, p), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := counts.Counts{}
		for _, m := range diffRow.FindAllStringSubmatch(goToolPprof(t, "-top", "-sample_index=samples", "-diff_base="+files[0], files[1]), -1) {
			flat, _ := strconv.ParseInt(m[1], 10, 64)
			cum, _ := strconv.ParseInt(m[2], 10, 64)
			got[m[3]] = [2]int64{flat, cum}
		}
		want := counts.Counts{}
		for _, f := range compared(t, sides[0], sides[1], diff.Options{By: profile.ByProcess, Scale: diff.AsCounted}).Functions {
			name := words.Label(f.Node)
			sum := want[name] // of code of one name in several images
			want[name] = [2]int64{sum[0] + f.Self.After - f.Self.Before, sum[1] + f.Total.After - f.Total.Before}
		}
		none := func(_ string, n [2]int64) bool { return n == [2]int64{} }
		maps.DeleteFunc(want, none)
		maps.DeleteFunc(got, func(name string, n [2]int64) bool { return none(name, n) || strings.HasPrefix(name, "<cut: ") })
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
			t.Errorf("%s (-ours +pprof's):\n%s", name, diff)
		}
	}
}

// TestDiffFoldedTool: our folded stacks have the counts that difffolded.pl of FlameGraph,
// which is in $STACKSNAP_FLAMEGRAPH, makes of the folded stacks of both sides.
func TestDiffFoldedTool(t *testing.T) {
	folder := needs.Variable(t, "STACKSNAP_FLAMEGRAPH", "a copy of github.com/brendangregg/FlameGraph")
	sides := [2]*profile.Profile{allNamed(fixtures.Sampled()), allNamed(later())}
	var files [2]string
	for i, p := range sides {
		files[i] = filepath.Join(t.TempDir(), "it.folded")
		if err := os.WriteFile(files[i], golden.Written(t, folded.Write, p.GroupBy(profile.ByProcess)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for scale, flag := range map[diff.Scale]string{diff.ToTotal: "-n", diff.AsCounted: "--"} {
		cmd := exec.Command("perl", filepath.Join(folder, "difffolded.pl"), flag, files[0], files[1])
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		c := compared(t, sides[0], sides[1], diff.Options{By: profile.ByProcess, Scale: scale})
		if diff := cmp.Diff(linesOf(out), linesOf(golden.WrittenReport(t, folded.Write, report.OfDiff(c), words.Options{}))); diff != "" {
			t.Errorf("%s (-theirs +ours):\n%s", flag, diff)
		}
	}
}

// allNamed names all code, which one report calls by its address and a diff by its area.
func allNamed(p *profile.Profile) *profile.Profile {
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Function == "" {
				n.Function = "nameless"
			}
		}
	}
	return p
}

func linesOf(text []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		lines[line] = true
	}
	return lines
}
