package output

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// content checks what a file holds, and that nothing lies beside it.
func content(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".stacksnap-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteMakesAndReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.txt")
	for _, s := range []string{"first, the longer one", "second", ""} {
		if err := Write(path, text(s)); err != nil {
			t.Fatal(err)
		}
		content(t, path, s)
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.txt")
	broken := errors.New("capture broke")
	fails := func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("half", 1<<16))
		return broken
	}
	if err := Write(path, fails); !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	_ = Write(path, fails)
	content(t, path, "old")
}

func TestAPanicLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.txt")
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = Write(path, func(io.Writer) error { panic("bug") })
	}()
	content(t, path, "old")
}

func TestTheModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		needs.Skip(t, "modes of files", "Windows has other ones")
	}
	path := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, text("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode %v, %v; want %v", info.Mode(), err, mode)
		}
	}
}

// TestNewFilesAreTheirOwnersAlone requires so of a report while it is written,
// too, under whatever name.
func TestNewFilesAreTheirOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		needs.Skip(t, "modes of files", "Windows has other ones")
	}
	dir := t.TempDir()
	modes := func() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
			}
		}
	}
	slow := func(w io.Writer) error {
		modes()
		_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
		modes()
		return err
	}
	r := Rotation{Folder: openFolder(t, dir), Name: "n", PID: 1, Ext: "txt"}
	if _, err := r.Write(morning, slow); err != nil {
		t.Fatal(err)
	}
	f, err := r.Create(morning)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	path := filepath.Join(dir, "report")
	if err := Write(path, slow); err != nil {
		t.Fatal(err)
	}
	modes()
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	err = Write(path, func(io.Writer) error {
		temporary, _ := filepath.Glob(filepath.Join(dir, ".stacksnap-*")) // none where the file system makes files without names
		for _, path := range temporary {
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestALinkStays(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "latest"), filepath.Join(dir, "real.txt")
	if err := os.Symlink("real.txt", link); err != nil {
		needs.Symlinks(t, err)
	}
	for _, s := range []string{"through a dangling link", "through a link"} {
		if err := Write(link, text(s)); err != nil {
			t.Fatal(err)
		}
		content(t, file, s)
	}
	if to, err := os.Readlink(link); to != "real.txt" {
		t.Errorf("the link became %q, %v", to, err)
	}
}

func TestErrorsNameTheFileAskedFor(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]error{
		filepath.Join(dir, "missing", "report.txt"):    fs.ErrNotExist,
		filepath.Join(dir, strings.Repeat("long", 99)): nil,
		dir: nil,
	} {
		err := Write(path, text("x"))
		var p *fs.PathError
		if !errors.As(err, &p) || p.Path != path {
			t.Errorf("error %v does not name %s", err, path)
		}
		if want != nil && !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
		if strings.Contains(err.Error(), ".tmp") {
			t.Errorf("error %q names the file beside", err)
		}
	}
}

func TestAReadOnlyFileIsNotReplaced(t *testing.T) {
	needs.OrdinaryUser(t) // root may write read-only files
	path := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(path, []byte("old"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, text("new")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
	content(t, path, "old")
}

func TestALongWriteThatIgnoresErrorsStillFails(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		needs.Feature(t, "/dev/full", err, fs.ErrNotExist)
	}
	err := Write("/dev/full", func(w io.Writer) error {
		for range 1000 {
			_, _ = io.WriteString(w, strings.Repeat("x", 1000))
		}
		return nil
	})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("error %v", err)
	}
}

// TestCheckLeavesNothing requires Check to refuse what Write would, and to change
// nothing.
func TestCheckLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{
		old: true, filepath.Join(dir, "new"): true,
		dir: false, filepath.Join(dir, "no", "new"): false, filepath.Join(old, "new"): false,
	} {
		if err := Check(path); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if b, _ := os.ReadFile(old); err != nil || len(entries) != 1 || string(b) != "as it was" {
		t.Errorf("%v, %v, %q", entries, err, b)
	}
}
