//go:build linux

package procfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

func TestOpenPerfMap(t *testing.T) {
	g := startTarget(t)
	p := openTarget(t, g.pid)
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
			g := startTarget(t)
			p := openTarget(t, g.pid)
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

// TestPerfMapOfItsOwnRoot: the file is looked for where the target would write it,
// and no link there leads out.
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

// TestOpenJITDump: of what is mapped the one with the target's number is opened, if it
// can be believed, else one in /tmp.
func TestOpenJITDump(t *testing.T) {
	g := startTarget(t)
	p := openTarget(t, g.pid)
	name := fmt.Sprintf("jit-%d.dump", g.pid)
	dir, inTmp := t.TempDir(), "/tmp/"+name
	_ = os.Remove(inTmp) // of an earlier process of that number
	t.Cleanup(func() { _ = os.Remove(inTmp) })
	opens := func(want string, mapped ...string) {
		t.Helper()
		f, path, err := p.OpenJITDump(mapped)
		if err == nil {
			f.Close()
		}
		needOpenat2(t, err)
		if path != want || (err == nil) != (want != "") {
			t.Errorf("of %v %q is opened, %v; want %q", mapped, path, err, want)
		}
	}
	file, others := filepath.Join(dir, name), filepath.Join(dir, "jit-1.dump")
	opens("")
	opens("", file)
	writeFile(t, others, "x")
	opens("", others, filepath.Base(file), "")
	writeFile(t, file, "x")
	opens(file, others, file)
	writeFile(t, inTmp, "x")
	opens(file, others, file)
	opens(inTmp, others)
	must(t, os.Chmod(file, 0o666))
	opens(inTmp, file)
	must(t, os.Chmod(file, 0o644))
	then := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(file, then, then))
	opens(inTmp, file)
	must(t, os.Remove(inTmp))
	must(t, os.Symlink(file, inTmp))
	opens("")
	if _, _, err := p.OpenJITDump([]string{file}); !errors.Is(err, errNotRegular) {
		t.Errorf("the last reason is %v", err)
	}
}

// TestDumpsAtHome are in one of the folders that are made for each process.
func TestDumpsAtHome(t *testing.T) {
	root := t.TempDir()
	p := &Process{folder: t.TempDir()}
	p.live.fd = openPath(t, p.folder)
	must(t, os.Symlink(root, filepath.Join(p.folder, "root")))
	live := func(name string) string { return filepath.Join(p.folder, name) }
	if got := p.dumpsAtHome("jit-5.dump"); got != nil {
		t.Errorf("without an environment: %v", got)
	}
	writeFile(t, live("environ"), "A=b\x00HOME=/home/me\x00")
	if got := p.dumpsAtHome("jit-5.dump"); got != nil {
		t.Errorf("without a folder: %v", got)
	}
	jit := filepath.Join(root, "home/me/.debug/jit")
	must(t, os.MkdirAll(filepath.Join(jit, "java-jit-1"), 0o755))
	must(t, os.MkdirAll(filepath.Join(jit, "llvm-2"), 0o755))
	got := p.dumpsAtHome("jit-5.dump")
	slices.Sort(got)
	if want := []string{"/home/me/.debug/jit/java-jit-1/jit-5.dump", "/home/me/.debug/jit/llvm-2/jit-5.dump"}; !slices.Equal(got, want) {
		if slices.Equal(got, nil) {
			needs.Skip(t, "openat2", "or the folder for temporary files is not local")
		}
		t.Errorf("%v", got)
	}
	writeFile(t, filepath.Join(jit, "llvm-2/jit-5.dump"), "x")
	writeFile(t, live("status"), "NSpid:\t900\t5\nUid:\t0\t"+fmt.Sprint(os.Getuid())+"\t0\t0\n")
	if f, path, err := p.OpenJITDump(nil); err != nil || path != "/home/me/.debug/jit/llvm-2/jit-5.dump" {
		t.Errorf("%q, %v", path, err)
	} else {
		f.Close()
	}
}

func TestHomeOf(t *testing.T) {
	for environ, want := range map[string]string{
		"": "", "HOME=/a\x00": "/a", "XHOME=/a\x00": "", "HOME=/a\x00JITDUMPDIR=/b\x00": "/b",
		"JITDUMPDIR=/b\x00HOME=/a": "/b", "JITDUMPDIR=\x00HOME=/a\x00": "/a",
	} {
		if got := homeOf([]byte(environ)); got != want {
			t.Errorf("%q: %q", environ, got)
		}
	}
}
