//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// lookedAt runs stacksnap with a command that lives for so many seconds: longer each
// time, as a busy machine needs, until it is looked at before it ends. One that does
// not depend on the time may never be.
func lookedAt(t *testing.T, args func(life string) []string) (r result) {
	t.Helper()
	for _, life := range []string{"0.2", "2", "20"} {
		all := args(life)
		r = snap(t, all...)
		if !strings.Contains(r.err, "before it could be captured") || !strings.Contains(strings.Join(all, " "), "sleep "+life) {
			return r
		}
	}
	return r
}

// TestStatusOfTheCommand wants the status of a launched command whatever happens
// to the report, and a code of our own only where that is 0.
func TestStatusOfTheCommand(t *testing.T) {
	need(t, "sh")
	for _, c := range []struct {
		script string
		want   int
		says   string
	}{
		{"exit 7", 7, ""},
		{"sleep LIFE; exit 7", 7, ""},
		{"kill -9 $$", 128 + 9, ""},
		{"sleep LIFE; exit 3", 3, ""},
		{`rm -r "$REPORTS"; sleep LIFE; exit 7`, 7, "stacksnap: "},
		{`rm -r "$REPORTS"; sleep LIFE; exit 0`, 1, "stacksnap: "},
		{`rm -r "$REPORTS"; sleep LIFE; kill -15 $$`, 128 + 15, "stacksnap: "},
	} {
		for _, flags := range [][]string{{}, {"--children"}} {
			var args []string
			r := lookedAt(t, func(life string) []string {
				reports := filepath.Join(t.TempDir(), "reports")
				if err := os.Mkdir(reports, 0o700); err != nil {
					t.Fatal(err)
				}
				t.Setenv("REPORTS", reports)
				args = append(flags, "-o", filepath.Join(reports, "report"), "--", "sh", "-c", strings.Replace(c.script, "LIFE", life, 1))
				return args
			})
			if r.code != c.want || c.says != "" && !strings.Contains(r.err, c.says) {
				t.Errorf("%q: status %d, want %d; said %q", args, r.code, c.want, r.err)
			}
			if c.says == "" && strings.Contains(r.err, "permitted") {
				t.Errorf("%q: %s", args, r.err)
			}
		}
	}
}

// TestNoStatusOfAnOrdinaryUserIsLost: commands that end at once, become another, or
// start others, each with a status of its own. $STACKSNAP_RUNS is how many.
func TestNoStatusOfAnOrdinaryUserIsLost(t *testing.T) {
	need(t, "sh")
	program := forEveryone(t, stacksnap)
	runs := rounds(100)
	if asked, err := strconv.Atoi(os.Getenv("STACKSNAP_RUNS")); err == nil {
		runs = asked
	}
	for i := range runs {
		want := 1 + i%255
		flags := [][]string{{}, {"-n", "1"}, {"-d", "2ms"}, {"--children"}}[i%4]
		script := [...]string{"exit %d", "exec sh -c 'exit %d'", "(true & true); exit %d"}[i%3]
		args := append(flags, "-o", "/dev/null", "--", "sh", "-c", fmt.Sprintf(script, want))
		cmd := exec.Command(program, args...)
		cmd.Dir = "/"
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		said, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want || strings.Contains(string(said), "permitted") {
			t.Errorf("run %d, %q: status %d, want %d; said %s", i, args, got, want, said)
		}
	}
}

// forEveryone copies a program to where every user may run it.
func forEveryone(t *testing.T, program string) string {
	t.Helper()
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(publicDir(t), "stacksnap")
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFlagsAreReadBeforeTheCommandIsStarted: what is wrong with them is told
// while nothing has been done yet.
func TestFlagsAreReadBeforeTheCommandIsStarted(t *testing.T) {
	need(t, "sh")
	file := filepath.Join(t.TempDir(), "started")
	r := snap(t, "--binaries", filepath.Join(t.TempDir(), "none"), "--", "sh", "-c", `touch "$0"`, file)
	if _, err := os.Stat(file); r.code == 0 || err == nil {
		t.Errorf("status %d, %q; the command was started: %v", r.code, r.err, err == nil)
	}
}
