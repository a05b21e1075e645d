package text

import (
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestTreeFits: no line of a frame, a thread or a fact is longer than a usual terminal is
// wide.
func TestTreeFits(t *testing.T) {
	for _, width := range []int{80, 100, 132} {
		for name, p := range map[string]*profile.Profile{
			"linux": fixtures.Linux(), "sampled": fixtures.Sampled(), "inverted": fixtures.Sampled().Invert(), "hostile": fixtures.Hostile(), "stairs": fixtures.Staircase(), "pruned": fixtures.Sampled().ByFunction().Prune(50, 0),
		} {
			text, _, _ := strings.Cut(string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{Width: width, Color: true})), "Binary Images:")
			for line := range strings.SplitSeq(text, "\n") {
				if over := words.Columns(line) - width; over > 0 {
					t.Errorf("%s: %d columns more than %d: %s", name, over, width, line)
				}
			}
		}
	}
}
