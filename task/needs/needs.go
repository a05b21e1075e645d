// Package needs skips tests that need one named thing which is missing, and for no other reason:
// an error with another cause fails the test. Only tests import it.
//
// A skip reads "needs NAME: why" or "needs NAME". A NAME has no colon followed by a space.
// scripts/skips compares the names with those that a lane of CI expects.
package needs

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"stacksnap/task"
)

// Skip skips a test because of what is missing. It is for conditions that the functions below do
// not cover; for an error, use [Feature].
func Skip(t testing.TB, name, why string) {
	t.Helper()
	if why == "" {
		t.Skip("needs " + name)
	}
	t.Skipf("needs %s: %s", name, why)
}

// Feature skips a test if err is one of lacks, which say that the system lacks a thing or does
// not permit it. Any other error fails the test; without an error it does nothing.
func Feature(t testing.TB, name string, err error, lacks ...error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, lack := range lacks {
		if errors.Is(err, lack) {
			Skip(t, name, err.Error())
		}
	}
	t.Fatalf("%s: %v", name, err)
}

// Ptrace skips a test if err says that this user may not trace another process.
func Ptrace(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if errors.As(err, new(*task.PermissionError)) {
		Skip(t, "ptrace", err.Error())
	}
	t.Fatal(err)
}

// PerfEvents skips a test if the kernel has no events with which it copies running threads, or
// does not permit them (perf_event_open(2)).
func PerfEvents(t testing.TB, err error) {
	t.Helper()
	Feature(t, "perf events", err, fs.ErrPermission, syscall.ENOENT, syscall.ENODEV, syscall.ENOSYS, syscall.EOPNOTSUPP)
}

// Root skips a test that needs root, for other users.
func Root(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		Skip(t, "root", "")
	}
}

// OrdinaryUser skips a test of a refusal that does not apply to root, if the user is root.
func OrdinaryUser(t testing.TB) {
	t.Helper()
	if os.Geteuid() <= 0 {
		Skip(t, "an ordinary user", "")
	}
}

// OS skips a test on operating systems other than these.
func OS(t testing.TB, names ...string) {
	t.Helper()
	if !slices.Contains(names, runtime.GOOS) {
		Skip(t, names[0], "this is "+runtime.GOOS)
	}
}

// Symlinks skips a test if err, from creating a symbolic link, is that of a Windows where only
// administrators may do so.
func Symlinks(t testing.TB, err error) {
	t.Helper()
	if err != nil && runtime.GOOS == "windows" {
		Skip(t, "symbolic links", err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Variable returns the value of an environment variable that enables a test, and skips the test
// if it is not set. what describes the value in the message.
func Variable(t testing.TB, name, what string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		Skip(t, "$"+name, what)
	}
	return value
}

// Tool returns the path of a program, or skips the test.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) { // a name, a path
		Skip(t, name, "not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Tools skips a test if one of these programs is missing.
func Tools(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		Tool(t, name)
	}
}
