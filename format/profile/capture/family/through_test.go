package family

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSettle: the recording of a later program takes the place of the one before, or goes.
func TestSettle(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "it.snap")
	for _, want := range []struct {
		better bool
		text   string
	}{{true, "later"}, {false, ""}} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		next, err := beside(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := next.WriteString("later"); err != nil {
			t.Fatal(err)
		}
		if err := next.Close(); err != nil {
			t.Error(err)
		}
		if err := next.settle(want.better); err != nil {
			t.Error(err)
		}
		b, _ := os.ReadFile(path)
		all, err := os.ReadDir(dir)
		if string(b) != want.text || len(all) != 1 || err != nil {
			t.Errorf("%v: %q of %v, %v", want.better, b, all, err)
		}
	}
	if _, err := beside(filepath.Join(dir, "none", "it.snap")); err == nil {
		t.Error("a file was made in no directory")
	}
}
