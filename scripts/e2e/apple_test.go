//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// sameDocuments reports whether both are the same lines of JSON and documents, whatever
// the order of their members.
func sameDocuments(a, b string) bool {
	return strings.HasPrefix(a, "{") && reflect.DeepEqual(documents(a), documents(b))
}

// documents are the JSON values of a text, up to the first that is none.
func documents(text string) (all []any) {
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		if err := dec.Decode(&v); err != nil {
			return append(all, err)
		}
		all = append(all, v)
	}
}

// TestReportsOfApplesForm: the stacks of a recording are the same in a report of
// sample(1) or of spindump that was written of it and opened again, and of one snapshot
// in an .ips or a .crash file; the report is written again as it was.
func TestReportsOfApplesForm(t *testing.T) {
	cmd := start(t, compile(t, "names", "-O1"))
	blocksInRead(t, pid(cmd))
	dir := t.TempDir()
	many, one := filepath.Join(dir, "many.snap"), filepath.Join(dir, "one.snap")
	for file, args := range map[string][]string{many: {"-d", "300ms"}, one: nil} {
		if r := snap(t, append(args, "-p", pid(cmd), "--save", file)...); r.code != exitOK {
			t.Fatal(r.err)
		}
	}
	for _, c := range []struct{ file, form string }{{many, "sample"}, {one, "sample"}, {many, "spindump"}, {one, "spindump"}, {many, "spindump-timeline"}, {one, "spindump-timeline"}, {one, "ips"}} {
		report := filepath.Join(dir, "report."+c.form)
		text := snap(t, c.file, "-f", c.form).out
		if err := os.WriteFile(report, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want, got := snap(t, c.file, "-f", "folded", "--no-inlines"), snap(t, report, "-f", "folded", "--no-inlines")
		if got.out != want.out || got.err != "" || strings.Count(got.out, "\n") == 0 {
			t.Errorf("%s of %s: %s\n%s\nwant\n%s", c.form, filepath.Base(c.file), got.err, got.out, want.out)
		}
		if again := snap(t, report, "-f", c.form).out; again != text && !sameDocuments(again, text) {
			t.Errorf("%s was written again as\n%s\nand was\n%s", c.form, again, text)
		}
		if tree := snap(t, report, "--thread", pid(cmd)); tree.code != exitOK || !strings.Contains(tree.out, "Thread "+pid(cmd)+" (main)") {
			t.Errorf("%s: %s%s", c.form, tree.out, tree.err)
		}
	}
	crash := filepath.Join(dir, "it.crash")
	if r := snap(t, one, "-o", crash); r.code != exitOK {
		t.Fatal(r.err)
	}
	stacks := func(folded string) string { return regexp.MustCompile(`(?m)^[^;]*;`).ReplaceAllString(folded, "") }
	want, got := snap(t, one, "-f", "folded", "--no-inlines"), snap(t, crash, "-f", "folded", "--no-inlines")
	if stacks(got.out) != stacks(want.out) { // its threads have numbers
		t.Errorf("crash: %s\n%s\nwant\n%s", got.err, got.out, want.out)
	}
	if r := snap(t, many, "-f", "ips"); r.code == exitOK || !strings.Contains(r.err, "of one snapshot") {
		t.Errorf("%d: %s", r.code, r.err)
	}
	report := filepath.Join(dir, "report.sample")
	for _, args := range [][]string{{"--running"}, {"--blocked"}, {"--save", filepath.Join(dir, "x")}} {
		if r := snap(t, append(args, report)...); r.code != exitUsage || !strings.Contains(r.err, "is a report") {
			t.Errorf("%q: %d, %s", args, r.code, r.err)
		}
	}
}
