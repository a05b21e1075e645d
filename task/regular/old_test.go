package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestOld opens what may be replaced, unchanged, and refuses everything else.
func TestOld(t *testing.T) {
	dir := t.TempDir()
	folder, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	there := filepath.Join(dir, "there")
	if err := errors.Join(os.WriteFile(there, []byte("kept"), 0o600), os.Symlink("there", filepath.Join(dir, "link")),
		os.Mkdir(filepath.Join(dir, "sub"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if f, err := Old(folder, "nothing"); f != nil || err != nil {
		t.Errorf("of nothing: %v, %v", f, err)
	}
	for _, name := range []string{"link", "sub"} {
		if f, err := Old(folder, name); f != nil || !errors.Is(err, ErrNot) {
			t.Errorf("of %s: %v, %v", name, f, err)
		}
	}
	if f, err := Old(folder, "../x"); f != nil || err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("outside of the folder: %v, %v", f, err)
	}
	f, err := Old(folder, "there")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if kept, err := os.ReadFile(there); string(kept) != "kept" || err != nil {
		t.Errorf("there is %q, %v", kept, err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Error(err)
	}
}
