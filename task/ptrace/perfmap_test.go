//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
	"stacksnap/task/regular"
)

// perfMap names the file that a process's is to be, and removes what a test makes
// of it.
func perfMap(t *testing.T, pid int) string {
	t.Helper()
	path := fmt.Sprintf("/tmp/perf-%d.map", pid)
	_ = os.Remove(path) // of an earlier process of that number
	t.Cleanup(func() { _ = os.Remove(path) })
	return path
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpenPerfMap(t *testing.T) {
	g := startThreads(t, 1, "sleep")
	p := attach(t, g.pid)
	path := perfMap(t, g.pid)
	if _, _, err := p.OpenPerfMap(); !errors.Is(err, unix.ENOENT) {
		t.Errorf("without a file: %v", err)
	}
	writeFile(t, path, "1000 10 f\n")
	f, name, err := p.OpenPerfMap()
	needOpenat2(t, err)
	if err != nil || name != path {
		t.Fatalf("%s: %v", name, err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); string(b) != "1000 10 f\n" || err != nil {
		t.Errorf("read %q, %v", b, err)
	}
}

// TestPerfMapIsNotBelieved where another can have written it, or it is something
// else, which is not even opened.
func TestPerfMapIsNotBelieved(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	writeFile(t, elsewhere, "1000 10 f\n")
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"link": {func(t *testing.T, path string) { must(t, os.Symlink(elsewhere, path)) }, errNotRegular},
		"second name": {func(t *testing.T, path string) {
			writeFile(t, path, "")
			must(t, os.Link(path, path+".x"))
			t.Cleanup(func() { _ = os.Remove(path + ".x") })
		}, errNotRegular},
		"pipe":   {func(t *testing.T, path string) { must(t, unix.Mkfifo(path, 0o644)) }, errNotRegular},
		"folder": {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) }, errNotRegular},
		"another user's": {func(t *testing.T, path string) {
			writeFile(t, path, "")
			needs.Root(t)
			must(t, os.Chown(path, 12345, -1))
		}, errOthers},
		"open to all": {func(t *testing.T, path string) {
			writeFile(t, path, "")
			must(t, os.Chmod(path, 0o646))
		}, errOthers},
		"of an earlier process": {func(t *testing.T, path string) {
			writeFile(t, path, "")
			then := time.Now().Add(-time.Hour)
			must(t, os.Chtimes(path, then, then))
		}, errOlder},
		"leased": {func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
			must(t, err)
			t.Cleanup(func() { _ = f.Close() })
			if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
				needs.Feature(t, "leases of files", err, unix.EINVAL, unix.EAGAIN)
			}
		}, regular.ErrLeased},
	} {
		t.Run(name, func(t *testing.T) {
			g := startThreads(t, 1, "sleep")
			p := attach(t, g.pid)
			c.make(t, perfMap(t, g.pid))
			f, _, err := p.OpenPerfMap()
			if err == nil {
				f.Close()
			}
			needOpenat2(t, err)
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPerfMapOfItsOwnRoot: the file is looked for where the target would write it,
// and no link there leads out.
// needOpenat2 skips where a file of others is not opened.
func needOpenat2(t *testing.T, err error) {
	t.Helper()
	switch {
	case errors.Is(err, unix.ENOSYS):
		needs.Skip(t, "openat2", err.Error())
	case errors.Is(err, errRemote):
		needs.Skip(t, "a local folder for temporary files", err.Error())
	}
}

func TestPerfMapOfItsOwnRoot(t *testing.T) {
	root, name := t.TempDir(), "tmp/perf-4711.map"
	p := &Process{folder: t.TempDir()}
	must(t, os.Symlink(root, filepath.Join(p.folder, "root")))
	must(t, os.Mkdir(filepath.Join(root, "real"), 0o755))
	must(t, os.Symlink("/real", filepath.Join(root, "tmp"))) // within the root
	writeFile(t, filepath.Join(root, "real/perf-4711.map"), "1000 10 f\n")
	f, err := p.openBelieved(name, uint32(os.Getuid()))
	needOpenat2(t, err)
	must(t, err)
	f.Close()
	must(t, os.Remove(filepath.Join(root, "tmp")))
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "perf-4711.map"), "1000 10 f\n")
	must(t, os.Symlink(outside, filepath.Join(root, "tmp")))
	if _, err := p.openBelieved(name, uint32(os.Getuid())); err == nil {
		t.Error("a link leads out")
	}
}

func openPath(t *testing.T, dir string) int {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { closeFD(fd) })
	return fd
}

func TestEffectiveUser(t *testing.T) {
	for status, want := range map[string]uint32{
		"Name:\tx\nUid:\t1000\t0\t0\t0\n": 0,
		"Uid:\t0\t1000\t5\t6\n":           1000,
		"Uid:\t0\n":                       ^uint32(0),
		"Uid:\t0\tx\n":                    ^uint32(0),
		"":                                ^uint32(0),
	} {
		if got := effectiveUser([]byte(status)); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
}
