package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// events are lines of go test -json; a line of output is "> text".
func events(lines ...string) string {
	var b strings.Builder
	var at []string
	for _, line := range lines {
		e := map[string]string{}
		if text, ok := strings.CutPrefix(line, "> "); ok {
			e["Action"], e["Output"] = "output", text+"\n"
		} else {
			at = strings.Fields(line)
			e["Action"] = at[0]
		}
		e["Package"] = "stacksnap/" + at[1]
		if len(at) > 2 {
			e["Test"] = at[2]
		}
		text, _ := json.Marshal(e)
		b.Write(append(text, '\n'))
	}
	return b.String()
}

var (
	passes = []string{"run task TestA", "> === RUN   TestA", "> --- PASS: TestA (0.00s)", "pass task TestA"}
	skips  = []string{
		"run task TestB/gcc", "> === RUN   TestB/gcc", ">     b_test.go:12: needs gcc: not installed", "> --- SKIP: TestB/gcc (0.00s)", "skip task TestB/gcc",
		"run task/needs TestC", ">     c_test.go:7: needs root", "> --- SKIP: TestC (0.00s)", "skip task/needs TestC",
	}
	unnamed = []string{"run task TestD", ">     d_test.go:12: gcc: exit status 1", "> --- SKIP: TestD (0.00s)", "skip task TestD"}
	fails   = []string{"run task TestE", "> === RUN   TestE", ">     e_test.go:3: wrong", "> --- FAIL: TestE (0.00s)", "fail task TestE"}
	broken  = []string{"start format", "> panic: no", "fail format"}
	late    = []string{"run format TestL", "> === RUN   TestL", "> panic: test timed out", "output format", "> FAIL\tstacksnap/format", "fail format"}
	ends    = []string{"start task", "> PASS", "> ok  \tstacksnap/task\t0.1s", "pass task"}
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, list string
		lines      [][]string
		err        string // empty: fine
		says, not  []string
	}{
		{"no skip", "", [][]string{passes, ends}, "", []string{"ok  \tstacksnap/task", "1 tests passed, 0 failed, 0 were skipped; 0 packages failed"}, []string{"===", "PASS"}},
		{"nothing", "", nil, "no test has run", nil, nil},
		{"only skips", "gcc\nroot", [][]string{skips}, "no test has run", nil, nil},
		{"all expected", "gcc: task TestB/*\nroot: task/* TestC", [][]string{passes, skips}, "", []string{"2 were skipped"}, []string{"NOT EXPECTED"}},
		{"by name alone", "# a comment\n\ngcc # why\nroot:\n", [][]string{passes, skips}, "", nil, []string{"NOT EXPECTED"}},
		{"one is missing", "gcc: *", [][]string{passes, skips}, "1 skips are not in the list", []string{"NOT EXPECTED: task/needs TestC: needs root"}, []string{"TestB"}},
		{"of another package", "gcc: *\nroot: task *", [][]string{passes, skips}, "1 skips are not in the list", nil, nil},
		{"of another test", "gcc: *\nroot: task/needs TestD", [][]string{passes, skips}, "1 skips are not in the list", nil, nil},
		{"nothing named", "gcc: *\n: *", [][]string{passes, unnamed}, "1 skips are not in the list", []string{"TestD: gcc: exit status 1"}, nil},
		{"a failure", "", [][]string{passes, fails}, "tests have failed", []string{"e_test.go:3: wrong", "--- FAIL: TestE"}, []string{"==="}},
		{"a test that did not end", "", [][]string{passes, late}, "tests have failed", []string{"--- NOT ENDED: TestL\npanic: test timed out"}, []string{"==="}},
		{"a package that panics", "", [][]string{passes, broken}, "tests have failed", []string{"panic: no"}, nil},
	} {
		rules, err := parseRules("list", c.list)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		o, err := read(strings.NewReader(events(slices.Concat(c.lines...)...)+"go: downloading\n"), &b)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := o.judge(rules, &b); err != nil {
			got = err.Error()
		}
		if got != c.err || !strings.Contains(b.String(), "go: downloading") {
			t.Errorf("%s: %q, want %q\n%s", c.name, got, c.err, b.String())
		}
		for _, s := range c.says {
			if !strings.Contains(b.String(), s) {
				t.Errorf("%s: %q is not said in\n%s", c.name, s, b.String())
			}
		}
		for _, s := range c.not {
			if strings.Contains(b.String(), s) {
				t.Errorf("%s: %q is said in\n%s", c.name, s, b.String())
			}
		}
	}
}

// TestLists: those of CI are read, and each of their lines says who may skip.
func TestLists(t *testing.T) {
	lists, _ := filepath.Glob("../../.ci/skips/*.txt")
	if len(lists) == 0 {
		t.Fatal("there are no lists")
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseRules(list, string(text)); err != nil {
			t.Error(err)
		}
	}
	if _, err := parseRules("x", "gcc: a b c"); err == nil {
		t.Error("a line with too much is read")
	}
}
