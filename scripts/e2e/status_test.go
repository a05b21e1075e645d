//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
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
		if !strings.Contains(r.err, "before it could be looked at") || !strings.Contains(strings.Join(all, " "), "sleep "+life) {
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
