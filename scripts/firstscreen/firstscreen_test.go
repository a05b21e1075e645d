package firstscreen

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	text := "\x1b[1mbold\x1b[0m\r\n" + strings.Repeat("é", Columns+1) + "\r\n" + strings.Repeat("more\r\n", Rows)
	rows := strings.Split(strings.TrimSuffix(Of([]byte(text)), "\n"), "\n")
	if len(rows) != Rows-1 || rows[0] != "bold" || rows[1] != strings.Repeat("é", Columns) || rows[2] != "é" || rows[3] != "more" {
		t.Errorf("%q", rows)
	}
}

func TestHeadline(t *testing.T) {
	screen := "thread 4711 has waited at least 12 s in 0xff12,\n  called by main (a.c:3), for 1,000.5 ms\n\nStack:\n"
	if got, want := Headline(screen), "thread # waits in #, called by main (a.c:#), for #"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if !Says(screen, `^thread \d+ waits in 0xff12, called by main \(a\.c:3\)`) || Says(screen, `at least`) {
		t.Errorf("joined: %q", Joined(screen))
	}
	if got := Misleading("idle: main thread\n"); got != "idle" || Misleading(screen) != "" {
		t.Errorf("%q misleads", got)
	}
}

// failures counts the errors of a test that is judged here.
type failures struct {
	testing.TB
	n int
}

func (*failures) Helper() {}

func (f *failures) Errorf(string, ...any) { f.n++ }

func TestGolden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "it.txt")
	(&Golden{File: file, Update: true}).Compare(t, "hung: thread 17\n")
	for screen, wrong := range map[string]int{"hung: thread 18\n": 0, "busy: thread 17\n": 1} {
		f := failures{TB: t}
		(&Golden{File: file}).Compare(&f, screen)
		(&Golden{File: file, Varies: true}).Compare(&f, screen)
		if f.n != wrong {
			t.Errorf("%q: %d errors, want %d", screen, f.n, wrong)
		}
	}
}
