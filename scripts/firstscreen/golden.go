package firstscreen

import (
	"os"
	"testing"
)

// A Golden is a file with a screen as people last read it.
type Golden struct {
	File   string
	Update bool // rewrite the file
	Varies bool // the headline differs from run to run
}

// Compare requires that the headline is that of the screen which people have read, but for
// numbers.
func (g *Golden) Compare(t testing.TB, screen string) {
	t.Helper()
	if g.Update {
		if err := os.WriteFile(g.File, []byte(screen), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	read, err := os.ReadFile(g.File)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Headline(screen), Headline(string(read)); got != want && !g.Varies {
		t.Errorf("the headline is %q; people read %q", got, want)
	}
}
