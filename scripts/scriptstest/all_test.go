//go:build linux || darwin

package scriptstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var scripts = []string{"capture.sh", "capture-on-cpu.sh", "capture-on-hang.sh", "collect.sh", "install-capture.sh"}

// shells are those under which the scripts must work, as far as they are here.
// macOS's sh is bash 3.2, Debian's dash, Alpine's busybox.
func shells() [][]string {
	var all [][]string
	for _, s := range [][]string{{"sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}, {"zsh", "--emulate", "sh"}} {
		if _, err := exec.LookPath(s[0]); err == nil {
			all = append(all, s)
		}
	}
	return all
}

func TestHelpAndUsageUnderEveryShell(t *testing.T) {
	b := newBench(t)
	for _, shell := range shells() {
		for _, name := range scripts {
			for _, c := range []struct {
				args []string
				code int
				says string
			}{
				{[]string{"--help"}, 0, "Usage: " + name},
				{[]string{"-h"}, 0, "Exit codes"},
				{[]string{"--no-such-option", "x"}, 2, "--help"},
				{nil, 2, "--help"},
			} {
				args := append(append(shell[1:len(shell):len(shell)], script(name)), c.args...)
				r := ended(t, exec.Command(shell[0], args...))
				if r.code != c.code || !strings.Contains(r.out+r.err, c.says) {
					t.Errorf("%s %s %v: exit %d\n%s%s", shell, name, c.args, r.code, r.out, r.err)
				}
				if c.code == 0 && r.err != "" || c.code != 0 && (r.out != "" || strings.Count(r.err, "\n") != 1) {
					t.Errorf("%s %s %v said\n%s---\n%s", shell, name, c.args, r.out, r.err)
				}
			}
		}
	}
	if len(b.calls()) != 0 {
		t.Errorf("stacksnap was called: %v", b.calls())
	}
}

func TestOptionsAreChecked(t *testing.T) {
	b := newBench(t)
	for _, args := range [][]string{
		{"capture.sh", "-p"},
		{"capture.sh", "-p", "1", "--keep", "many"},
		{"capture.sh", "-p", "1", "--keep=-1"},
		{"capture.sh", "-p", "1", "--keep="},
		{"capture.sh", "-p", "1", "--min-free", "99999999999999999999"},
		{"capture-on-cpu.sh", "-p", "1", "--for", "0"},
		{"capture-on-cpu.sh", "-p", "1", "--above", "08"},
		{"capture-on-hang.sh", "-p", "1", "--check=0"},
		{"collect.sh", "-o"},
		{"install-capture.sh", "install"},
		{"install-capture.sh", "install", "-p", "x", "--for", "cron"},
		{"install-capture.sh", "frobnicate", "-p", "x"},
	} {
		if r := b.run(args[0], args[1:]...); r.code != 2 || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%v: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
	if len(b.calls()) != 0 {
		t.Errorf("stacksnap was called: %v", b.calls())
	}
}

func TestStacksnapMustBeThere(t *testing.T) {
	b := newBench(t)
	for _, args := range [][]string{
		{"capture.sh", "-p", "1"}, {"capture-on-cpu.sh", "-p", "1"}, {"capture-on-hang.sh", "-p", "1"}, {"collect.sh", "1"},
	} {
		r := b.run(args[0], append(args[1:], "--stacksnap", "/no/such/program")...)
		if r.code != 1 || !strings.Contains(r.err, "stacksnap was not found") {
			t.Errorf("%v: exit %d\n%s", args, r.code, r.err)
		}
	}
}

func TestShellcheck(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	files := []string{filepath.Join("lib", "capture.sh"), filepath.Join("scriptstest", "testdata", "stacksnap")}
	files = append(files, "-x", "mac-check.sh")
	cmd := exec.Command("shellcheck", append(files, scripts...)...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestScriptsAreExecutable(t *testing.T) {
	for _, name := range append([]string{"mac-check.sh"}, scripts...) {
		if info, err := os.Stat(script(name)); err != nil || info.Mode()&0o111 != 0o111 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
