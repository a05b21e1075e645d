package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"stacksnap/task/needs"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		needs.Symlinks(t, err)
	}
	for _, name := range []string{path, link} {
		f, info, err := Open(name)
		if err != nil || info.Size() != 4 {
			t.Fatal(info, err)
		}
		if b, err := io.ReadAll(f); string(b) != "text" || f.Name() != name {
			t.Errorf("%q of %s, %v", b, f.Name(), err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOtherThings(t *testing.T) {
	dir := t.TempDir()
	_, _, err := Open(dir)
	if !errors.Is(err, ErrNot) || !errors.Is(err, ErrDirectory) || err.Error() != "open "+dir+": a folder, not a regular file" {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := Open(os.DevNull); !errors.Is(err, ErrNot) || errors.Is(err, ErrDirectory) {
		t.Errorf("a device: %v", err)
	}
	if _, _, err := Open(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}
