package directory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"stacksnap/task/needs"
)

// temporaries makes one of each kind: without a name, where the system has that, and with
// one.
func temporaries(t *testing.T, d *Dir) map[string]*Temporary {
	t.Helper()
	all := map[string]*Temporary{}
	for kind, begin := range map[string]func() (*Temporary, error){"any": d.Temporary, "named": d.named} {
		f, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(kind); err != nil {
			t.Fatal(err)
		}
		all[kind] = f
	}
	return all
}

func openTemp(t *testing.T) *Dir {
	t.Helper()
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// holds requires that a directory has a file of that content, and nothing more.
func holds(t *testing.T, d *Dir, want map[string]string) {
	t.Helper()
	all, err := d.ReadDir()
	if err != nil || len(all) != len(want) {
		t.Errorf("there are %v, %v", all, err)
	}
	for name, text := range want {
		if b, err := os.ReadFile(d.Join(name)); err != nil || string(b) != text {
			t.Errorf("%s has %q, %v", name, b, err)
		}
	}
}

// TestReplace takes a name from whatever has it.
func TestReplace(t *testing.T) {
	for _, kind := range []string{"any", "named"} {
		d := openTemp(t)
		if err := os.WriteFile(d.Join("x"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		all := temporaries(t, d)
		if err := all[kind].Replace("x"); err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			f.Drop()
		}
		holds(t, d, map[string]string{"x": kind})
	}
}

// TestPlace takes no name that something has.
func TestPlace(t *testing.T) {
	for _, kind := range []string{"any", "named"} {
		d := openTemp(t)
		if err := os.WriteFile(d.Join("taken"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		all := temporaries(t, d)
		if err := all[kind].Place("taken"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", kind, err)
		}
		if err := all[kind].Place("free"); err != nil {
			t.Error(err)
		}
		for _, f := range all {
			f.Drop()
		}
		holds(t, d, map[string]string{"taken": "old", "free": kind})
	}
}

// TestClaim places a file where there are no hard links.
func TestClaim(t *testing.T) {
	for _, kind := range []string{"any", "named"} {
		d := openTemp(t)
		if err := os.WriteFile(d.Join("taken"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		all := temporaries(t, d)
		if err := all[kind].claim("taken"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", kind, err)
		}
		if err := all[kind].claim("free"); err != nil {
			t.Error(err)
		}
		for _, f := range all {
			f.Drop()
		}
		holds(t, d, map[string]string{"taken": "old", "free": kind})
	}
}

// TestCopy goes on by a file with a name, which keeps the mode.
func TestCopy(t *testing.T) {
	d := openTemp(t)
	f, err := d.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Drop()
	if _, err := f.WriteString("all of it"); err != nil {
		t.Fatal(err)
	}
	if f.name != "" {
		needs.Skip(t, "O_TMPFILE", "")
	}
	if err := errors.Join(f.Chmod(0o640), f.copy()); err != nil {
		t.Fatal(err)
	}
	if err := f.Replace("x"); err != nil {
		t.Fatal(err)
	}
	holds(t, d, map[string]string{"x": "all of it"})
	if info, err := os.Stat(d.Join("x")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestDrop leaves nothing.
func TestDrop(t *testing.T) {
	d := openTemp(t)
	for _, f := range temporaries(t, d) {
		f.Drop()
	}
	holds(t, d, nil)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if filepath.Base(d.Join("x")) != "x" || d.Path() == "" {
		t.Error(d.Join("x"))
	}
}
