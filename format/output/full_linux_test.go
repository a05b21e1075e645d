package output

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// smallDisk mounts a file system that holds 64 KB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		needs.Feature(t, "mounts", err, fs.ErrPermission)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "report.txt")
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	err := Write(path, text(strings.Repeat("x", 1<<20)))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v", err)
	}
	if want := "write " + path + ": no space left on device"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	content(t, path, "old")
}

func TestFullDiskKeepsTheRow(t *testing.T) {
	r := Rotation{Folder: openFolder(t, smallDisk(t)), Name: "server", PID: 1, Ext: "txt", Keep: 1}
	at := time.Unix(1e9, 0)
	if _, err := keep(r, at, text("fits")); err != nil {
		t.Fatal(err)
	}
	path, err := keep(r, at.Add(time.Hour), func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	})
	if path != "" || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%q, %v", path, err)
	}
	left, _ := os.ReadDir(r.Folder.Path())
	if len(left) != 1 || left[0].Name() != "stacksnap-server-1-20010909T014640Z.txt" {
		t.Errorf("left: %v", left)
	}
}

// fillDisk leaves less room than a report needs, and returns what frees it.
func fillDisk(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	return func() { _ = os.Remove(path) }
}

func TestCapturesOnAFullDisk(t *testing.T) {
	dir := smallDisk(t)
	c, instead := newCaptures(t, dir)
	if err := c.Prepare(); err != nil {
		t.Fatal(err)
	}
	report := text(strings.Repeat("report\n", 1000))
	if _, err := c.Add(begun, record(t, c, begun, 100), report); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	free := fillDisk(t, dir)
	if err := c.Prepare(); err != nil {
		t.Errorf("refused: %v", err)
	}
	for range 5 { // more than there are to keep
		begun := begun.Add(time.Hour)
		done, err := c.Add(begun, Recorded{Err: syscall.ENOSPC}, report)
		if err != nil || done.Report != "" || strings.Contains(done.Line, "\n") || !strings.Contains(done.Line, "no space left") {
			t.Errorf("%+v, %v", done, err)
		}
	}
	if instead.Len() != 5*7000 {
		t.Errorf("%d bytes were printed", instead.Len())
	}
	free()
	if left := names(t, dir); !slices.Equal(left, before) {
		t.Errorf("left %v, want %v", left, before)
	}
	if done, err := c.Add(begun.Add(2*time.Hour), Recorded{}, report); err != nil || done.Report == "" {
		t.Errorf("with room again: %+v, %v", done, err)
	}
	if c.Err() == nil {
		t.Error("nothing is said of what is missing")
	}
}

// TestARecordingThatFilledTheDisk makes room for the report.
func TestARecordingThatFilledTheDisk(t *testing.T) {
	dir := smallDisk(t)
	c, instead := newCaptures(t, dir)
	rec := record(t, c, begun, 1<<20)
	if !errors.Is(rec.Err, syscall.ENOSPC) {
		t.Fatalf("error %v", rec.Err)
	}
	done, err := c.Add(begun, rec, text("report\n"))
	if err != nil || done.Report == "" || done.Recording != "" || instead.Len() > 0 {
		t.Errorf("%+v, %v, printed %q", done, err, instead)
	}
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// TestFullDiskKeepsTheSpool: a letter that has no room leaves nothing behind, and what
// was there can be sent.
func TestFullDiskKeepsTheSpool(t *testing.T) {
	now := time.Now()
	s := openSpool(t, smallDisk(t), &now)
	s.MaxBytes = 8 << 20
	add(t, s, "fits", 0)
	if _, err := s.Add(make([]byte, 1<<20)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
	if got, _ := contents(t, s); len(got) != 1 || got[0] != "fits" {
		t.Errorf("%q", got)
	}
	if left, _ := os.ReadDir(s.Path()); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
