package words

import (
	"strings"
	"testing"
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
		if got := strings.Join(Wrapped(c.text, c.width, c.hang), "\n"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestLevels: as deep as the width allows, and never too flat.
func TestLevels(t *testing.T) {
	if at := (Position{Level: 16}); (&Printer{Width: 80}).Number(at) != "#1 " || (&Printer{Width: 81}).Number(Position{Level: 15}) != "" || (&Printer{}).levels() != maxIndent || (&Printer{Width: 10}).levels() != leastLevels {
		t.Error("levels")
	}
}
