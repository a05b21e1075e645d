package output

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var morning = time.Date(2026, 11, 21, 10, 15, 0, 0, time.FixedZone("", 3600))

// keep writes a file and deletes those beyond the ones to keep, as a watch does.
func keep(r Rotation, at time.Time, write func(io.Writer) error) (string, error) {
	path, err := r.Write(at, write)
	if err != nil {
		return "", err
	}
	return path, r.Prune(path)
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRotationNames(t *testing.T) {
	r := Rotation{Folder: openFolder(t, filepath.Join(t.TempDir(), "new")), Name: "server", PID: 42, Ext: "txt"}
	for _, want := range []string{
		"stacksnap-server-42-20261121T091500Z.txt",
		"stacksnap-server-42-20261121T091500Z-2.txt",
		"stacksnap-server-42-20261121T091500Z-3.txt",
	} {
		path, err := keep(r, morning, text("x"))
		if err != nil || filepath.Base(path) != want {
			t.Errorf("%s, %v; want %s", path, err, want)
		}
	}
}

func TestRotationKeepsTheNewest(t *testing.T) {
	dir := t.TempDir()
	folder := openFolder(t, dir)
	for i := range 6 {
		r := Rotation{Folder: folder, Name: "server", PID: 99 - i, Ext: "txt", Keep: 3}
		if _, err := keep(r, morning.Add(time.Duration(i/2)*time.Second), text("x")); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"stacksnap-server-94-20261121T091502Z.txt",
		"stacksnap-server-95-20261121T091502Z.txt",
		"stacksnap-server-97-20261121T091501Z.txt",
	}
	if got := list(t, dir); !slices.Equal(got, want) {
		t.Errorf("kept %v", got)
	}
}

func TestRotationSparesTheNewFileWhenTheClockWasSetBack(t *testing.T) {
	r := Rotation{Folder: openFolder(t, t.TempDir()), Name: "server", PID: 7, Ext: "txt", Keep: 2}
	for _, at := range []time.Time{morning, morning.Add(time.Hour), morning.Add(-time.Hour)} {
		path, err := keep(r, at, text("x"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the file just written is gone: %v", err)
		}
	}
	if got := list(t, r.Folder.Path()); len(got) != 2 {
		t.Errorf("kept %v", got)
	}
}

func TestPruneLeavesEverythingElse(t *testing.T) {
	r := Rotation{Folder: openFolder(t, t.TempDir()), Name: "server", PID: 1, Ext: "txt", Keep: 1}
	others := []string{
		"notes.txt",
		"stacksnap-server-1-20261121T091500Z.txt.bak",
		"stacksnap-server-1-20261121T091500Z.snap",
		"stacksnap-server-1-20261121T091500.txt",
		"stacksnap-server-1-20261321T091500Z.txt", // no such month
		"stacksnap-server-01-20261121T091500Z.txt",
		"stacksnap-server-1-20261121T091500Z-1.txt",
		"stacksnap-server-1-20261121T091500Z-02.txt",
		"stacksnap-server-9999999999-20261121T091500Z-x.txt",
		"stacksnap-server-helper-1-20261121T091500Z.txt", // another process
		"stacksnap-serve-1-20261121T091500Z.txt",
		"xstacksnap-server-1-20261121T091500Z.txt",
	}
	ours := []string{
		"stacksnap-server-1-20261121T091500Z-2.txt",
		"stacksnap-server-1-20261121T091500Z-10.txt", // the newest
		"stacksnap-server-88-20261120T091500Z.txt",
	}
	for _, name := range append(others, ours...) {
		if err := os.WriteFile(filepath.Join(r.Folder.Path(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := "stacksnap-server-1-20201121T091500Z.txt"
	if err := os.Mkdir(filepath.Join(r.Folder.Path(), folder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.Prune(""); err != nil {
		t.Fatal(err)
	}
	want := append([]string{folder, ours[1]}, others...)
	slices.Sort(want)
	if got := list(t, r.Folder.Path()); !slices.Equal(got, want) {
		t.Errorf("left %v\nwant %v", got, want)
	}
}

func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{
		"python3.11":            "python3.11",
		"":                      "process",
		"../../etc/passwd":      ".._.._etc_passwd",
		"Web Content\n\x1b[2J":  "Web_Content___2J",
		"日本":                    "______",
		strings.Repeat("n", 99): strings.Repeat("n", 64),
	} {
		if got := SafeName(name); got != want {
			t.Errorf("SafeName(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzRotationParse(f *testing.F) {
	f.Add("stacksnap-a-1-20261121T091500Z.txt", "a")
	f.Add("stacksnap-a-1-20261121T091500Z-2.txt", "a")
	f.Add("stacksnap-a-1-1-20261121T091500Z.txt", "a-1")
	f.Fuzz(func(t *testing.T, file, name string) {
		r := Rotation{Name: name, Ext: "txt"}
		if k, ok := r.parse(file); ok && (k.file != file || filepath.Base(file) != file || k.n < 1) {
			t.Errorf("%q was taken for %+v", file, k)
		}
	})
}
