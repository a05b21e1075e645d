package macho

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// dsyms has a program of Apple's tools and its dSYM, beside the repository.
const dsyms = "../../../shared/dsyms"

// TestDSYMBeside finds the dSYM beside a program, and beside the bundle that the
// program is in, by its UUID.
func TestDSYMBeside(t *testing.T) {
	_, err := os.Stat(filepath.Join(dsyms, "crash.dSYM"))
	needs.Feature(t, "../shared/dsyms", err, fs.ErrNotExist)
	dir := t.TempDir()
	inner := "Contents/Resources/DWARF"
	for _, place := range []string{"crash.dSYM", "App.app.dSYM"} {
		copyTo(t, filepath.Join(dsyms, "crash.dSYM", inner, "crash"), filepath.Join(dir, place, inner, "crash"))
	}
	copyTo(t, filepath.Join(dsyms, "overlapping_funcs.dSYM", inner, "overlapping_funcs"), filepath.Join(dir, "other/crash.dSYM", inner, "crash"))
	for path, found := range map[string]bool{
		"crash": true, "App.app/Contents/MacOS/crash": true, "other/crash": false, "none/crash": false,
	} {
		f, err := Open(filepath.Join(dsyms, "crash"), Want{Arch: task.AMD64})
		if err != nil {
			t.Fatal(err)
		}
		f.SeekDSYM(filepath.Join(dir, path))
		if f.HasSource() {
			t.Error("the program itself has debugging information")
		}
		got := f.Source(0x100000d20)
		if found != (len(got) == 1) || found && (filepath.Base(got[0].File) != "minidump_file_writer.cc" || got[0].Line != 93) {
			t.Errorf("%s: %+v", path, got)
		}
		if err := f.Close(); err != nil || f.Source(0x100000d20) != nil {
			t.Errorf("a closed file is read: %v", err)
		}
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	w, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
