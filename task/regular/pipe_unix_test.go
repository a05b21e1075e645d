//go:build unix

package regular

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipe is refused rather than waited for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path); !errors.Is(err, ErrNot) {
		t.Errorf("error %v", err)
	}
}
