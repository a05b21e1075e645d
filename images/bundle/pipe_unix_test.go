//go:build unix

package bundle

import (
	"path/filepath"
	"syscall"
	"testing"

	"stacksnap/images/object"
)

// TestAPipeIsNotWaitedFor: a list may be anything that lies there.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "A.app")
	if err := syscall.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "Info.plist"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Of(filepath.Join(dir, "tray")); got != (object.Bundle{}) {
		t.Errorf("%+v", got)
	}
}
