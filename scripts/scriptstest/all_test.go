//go:build linux || darwin

package scriptstest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task/needs"
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
	t.Parallel()
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
	t.Parallel()
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
		{"capture.sh", "stray", "-p", "1"},
		{"capture.sh", "-p", "1", "text:-p"},
		{"capture.sh", "-p", "1", "-p:--pid", "2"},
		{"collect.sh", "-o"},
		{"collect.sh", "1", "-"},
		{"collect.sh", "1", "--no-reports=x"},
		{"install-capture.sh", "install", "-p", "x", "--", "y"},
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

// TestHelpAndOptionsAgree: an option that the help names with a value wants one, and
// any other is read.
func TestHelpAndOptionsAgree(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	option := regexp.MustCompile(`(?m)^  (?:(-\w), )? *(--[\w-]+)( [A-Z|]+)?  `)
	for _, name := range scripts {
		args := []string{}
		if name == "install-capture.sh" {
			args = []string{"install"}
		}
		all := option.FindAllStringSubmatch(b.run(name, "--help").out, -1)
		if len(all) < 5 {
			t.Errorf("%s has options %q", name, all)
		}
		for _, o := range all {
			for _, spelling := range o[1:3] {
				if spelling == "" || o[2] == "--help" {
					continue
				}
				want := spelling + " wants a value"
				if o[3] == "" {
					want = "what is \"--unknown\"" // which comes next
				}
				spelt := append(args[:len(args):len(args)], spelling)
				if o[3] == "" {
					spelt = append(spelt, "--unknown")
				}
				if r := b.run(name, spelt...); r.code != 2 || !strings.Contains(r.err, want) {
					t.Errorf("%s %s: exit %d, %s", name, spelling, r.code, r.err)
				}
			}
		}
	}
}

// TestSpellingsOfAnOption: a value may stand beside the option or in its word.
func TestSpellingsOfAnOption(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	name := fmt.Sprint("spelt", os.Getpid())
	target := start(t, name, "idle")
	dir := t.TempDir()
	for _, args := range [][]string{
		{"-p", name, "--dir", dir, "-d", "7s", "--", "--main"},
		{"--pid=" + name, "--dir=" + dir, "--duration=7s", "--", "--main"},
		{"--duration", "1s", "--pid", "1", "-p", strconv.Itoa(target.pid), "--dir", dir, "--duration=7s", "--", "--main"},
	} {
		r := b.run("capture.sh", args...)
		calls := b.calls()
		if r.code != 0 || !strings.Contains(strings.Join(calls[len(calls)-1:], ""), "[-d][7s][--main]") {
			t.Errorf("%v: exit %d, %v\n%s", args, r.code, calls, r.err)
		}
	}
}

func TestStacksnapMustBeThere(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	needs.Tool(t, "shellcheck")
	files := []string{filepath.Join("lib", "capture.sh"), filepath.Join("scriptstest", "testdata", "stacksnap")}
	files = append(files, "-x", "mac-check.sh")
	cmd := exec.Command("shellcheck", append(files, scripts...)...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestScriptsAreExecutable(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"mac-check.sh"}, scripts...) {
		if info, err := os.Stat(script(name)); err != nil || info.Mode()&0o111 != 0o111 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
