package regular

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// TestAFileUnderALease is refused rather than waited for.
func TestAFileUnderALease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leased")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		needs.Feature(t, "leases of files", err, unix.EINVAL, unix.EAGAIN)
	}
	if _, _, err := Open(path); !errors.Is(err, ErrLeased) {
		t.Errorf("error %v", err)
	}
}
