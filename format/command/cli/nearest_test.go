package cli

import (
	"stacksnap/task/live"
	"strings"
	"testing"
)

func TestTypos(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"colour", "color", 1}, {"ab", "ba", 2}, {"kitten", "sitting", 3}} {
		if got := typos(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestNearest: a flag that was meant is named, and none that was not.
func TestNearest(t *testing.T) {
	for typed, want := range map[string]string{
		"--colour": "--color", "--durations=3s": "--duration", "--intervall": "--interval", "--nostop": "--no-stop", "--treads": "--thread",
		"--xyz": "", "--x": "", "--run": "", "--wane": "", "--" + strings.Repeat("x", 100): "",
	} {
		_, err := Parse([]string{"-p", "1", typed}, "", live.Runs)
		if err == nil || strings.Contains(err.Error(), "did you mean") != (want != "") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", typed, err, want)
		}
	}
}
