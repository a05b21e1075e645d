package command

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stacksnap/format/command/cli"
	"stacksnap/task"
	"stacksnap/task/live"
)

// spinReport is the least that a report of spindump has: three processes, two of one
// name.
const spinReport = `Date/Time:        2025-11-21 08:01:02.345 +0100
OS Version:       macOS 14.5 (Build 23F79)
Report Version:   35.1

Steps:            1

Process:          one [11]
Path:             /usr/libexec/first

  Thread 0x5    DispatchQueue "com.apple.main-thread"(1)    1 sample (1)
  1  main + 4 (first + 16) [0x10010]

  Binary Images:
             0x10000 -            0x1ffff  first <5B424D44-FED2-3361-8D75-41795DA0FEF6>  /usr/libexec/first


Process:          two [12]

  Thread 0x6    1 sample (1)
  1  ??? [0x20000]

  Binary Images:


Process:          two [13]

  Thread 0x7    1 sample (1)
  1  ??? [0x30000]

  Binary Images:
`

// Beside a file --pid is of what is in it, and of nothing that runs.
func TestWithin(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write2(t, filepath.Join(dir, "it.hang"), []byte(spinReport))
	write2(t, filepath.Join(dir, "other.snap"), []byte(""))
	for args, want := range map[string]string{
		"it.hang":                 "",
		"it.hang -p two":          "two",
		"-p two -p 11 it.hang":    "two 11",
		"-p one it.hang -f crash": "one",
	} {
		o, err := cli.Parse(strings.Fields(args), "", live.Runs)
		if err != nil || strings.Join(o.Within, " ") != want || o.Target != "it.hang" || o.Mode() != cli.ModeOpen {
			t.Errorf("%s: %v, %+v", args, err, o)
		}
	}
	for args, want := range map[string]string{
		"-p it.hang -p other.snap": "opened alone",
		"-p two it.hang 5":         "cannot be sampled",
		"-p two it.hang --tree":    "opened alone",
		"-p two it.hang -d 1s":     "cannot be sampled",
		"-p two missing.hang":      `unexpected argument "missing.hang"`,
	} {
		if _, err := cli.Parse(strings.Fields(args), "", live.Runs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// TestMatching: a pid, a name, a program or a path, and of these what is exact before what
// only begins so.
func TestMatching(t *testing.T) {
	all := []task.Info{{PID: 11, Name: "one", Path: "/usr/libexec/first"}, {PID: 13, Name: "oneself"}, {PID: 15}}
	for name, want := range map[string][]int{
		"11": {11}, "12": nil, "15": nil, "one": {11}, "first": {11}, "/usr/libexec/first": {11}, "libexec": nil,
		"on": {11, 13}, "ones": {13}, "fir": {11},
	} {
		var got []int
		for _, c := range matching(name, all) {
			got = append(got, c.PID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

// Reports of several processes are one group, of those that are wanted; what is of one
// process says which there are.
func TestOpenSpindump(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "it.hang")
	write2(t, filepath.Join(dir, "it.hang"), []byte(spinReport))
	processes := regexp.MustCompile(`(?m)^Process: +(.*)$`)
	for _, c := range []struct {
		args      string
		processes []string
		code      int
		err       string
	}{
		{args: "", processes: []string{"one [11]", "two [12]", "two [13]"}},
		{args: "-p two", processes: []string{"two [12]", "two [13]"}},
		{args: "-p 13 -p first", processes: []string{"one [11]", "two [13]"}},
		{args: "-p three", code: exitNoProcess, err: `no process named "three": it has one [11], two [12], two [13]`},
		{args: "-p 4", code: exitNoProcess, err: "no process with pid 4"},
		{args: "-f crash", code: exitUsage, err: "has 3 processes, and crash is of one: choose it with -p (one [11], two [12], two [13])"},
		{args: "-p 11 --running", code: exitUsage, err: "does not tell what runs"},
	} {
		out, stderr, code := ran(t, append(strings.Fields(c.args), file, "-o", "-")...)
		if code != c.code || !strings.Contains(stderr, c.err) {
			t.Errorf("%s: %d, %s", c.args, code, stderr)
		}
		var got []string
		for _, m := range processes.FindAllStringSubmatch(out, -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, c.processes) {
			t.Errorf("%s: processes %q, want %q", c.args, got, c.processes)
		}
	}
}

// A long list of processes is not told whole.
func TestProcessList(t *testing.T) {
	var all []task.Info
	for i := range 12 {
		all = append(all, task.Info{PID: i, Name: fmt.Sprint("\x1b", i)})
	}
	if got := processList(all); !strings.HasPrefix(got, `\x1b0 [0], `) || !strings.HasSuffix(got, `\x1b9 [9] and 2 more`) {
		t.Error(got)
	}
}
