package output

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

func TestPagerShows(t *testing.T) {
	if runtime.GOOS == "windows" {
		needs.Skip(t, "/bin/sh", "")
	}
	needs.Tools(t, "sh", "sed")
	text := strings.Repeat("a line\n", 100_000) // more than a pipe holds
	for _, c := range []struct {
		command, want string
		shown         bool
	}{
		{"cat", text, true},
		{"sed -n \"1s/line/$WHAT/p\"", "a page\n", true},
		{"head -n 1", "a line\n", true}, // the rest is never read
		{"true", "", true},
		{"exit 3", "", true},
		{"/there/is/none", "", false},
		{"/dev/null", "", false},
	} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		p := Pager{Command: c.command, Env: []string{"WHAT=page"}, Out: out}
		if shown := p.Show([]byte(text)); shown != c.shown {
			t.Errorf("%s: %t", c.command, shown)
		}
		if got, err := os.ReadFile(out.Name()); err != nil || string(got) != c.want {
			t.Errorf("%s: %v, %d bytes", c.command, err, len(got))
		}
		out.Close()
	}
	t.Setenv("PATH", "")
	if (Pager{Command: "cat"}).Show([]byte(text)) {
		t.Error("there is no shell")
	}
}

func TestIsLonger(t *testing.T) {
	for _, c := range []struct {
		text           string
		columns, lines int
		want           bool
	}{
		{"", 80, 24, false},
		{strings.Repeat("x\n", 23), 80, 24, false},
		{strings.Repeat("x\n", 24), 80, 24, true},
		{strings.Repeat("x", 80*23) + "\n", 80, 24, false},
		{strings.Repeat("x", 80*23+1) + "\n", 80, 24, true},
		{strings.Repeat("é", 80*23) + "\n", 80, 24, false},
		{strings.Repeat("x\n", 1000), 0, 0, false}, // a terminal that does not tell
		{strings.Repeat("\x1b[1mxxxx\x1b[22m \n", 23), 5, 24, false},
		{strings.Repeat("\x1b[1mxxxx\x1b[22m y\n", 23), 5, 24, true},
		{strings.Repeat("x\x1b[\n", 23), 1, 24, false},
	} {
		if got := IsLonger([]byte(c.text), c.columns, c.lines); got != c.want {
			t.Errorf("%d bytes on %d × %d: %t", len(c.text), c.columns, c.lines, got)
		}
	}
}
