//go:build hostile && linux

package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nowhere is a server that nothing listens at.
const nowhere = "http://127.0.0.1:1"

// aSpool returns the folder in which a spool for nowhere has its letters.
func aSpool(t *testing.T, dir string) (letters string) {
	t.Helper()
	r := snap(t, pushLimit, "-p", sleeper(t), "--push", nowhere, "--spool", dir)
	all, err := filepath.Glob(filepath.Join(dir, "*", "*.letter"))
	if err != nil || len(all) != 1 || r.code != 0 {
		t.Fatalf("exit code %d, %v, %v: %s", r.code, all, err, r.err)
	}
	return filepath.Dir(all[0])
}

// letter is a file of a spool, of that number and size, that takes no room.
func letter(t *testing.T, dir string, n int, size int64) {
	t.Helper()
	path := filepath.Join(dir, fmt.Sprintf("%020d-%08x.letter", time.Now().Add(-time.Hour).UnixNano()+int64(n), n))
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// TestSpoolAtItsLimit: the oldest make room, which is said in a line.
func TestSpoolAtItsLimit(t *testing.T) {
	needTools(t, "curl")
	for name, c := range map[string]struct {
		letters int
		size    int64
		left    int
	}{"bytes": {5, 60 << 20, 6}, "files": {10_010, 0, 10_000}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			letters := aSpool(t, dir)
			for n := range c.letters {
				letter(t, letters, n, c.size)
			}
			r := snap(t, pushLimit, "-p", sleeper(t), "--push", nowhere, "--spool", dir)
			r.check(t)
			left, err := os.ReadDir(letters)
			if err != nil || len(left) != c.left+1 { // the lock is there, too
				t.Errorf("%d are left, %v", len(left), err)
			}
			lines := strings.Split(strings.TrimSpace(r.err), "\n")
			if r.code != 0 || len(lines) != 2 || !strings.Contains(lines[0], "given up, for want of room") || !strings.Contains(lines[1], fmt.Sprint(c.left, " profiles wait")) {
				t.Errorf("exit code %d: %s", r.code, r.err)
			}
		})
	}
}

// TestSpoolOnAFullDisk: what has no room is sent from memory, or told as lost, and leaves
// nothing behind.
func TestSpoolOnAFullDisk(t *testing.T) {
	needRoot(t)
	needTools(t, "curl")
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	letters := aSpool(t, dir)
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	r := snap(t, pushLimit, "-p", sleeper(t), "--push", nowhere, "--spool", dir)
	r.check(t)
	left, err := os.ReadDir(letters)
	if err != nil || len(left) != 2 { // the lock is there, too
		t.Errorf("%v are left, %v", left, err)
	}
	if r.code != 1 || strings.Count(r.err, "no space left on device") != 1 || !strings.Contains(r.err, "neither sent nor kept") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}
