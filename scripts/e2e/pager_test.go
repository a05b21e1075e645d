//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/scripts/terminal"
	"stacksnap/task/needs"
)

// TestPager: a report that is longer than the terminal is shown by $PAGER, and nothing
// else is.
func TestPager(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	blocksInRead(t, pid(target))
	const pager = "PAGER=sed s/^/paged:/"
	for _, c := range []struct {
		args  string
		env   []string
		paged bool
	}{
		{"", []string{pager}, true},
		{"-f json", []string{pager}, true},
		{"", []string{"PAGER=printf 'paged:%s ' $LESS; cat", "LESS="}, true},
		{"--no-pager", []string{pager}, false},
		{"-f summary", []string{pager}, false}, // it fits
		{"-o -", []string{pager}, false},
		{"", []string{pager, "TERM=dumb"}, false},
		{"", []string{"PAGER=cat"}, false},
		{"", []string{"PAGER=/there/is/none"}, false},
		{"", []string{"PAGER=", "PATH="}, false}, // no less
	} {
		shown := onTerminal(t, append([]string{"-p", pid(target)}, strings.Fields(c.args)...), c.env)
		if strings.HasPrefix(shown, "paged:") != c.paged || !strings.Contains(shown, pid(target)) {
			t.Errorf("%s with %q: paged %t:\n%.200s", c.args, c.env, !c.paged, shown)
		}
		if strings.Contains(shown, "$LESS") || strings.Contains(strings.Join(c.env, " "), "LESS=") && !strings.HasPrefix(shown, "paged:FRX ") {
			t.Errorf("%q: %.200s", c.env, shown)
		}
	}
}

// onTerminal runs stacksnap with a terminal as standard output and error, and returns what
// is shown there.
func onTerminal(t *testing.T, args, env []string) string {
	t.Helper()
	cmd := exec.Command(stacksnap, args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8"), env...)
	shown, err := terminal.Run(cmd, 100, 24)
	needs.Feature(t, "/dev/ptmx", err, fs.ErrNotExist, fs.ErrPermission)
	if err != nil {
		t.Errorf("%v: %s", err, shown)
	}
	return string(shown)
}

// TestLaunchAtATerminal: the first line says where the report goes. It is shown in the
// pager when the command has ended.
func TestLaunchAtATerminal(t *testing.T) {
	need(t, "sh")
	t.Setenv("PAGER", "sed s/^/paged:/")
	t.Setenv("TERM", "xterm")
	for _, c := range []struct {
		flags, script, first, last string
		paged                      bool
	}{
		{"", "sleep LIFE; exit 7", "stacksnap: the report is shown here when sh ends; -o FILE writes it to a file", "paged:", true},
		{"--no-pager", "sleep LIFE; exit 7", "stacksnap: the report is shown here when sh ends; ", "", false},
		{"-n 3", "read line; exit 7", "stacksnap: the report is shown here after 3 samples, or when sh ends; ", "stacksnap: sh still runs: the prompt comes back when it ends", false},
		{"-o " + filepath.Join(t.TempDir(), "it.txt"), "sleep LIFE; exit 7", "stacksnap: the report goes to ", "stacksnap: the report goes to ", false},
	} {
		var shown string
		var code int
		for _, life := range []string{"0.2", "2", "20"} {
			args := append(strings.Fields(c.flags), "--", "sh", "-c", strings.Replace(c.script, "LIFE", life, 1))
			if shown, _, code = typeAfter(t, "still runs", "\n", 80, args...); !strings.Contains(shown, "before it could be captured") {
				break
			}
		}
		lines := strings.Split(strings.TrimSpace(shown), "\r\n")
		if code != 7 || !strings.HasPrefix(lines[0], c.first) || !strings.HasPrefix(lines[len(lines)-1], c.last) || strings.Contains(shown, "paged:") != c.paged {
			t.Errorf("%s: exit code %d, paged %t:\n%s", c.flags, code, !c.paged, shown)
		}
	}
}
