//go:build darwinlive

package darwinlive

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestFormatsElsewhere wants every format of one sampling written there as it is
// written here of its recording, and the report of sample opened to the same stacks.
func TestFormatsElsewhere(t *testing.T) {
	needs.OS(t, "linux")
	program := compile(t, "threads.c", cFlags...)
	names := []string{"it.report", "it.json", "it.jsonl", "it.folded", "it.pb.gz", "it.speedscope.json"}
	live(t, 2*time.Minute, func(r *room) {
		p := r.target(program, "8")
		dir := r.TempDir()
		args := []string{"-p", fmt.Sprint(p.pid), "-d", "1s", "--save", r.inside(filepath.Join(dir, "it.snap")), "-f", "sample"}
		here := []string{filepath.Join(dir, "it.snap"), "-f", "sample"}
		for _, name := range names {
			args = append(args, "-o", r.inside(filepath.Join(dir, name)))
			here = append(here, "-o", filepath.Join(dir, "here."+name))
		}
		r.ok(r.snap(args...))
		r.ok(r.onLinux(here...))
		for _, name := range names {
			a, errA := os.ReadFile(filepath.Join(dir, name))
			b, errB := os.ReadFile(filepath.Join(dir, "here."+name))
			if errA != nil || errB != nil || string(a) != string(b) {
				r.Errorf("%s: %v, %v: there it is\n%s\nand here\n%s", name, errA, errB, firstDifference(string(a), string(b)), firstDifference(string(b), string(a)))
			}
		}
		opened := r.ok(r.onLinux(filepath.Join(dir, "it.report"), "-f", "folded"))
		folded, err := os.ReadFile(filepath.Join(dir, "it.folded"))
		if a, b := sortedLines(opened), sortedLines(string(folded)); err != nil || !slices.Equal(a, b) {
			r.Errorf("%v: of the report\n%s\nof the sampling\n%s", err, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		for _, f := range []string{"summary", "ips"} {
			if said := r.ok(r.snap("-p", fmt.Sprint(p.pid), "-f", f)); !strings.Contains(said, "threads") {
				r.Errorf("-f %s: %s", f, said)
			}
		}
	})
}

func sortedLines(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return lines
}
