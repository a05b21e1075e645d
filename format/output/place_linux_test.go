package output

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// asUser runs f as an ordinary user, on a thread that ends with it.
func asUser(t *testing.T, uid int, f func()) {
	t.Helper()
	needs.Root(t)
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // and never unlock
		id := uintptr(uid)
		_, _, err := syscall.RawSyscall(syscall.SYS_SETRESUID, id, id, id) // of this thread alone
		if err == 0 {
			f()
		}
		done <- err
	}()
	if err := <-done; err != 0 {
		t.Fatal(err)
	}
}

// TestAnOwnerThatCannotBeKept has a user write to a file that he may write to,
// and that is another's: in its place would be his own.
func TestAnOwnerThatCannotBeKept(t *testing.T) {
	dir, err := os.MkdirTemp("", "shared") // below folders that anyone may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "report")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{dir: 0o777, path: 0o666} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	asUser(t, another, func() {
		for _, write := range []func() error{func() error { return Check(path) }, func() error { return Write(path, text("x")) }} {
			if err := write(); err == nil || !strings.Contains(err.Error(), "belongs to user 0") {
				t.Errorf("error %v", err)
			}
		}
		if err := Write(filepath.Join(dir, "own"), text("x")); err != nil {
			t.Error(err)
		}
	})
	content(t, path, "old")
}
