//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestOpenJITDump: of what is mapped the one with the target's number is opened, if it
// can be believed, else one in /tmp.
func TestOpenJITDump(t *testing.T) {
	g := startThreads(t, 1, "sleep")
	p := attach(t, g.pid)
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
