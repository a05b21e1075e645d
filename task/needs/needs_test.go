package needs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stacksnap/task"
)

// fake notes what becomes of a test.
type fake struct {
	testing.TB
	dir     string
	skipped string
	failed  string
}

func (f *fake) Helper()         {}
func (f *fake) TempDir() string { return f.dir }

func (f *fake) Skip(args ...any) {
	f.skipped = fmt.Sprint(args...)
	runtime.Goexit()
}

func (f *fake) Skipf(format string, args ...any) { f.Skip(fmt.Sprintf(format, args...)) }

func (f *fake) Fatal(args ...any) {
	f.failed = fmt.Sprint(args...)
	runtime.Goexit()
}

func (f *fake) Fatalf(format string, args ...any) { f.Fatal(fmt.Sprintf(format, args...)) }

// try runs what may end a test.
func try(t *testing.T, test func(testing.TB)) *fake {
	f := &fake{dir: t.TempDir()}
	done := make(chan bool)
	go func() {
		defer close(done)
		test(f)
	}()
	<-done
	return f
}

func TestFeature(t *testing.T) {
	wrapped := &fs.PathError{Op: "open", Path: "/proc/x", Err: fs.ErrPermission}
	for _, c := range []struct {
		err             error
		skipped, failed string
	}{
		{nil, "", ""},
		{wrapped, "needs stacks: " + wrapped.Error(), ""},
		{fs.ErrNotExist, "needs stacks: file does not exist", ""},
		{errors.New("a bug"), "", "stacks: a bug"},
	} {
		f := try(t, func(t testing.TB) { Feature(t, "stacks", c.err, fs.ErrNotExist, fs.ErrPermission) })
		if f.skipped != c.skipped || f.failed != c.failed {
			t.Errorf("%v: skipped %q, failed %q", c.err, f.skipped, f.failed)
		}
	}
}

func TestPtrace(t *testing.T) {
	refused := &task.PermissionError{PID: 5, Asked: "ptrace: no", Remedy: "be root"}
	for _, c := range []struct {
		err             error
		skipped, failed string
	}{
		{nil, "", ""},
		{fmt.Errorf("snapshot: %w", refused), "needs ptrace: snapshot: " + refused.Error(), ""},
		{errors.New("operation not permitted"), "", "operation not permitted"},
	} {
		f := try(t, func(t testing.TB) { Ptrace(t, c.err) })
		if f.skipped != c.skipped || f.failed != c.failed {
			t.Errorf("%v: skipped %q, failed %q", c.err, f.skipped, f.failed)
		}
	}
}

// program makes a shell script, the only program in the path, and skips where there is
// no shell.
func program(t *testing.T, name, script string) (path string) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		Feature(t, "sh", err, fs.ErrNotExist)
	}
	dir := t.TempDir()
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return path
}

func TestTool(t *testing.T) {
	path := program(t, "thing", "")
	if f := try(t, func(t testing.TB) { Tools(t, "thing") }); f.skipped+f.failed != "" {
		t.Error(f.skipped, f.failed)
	}
	if got := Tool(t, "thing"); got != path {
		t.Error(got)
	}
	f := try(t, func(t testing.TB) { Tools(t, "thing", "nothing", "other") })
	if f.skipped != "needs nothing: not installed" {
		t.Error(f.skipped, f.failed)
	}
	f = try(t, func(t testing.TB) { Tool(t, path+"d") })
	if f.skipped != "needs "+path+"d: not installed" {
		t.Error(f.skipped, f.failed)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if f = try(t, func(t testing.TB) { Tool(t, path) }); f.failed == "" { // it is there, and cannot be run
		t.Error(f.skipped, f.failed)
	}
}

func TestVersion(t *testing.T) {
	for _, c := range []struct {
		said    string
		least   int
		skipped string
	}{
		{"Debian LLVM version 14.0.6", 14, ""},
		{"Debian LLVM version 14.0.6", 15, "needs llvm-thing 15: this is 14.0.6"},
		{"Debian LLVM version 14.0.6", 1, ""},
		{"LLVM (http://llvm.org/):\n  LLVM version 22.1.0", 22, ""},
		{"no number", 2, `needs llvm-thing 2: this is "no number"`},
	} {
		path := program(t, "llvm-thing", "echo '"+c.said+"'")
		got := ""
		f := try(t, func(t testing.TB) { got = LLVM(t, "llvm-thing", c.least) })
		if f.skipped != c.skipped || f.failed != "" || (got == path) != (c.skipped == "") {
			t.Errorf("%q, %d: %q, skipped %q, failed %q", c.said, c.least, got, f.skipped, f.failed)
		}
	}
	program(t, "llvm-thing", "exit 1")
	if f := try(t, func(t testing.TB) { Version(t, "llvm-thing", 3) }); f.failed == "" {
		t.Error(f.skipped)
	}
	if f := try(t, func(t testing.TB) { LLVM(t, "llvm-other", 3) }); f.skipped != "needs llvm-other 3: not installed" {
		t.Error(f.skipped, f.failed)
	}
	path := program(t, "llvm-thing-17", "exit 1")
	if f := try(t, func(t testing.TB) { LLVM(t, "llvm-thing", 18) }); f.skipped != "needs llvm-thing 18: not installed" {
		t.Error(f.skipped, f.failed)
	}
	if got := LLVM(t, "llvm-thing", 17); got != path {
		t.Error(got)
	}
}

func TestCompiler(t *testing.T) {
	program(t, "thing", `case "$*" in *-m32*) echo no libraries; echo more; exit 1;; esac`)
	for flag, want := range map[string]string{"-m32": "needs thing -m32: no libraries", "-O2": ""} {
		if f := try(t, func(t testing.TB) { Compiler(t, "thing", flag) }); f.skipped != want || f.failed != "" {
			t.Errorf("%s: %q, %q", flag, f.skipped, f.failed)
		}
	}
}

func TestVariable(t *testing.T) {
	t.Setenv("STACKSNAP_TEST_THING", "")
	f := try(t, func(t testing.TB) { Variable(t, "STACKSNAP_TEST_THING", "a folder") })
	if f.skipped != "needs $STACKSNAP_TEST_THING: a folder" {
		t.Error(f.skipped)
	}
	t.Setenv("STACKSNAP_TEST_THING", "x")
	if got := Variable(t, "STACKSNAP_TEST_THING", ""); got != "x" {
		t.Error(got)
	}
}

func TestSystem(t *testing.T) {
	f := try(t, func(t testing.TB) { OS(t, "plan9", runtime.GOOS) })
	other := try(t, func(t testing.TB) { OS(t, "solaris") })
	if f.skipped != "" || other.skipped != "needs solaris: this is "+runtime.GOOS {
		t.Error(f.skipped, other.skipped)
	}
	root, user := try(t, func(t testing.TB) { Root(t) }), try(t, func(t testing.TB) { OrdinaryUser(t) })
	if (os.Geteuid() == 0) != (root.skipped == "") || (os.Geteuid() <= 0) == (user.skipped == "") {
		t.Error(root.skipped, user.skipped)
	}
}

// TestOnlyTests: the program has nothing of it.
func TestOnlyTests(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "stacksnap").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(list)) {
		if name == "stacksnap/task/needs" || name == "testing" {
			t.Error("the program imports", name)
		}
	}
}
