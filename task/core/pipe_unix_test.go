//go:build unix

package core_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"stacksnap/task/core"
	"stacksnap/task/recording"
	"stacksnap/task/regular"
)

// TestPipeIsNotWaitedFor, that may have come where a core or a recording was.
func TestPipeIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := core.Open(path); !errors.Is(err, regular.ErrNot) {
		t.Errorf("as a core: %v", err)
	}
	if _, err := recording.Open(path); !errors.Is(err, regular.ErrNot) {
		t.Errorf("as a recording: %v", err)
	}
}
