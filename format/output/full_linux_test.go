package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk mounts a file system that holds 64 KB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mounting a small tmpfs: %v", err)
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
	r := Rotation{Dir: smallDisk(t), Name: "server", PID: 1, Ext: "txt", Keep: 1}
	at := time.Unix(1e9, 0)
	if _, err := r.Write(at, text("fits")); err != nil {
		t.Fatal(err)
	}
	path, err := r.Write(at.Add(time.Hour), func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	})
	if path != "" || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%q, %v", path, err)
	}
	left, _ := os.ReadDir(r.Dir)
	if len(left) != 1 || left[0].Name() != "stacksnap-server-1-20010909T014640Z.txt" {
		t.Errorf("left: %v", left)
	}
}
