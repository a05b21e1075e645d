//go:build linux

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// counts are what a call does, as strace sees it.
type counts struct {
	opened int // files and directories
	read   int // bytes at places in them, as of a program's tables; /proc is longer or shorter elsewhere
	ptrace int
	copied int // calls that read the target's memory
	frames int // that are printed
}

// TestCounts bounds what calls do to a program of fixed size that is linked statically, so that neither
// the C library nor debug files count, in a format that says nothing of other processes. What is left to
// differ between machines is how large the linked tables are. A change that needs more has to say what for.
func TestCounts(t *testing.T) {
	deep := compile(t, "deep", "-O2", "-static")
	for _, c := range []struct {
		name    string
		threads int // 0: there is no target
		args    []string
		most    counts
	}{
		{name: "version", args: []string{"--version"}, most: counts{opened: 10, read: 2500}},
		{name: "stacks", threads: 8, args: []string{"-f", "folded"}, most: counts{opened: 78, read: 230000, ptrace: 36, copied: 14, frames: 480}},
		{name: "many stacks", threads: 64, args: []string{"-f", "folded"}, most: counts{opened: 255, read: 230000, ptrace: 260, copied: 76, frames: 3800}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := c.args
			if c.threads > 0 {
				pid := start(t, deep, strconv.Itoa(c.threads), "nanosleep").Process.Pid
				args = append([]string{"-p", strconv.Itoa(pid)}, args...)
			}
			got := countCalls(t, args)
			t.Logf("%+v", got)
			if got.opened > c.most.opened || got.read > c.most.read || got.ptrace > c.most.ptrace ||
				got.copied > c.most.copied || got.frames > c.most.frames {
				t.Errorf("%+v, want at most %+v", got, c.most)
			}
		})
	}
}

// returned is the result of a call in a line of strace.
var returned = regexp.MustCompile(`\) += (\d+)`)

// countCalls runs stacksnap under strace, which writes the calls of each thread into a file of its own.
func countCalls(t *testing.T, args []string) (c counts) {
	t.Helper()
	dir := t.TempDir()
	traced := []string{"-ff", "-qq", "-s", "0", "-e", "trace=openat,openat2,pread64,ptrace,process_vm_readv", "-o", filepath.Join(dir, "calls"), stacksnap}
	out, err := exec.Command(needs.Tool(t, "strace"), append(traced, args...)...).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		c.frames += strings.Count(line, ";")
	}
	files, err := filepath.Glob(filepath.Join(dir, "calls.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c.add(text)
	}
	return c
}

func (c *counts) add(calls []byte) {
	for line := range bytes.Lines(calls) {
		name, _, _ := bytes.Cut(line, []byte("("))
		switch string(name) {
		case "openat", "openat2":
			c.opened++
		case "ptrace":
			c.ptrace++
		case "process_vm_readv":
			c.copied++
		case "pread64":
			if m := returned.FindSubmatch(line); m != nil {
				n, _ := strconv.Atoi(string(m[1])) // digits
				c.read += n
			}
		}
	}
}

// TestStart bounds what is made before main: of our own packages tables are made when they are first
// read.
func TestStart(t *testing.T) {
	cmd := exec.Command(stacksnap, "--version")
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var all, own int
	form := regexp.MustCompile(`^init (\S+) .* clock, (\d+) bytes, \d+ allocs`)
	for line := range strings.Lines(trace.String()) {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2]) // digits
		if all += n; strings.HasPrefix(m[1], "stacksnap/") {
			own += n
		}
	}
	t.Logf("%d bytes, %d of them by own packages", all, own)
	if all == 0 || all > 250_000 || own > 30_000 {
		t.Errorf("%d bytes are made before main, %d of them by own packages", all, own)
	}
}
