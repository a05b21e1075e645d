package format

import (
	"strings"
	"testing"

	"stacksnap/format/profile"
)

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		text        string
		width, hang int
		want        string
	}{
		{"a b c", 0, 2, "a b c"},
		{"a b c", 5, 2, "a b c"},
		{"a b c", 4, 2, "a b\n  c"},
		{"  waits in read: fd 3", 12, 4, "  waits in\n    read: fd\n    3"},
		{"Path:            /a/very/long/path", 20, 17, "Path:\n                 /a/very/long/path"},
		{"toolongword b", 5, 1, "toolongword\n b"},
		{"\x1b[1maa\x1b[0m bb", 5, 1, "\x1b[1maa\x1b[0m bb"},
		{"漢字 b", 5, 1, "漢字\n b"},
		{"", 5, 1, ""},
	} {
		if got := strings.Join(wrapped(c.text, c.width, c.hang), "\n"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestTreeFits: no line of a frame, a thread or a fact is longer than a usual terminal is
// wide.
func TestTreeFits(t *testing.T) {
	for _, width := range []int{80, 100, 132} {
		for name, p := range map[string]*profile.Profile{
			"linux": linux(), "sampled": sampled(), "inverted": sampled().Invert(), "hostile": hostile(), "stairs": staircase(), "pruned": sampled().ByFunction().Prune(50, 0),
		} {
			text, _, _ := strings.Cut(string(written(t, Tree(Options{Width: width, Color: true}), p)), "Binary Images:")
			for line := range strings.SplitSeq(text, "\n") {
				if over := Columns(line) - width; over > 0 {
					t.Errorf("%s: %d columns more than %d: %s", name, over, width, line)
				}
			}
		}
	}
}

// TestLevels: as deep as the width allows, and never too flat.
func TestLevels(t *testing.T) {
	if at := (position{level: 16}); (&printer{width: 80}).number(at) != "#1 " || (&printer{width: 81}).number(position{level: 15}) != "" || (&printer{}).levels() != maxIndent || (&printer{width: 10}).levels() != leastLevels {
		t.Error("levels")
	}
}
