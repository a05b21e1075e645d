//go:build linux

package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
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

// onTerminal runs stacksnap with a terminal as standard output, and returns what stood
// there.
func onTerminal(t *testing.T, args, env []string) string {
	t.Helper()
	ours, theirs := terminal(t, 100)
	defer ours.Close()
	cmd := exec.Command(stacksnap, args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8"), env...)
	var told bytes.Buffer
	cmd.Stdout, cmd.Stderr = theirs, &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	shown, _ := io.ReadAll(ours) // ends by an error, when nobody has the terminal open
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, told.String())
	}
	return string(shown)
}
