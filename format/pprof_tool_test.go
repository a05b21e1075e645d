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
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/pprof"
	"stacksnap/task/needs"
)

// TestPprofTool: go tool pprof prints the counts that the profile has.
func TestPprofTool(t *testing.T) {
	for kind, make := range fixtures.Profiles {
		p := make()
		want := counts.Own(p)
		if len(want) == 0 {
			continue
		}
		file := filepath.Join(t.TempDir(), "it.pb")
		if err := os.WriteFile(file, golden.Written(t, pprof.Write, p), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, how := range []string{"-top", "-tree"} {
			if diff := cmp.Diff(want, printedCounts(goToolPprof(t, "-sample_index=samples", how, file))); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", how, kind, diff)
			}
		}
		if got, want := rawSum(goToolPprof(t, "-raw", file)), counts.SumOf(want); got != want {
			t.Errorf("-raw of %s: %d samples, want %d", kind, got, want)
		}
	}
}

// findPprof asks the go command once, which is slow to find its own tools.
var findPprof = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "pprof").CombinedOutput()
	return strings.TrimSpace(string(out)), err
})

func pprofTool(t *testing.T) string {
	t.Helper()
	needs.Tool(t, "go")
	path, err := findPprof()
	if err != nil && strings.Contains(path, "no such tool") {
		needs.Skip(t, "go tool pprof", path)
	}
	if err != nil {
		t.Fatalf("go tool -n pprof: %v\n%s", err, path)
	}
	return path
}

// goToolPprof runs pprof without its own rules of what is worth to be shown.
func goToolPprof(t *testing.T, how ...string) string {
	t.Helper()
	cmd := exec.Command(pprofTool(t), append([]string{"-symbolize=none", "-nodefraction=0", "-edgefraction=0", "-nodecount=100000"}, how...)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go tool pprof %s: %v\n%s", how, err, out)
	}
	return string(out)
}

var (
	topRow = regexp.MustCompile(`(?m)^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% +(?:\| )?(\S.*?)(?: \(inline\))?$`)
	rawRow = regexp.MustCompile(`(?m)^ +(\d+) *[\d ]*: [\d ]+$`)
)

// printedCounts reads the rows of -top, which -tree has, too.
func printedCounts(report string) counts.Counts {
	c := counts.Counts{}
	for _, m := range topRow.FindAllStringSubmatch(report, -1) {
		flat, _ := strconv.ParseInt(m[1], 10, 64)
		cum, _ := strconv.ParseInt(m[2], 10, 64)
		c[m[3]] = [2]int64{flat, cum}
	}
	maps.DeleteFunc(c, func(_ string, n [2]int64) bool { return n[1] == 0 })
	return c
}

func rawSum(report string) (sum int64) {
	for _, m := range rawRow.FindAllStringSubmatch(report, -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		sum += n
	}
	return sum
}
