package family

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplace: the recording of a later program takes the place of the one before, or goes.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "it.snap")
	for _, want := range []struct {
		better bool
		text   string
	}{{true, "later"}, {false, ""}} {
		by, err := beside(path)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{path: "", by: "later"} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := replace(path, by, want.better); err != nil {
			t.Error(err)
		}
		b, _ := os.ReadFile(path)
		all, err := os.ReadDir(dir)
		if string(b) != want.text || len(all) != 1 || err != nil {
			t.Errorf("%v: %q of %v, %v", want.better, b, all, err)
		}
	}
	if err := replace(path, filepath.Join(dir, "never made"), false); err != nil {
		t.Error(err)
	}
}
