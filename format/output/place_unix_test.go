//go:build unix

package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// planted are the ways to have a name taken by something that is not ours.
func planted(t *testing.T, victim string) map[string]func(name string) error {
	t.Helper()
	return map[string]func(string) error{
		"symbolic link": func(name string) error { return os.Symlink(victim, name) },
		"dangling link": func(name string) error { return os.Symlink(victim+".new", name) },
		"hard link":     func(name string) error { return os.Link(victim, name) },
		"folder":        func(name string) error { return os.Mkdir(name, 0o700) },
	}
}

// TestNamesThatAreTaken plants something under the names of a rotation's next
// files, also after these were looked at: nothing of it is written to.
func TestNamesThatAreTaken(t *testing.T) {
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for kind, plant := range planted(t, victim) {
		r := Rotation{Folder: openFolder(t, t.TempDir()), Name: "n", PID: 1, Ext: "txt"}
		if err := plant(r.path(morning, 1)); err != nil {
			t.Fatal(err)
		}
		path, err := r.Write(morning, func(w io.Writer) error {
			if err := plant(r.path(morning, 2)); err != nil { // while the report is being written
				return err
			}
			return text("report")(w)
		})
		if err != nil || path != r.path(morning, 3) {
			t.Errorf("%s: wrote %s, %v", kind, path, err)
		}
		f, err := r.Create(morning)
		if err != nil || f.Name() != r.path(morning, 4) {
			t.Fatalf("%s: made %v, %v", kind, f, err)
		}
		_, _ = f.Write([]byte("recording"))
		_ = f.Close()
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
	content(t, victim, "precious")
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestAFolderThatIsExchanged puts a link to another folder in the place of one
// that is open.
func TestAFolderThatIsExchanged(t *testing.T) {
	parent, outside := t.TempDir(), t.TempDir()
	dir, away := filepath.Join(parent, "dir"), filepath.Join(parent, "away")
	r := Rotation{Folder: openFolder(t, dir), Name: "n", PID: 1, Ext: "txt", Keep: 1}
	if err := errors.Join(os.Rename(dir, away), os.Symlink(outside, dir)); err != nil {
		t.Fatal(err)
	}
	bystander := filepath.Join(outside, r.file(morning.Add(-1e12), 1))
	if err := os.WriteFile(bystander, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keep(r, morning, text("report")); err != nil {
		t.Fatal(err)
	}
	if f, err := r.Create(morning); err != nil {
		t.Error(err)
	} else if err := errors.Join(f.Close(), f.Remove()); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("the other folder has %v", entries)
	}
	if entries, _ := os.ReadDir(away); len(entries) != 1 {
		t.Errorf("the folder has %v", entries)
	}
}

// another is a user who is not there.
const another = 4242

// TestTheOwnerIsKept writes over another user's file, as root may.
func TestTheOwnerIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	needs.Root(t)
	if err := os.Chown(path, another, another+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Check(path); err != nil {
		t.Error(err)
	}
	if err := Write(path, text("new")); err != nil {
		t.Fatal(err)
	}
	content(t, path, "new")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if uid, gid, _ := owner(info); uid != another || gid != another+1 || info.Mode() != 0o640 {
		t.Errorf("%d:%d %v", uid, gid, info.Mode())
	}
}

// TestALinkOfAnotherUserIsNotFollowed: he may not write himself what it leads to.
func TestALinkOfAnotherUserIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	victim, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, link); err != nil {
		t.Fatal(err)
	}
	needs.Root(t)
	if err := os.Lchown(link, another, another); err != nil {
		t.Fatal(err)
	}
	for _, write := range []func() error{func() error { return Check(link) }, func() error { return Write(link, text("x")) }} {
		if err := write(); err == nil || !strings.Contains(err.Error(), "4242") || !strings.Contains(err.Error(), link) {
			t.Errorf("error %v", err)
		}
	}
	content(t, victim, "precious")
}
