//go:build linux

package e2e

import (
	"os"
	"testing"
)

// nobody is a user, and a group, without rights.
const nobody = 65534

// publicDir makes a folder that other users reach, with a short name, for unix
// sockets may be in it.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
