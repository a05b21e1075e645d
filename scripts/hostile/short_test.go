//go:build hostile && linux

package hostile

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// shortCommand is a command that ends soon. Of those with a script a shell runs that.
type shortCommand struct {
	script string
	args   []string
	code   int
}

// shortCommands are twenty: that end at once or within a few hundred milliseconds, by
// themselves or by a signal, become another program, start others, wait for them or do not.
func shortCommands(dir string) []shortCommand {
	return []shortCommand{
		{args: []string{"true"}}, {args: []string{"env"}}, {args: []string{"id"}}, {args: []string{"date"}},
		{args: []string{"ls", "/usr/bin"}}, {args: []string{"cat", "/etc/passwd"}}, {args: []string{"seq", "100000"}},
		{args: []string{"sleep", "0.05"}}, {args: []string{"find", "/usr/bin", "-maxdepth", "1"}},
		{args: []string{"sort", filepath.Join(dir, "lines")}}, {args: []string{"gzip", "-c", filepath.Join(dir, "lines")}},
		{args: []string{"tar", "-cf", "-", "-C", dir, "lines"}},
		{args: []string{"awk", "BEGIN { for (i = 0; i < 300000; i++) sum += i; print sum }"}},
		{args: []string{"dd", "if=/dev/zero", "of=/dev/null", "bs=64k", "count=2000", "status=none"}},
		{args: []string{stacksnap, "--version"}}, // of Go
		{script: "sleep 0.2; sleep 0.1; true"}, {script: "exit 3", code: 3}, {script: "true & true"},
		{script: "exec sleep 0.1"}, {script: "kill -9 $$", code: 128 + 9},
	}
}

// defaultRuns are those of each command where STACKSNAP_RUNS does not say it.
const defaultRuns = 4

// TestNoFalseWarning: on a machine that is kept busy, stacksnap says nothing of a short
// command that is not so.
func TestNoFalseWarning(t *testing.T) {
	needTools(t, "sh", "awk", "gzip", "tar", "find")
	runs := defaultRuns
	if asked, err := strconv.Atoi(os.Getenv("STACKSNAP_RUNS")); err == nil {
		runs = asked
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lines"), []byte(strings.Repeat("b\na\n", 1<<12)), 0o600); err != nil {
		t.Fatal(err)
	}
	keepBusy(t)
	reports := 0
	for _, c := range shortCommands(dir) {
		for i := range runs {
			flags := [][]string{nil, {"--children"}}[i%2]
			if c.isToldTrue(t, filepath.Join(dir, "report"), flags) {
				reports++
			}
		}
	}
	t.Logf("%d of %d runs had a report", reports, runs*len(shortCommands(dir)))
	if reports == 0 {
		t.Error("no command was looked at")
	}
}

// keepBusy has as many loops run as there are processors, until the test ends.
func keepBusy(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		loop := exec.Command("sh", "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = loop.Process.Kill(); _ = loop.Wait() })
	}
}

// isToldTrue runs the command once and judges what is said of it. It reports whether
// there was a report.
func (c shortCommand) isToldTrue(t *testing.T, report string, flags []string) bool {
	t.Helper()
	args := c.args
	if c.script != "" {
		args = []string{"sh", "-c", c.script}
	}
	args = append(append(flags[:len(flags):len(flags)], "-o", report, "--"), args...)
	r := snap(t, 6*limit, args...)
	r.check(t)
	if r.code != c.code {
		t.Errorf("%q: exit code %d, want %d", args, r.code, c.code)
	}
	b, err := os.ReadFile(report)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if (r.err != "" || err != nil) && (r.err != neverLookedAt || err == nil) {
		t.Errorf("%q: says %q; a report: %v", args, r.err, err == nil)
	}
	for line := range strings.Lines(string(b)) {
		if why := untrue(strings.TrimSuffix(line, "\n")); why != "" {
			t.Errorf("%q: %s: %s", args, why, line)
		}
	}
	_ = os.Remove(report)
	return err == nil
}

// neverLookedAt is all that is said where there is no report.
const neverLookedAt = "stacksnap: the program ended before it could be captured\n"

// trueNotes are the remarks that hold of short commands: all of them load code as they
// begin, and what they start may end between two looks. A page that is read from the disk
// may come while the stack of the thread that waits for it is copied.
var trueNotes = regexp.MustCompile(`^Warning: +\d+ stacks? read without a stop: .*$|^Note: +(for which other process a thread waits was asked at the end alone|samples left out, because the code they were in was being loaded or unloaded: \d+|` +
	`processes that it started and that ended before they could be captured: \d+|` +
	`processes that it started: looked for every \d+ms, so those that ended sooner may be missing; recorded: \d+)$`)

var (
	remark = regexp.MustCompile(`^(Warning|Note): `)
	// falseWords are of programs that are stopped, cannot be read or have been replaced.
	// None is so here.
	falseWords = regexp.MustCompile(`stopped, by|nothing runs|unreadable|could not be|not permitted|denied|deleted|changed|replaced|deadlock`)
	nameless   = regexp.MustCompile(` (/\S+) \[no symbols\]$`)
)

// untrue says why a line of a report cannot be so; it is empty of one that can.
func untrue(line string) string {
	switch path := nameless.FindStringSubmatch(line); {
	case remark.MatchString(line) && !trueNotes.MatchString(line):
		return "an untrue remark"
	case falseWords.MatchString(line):
		return "nothing of the sort happened"
	case path != nil && hasFunctions(path[1]):
		return "it has symbols"
	}
	return ""
}

// hasFunctions reports whether a file defines functions that a symbol table names.
func hasFunctions(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return true // whoever says so has read it
	}
	defer f.Close()
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range append(symbols, dynamic...) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Size > 0 {
			return true
		}
	}
	return false
}

// TestUntrue: what the judge above would not let pass.
func TestUntrue(t *testing.T) {
	for line, want := range map[string]bool{
		"Warning:         the target was stopped, by a signal or a debugger, in 3 of 10 snapshots":                              true,
		"stopped, by a signal or a debugger: nothing runs until it goes on":                                                     true,
		"Note:            no stack of 4: operation not permitted":                                                               true,
		"Note:            samples left out, because the code they were in was being loaded or unloaded: 2":                      false,
		"Stopped:         for 80 µs (0.02 % of the time) in 4 stops, the longest 34 µs":                                         false,
		"    0x55a3cfe1a000 -     0x55a3cfe30bb8  stacksnap (x86_64) <be6397ddffc3e384c505d7de> " + stacksnap + " [no symbols]": true,
		"      16  94.1 %  wait4 + 19 (libc.so.6) [0x7f31f7c57bd3]  wait4.c:30  0.340 s waiting for a CPU, 0.022 s blocked":     false,
	} {
		if why := untrue(line); (why != "") != want {
			t.Errorf("%q: %q", line, why)
		}
	}
}
