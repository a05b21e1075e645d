package text

import (
	"bytes"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// TestWithoutNames tells at the end of a report of which images functions have no name,
// the most first and a few alone; nothing of those that all have, and nothing that would
// help where nothing does.
func TestWithoutNames(t *testing.T) {
	image := func(path, of string) *profile.Image {
		return &profile.Image{Path: path, ID: fixtures.ID(of), End: 1 << 40}
	}
	a, b := image("/opt/a", "0123456789abcdef01"), image("/opt/b", "fedc")
	c, d, named := image("/opt/c", ""), image("/opt/d", "dd"), image("/usr/lib/libc.dylib", "cc")
	jit := &profile.Image{Path: "/tmp/perf-1.map", Generated: true}
	all := fixtures.Stack(fixtures.At(named, "main", 1, 0x10), fixtures.At(c, "", 1, 0x1010), fixtures.At(d, "", 1, 0x2010), fixtures.At(b, "", 1, 0x3010),
		fixtures.At(b, "", 2, 0x4010), fixtures.At(b, "", 3, 0x5010), fixtures.At(a, "", 1, 0x6010), fixtures.At(a, "", 1, 0x7010), fixtures.At(jit, "", 1, 0x9010))
	for _, test := range []struct {
		os    task.OS
		roots []*profile.Node
		want  string
	}{
		{task.Linux, fixtures.Stack(fixtures.At(named, "main", 1, 0x10), fixtures.At(nil, "", 0, 0x20)), ""},
		{task.Linux, fixtures.Stack(fixtures.At(c, "", 1, 0x10)), "Without names: functions in c (no build-id)"},
		{task.Linux, fixtures.Stack(fixtures.At(named, "", 1, 0x10)), "Without names: functions in libc.dylib cc; --symbols PATH or --debuginfod look for them by build-id"},
		{task.Darwin, fixtures.Stack(fixtures.At(named, "", 1, 0x10)), ""},
		{task.Darwin, fixtures.Stack(fixtures.At(named, "", 1, 0x10), fixtures.At(a, "", 1, 0x20)), "Without names: functions in a 01234567…; --symbols PATH looks for them by UUID"},
		{task.Linux, all, "Without names: functions in b fedc, a 01234567…, c (no build-id) and 1 more image; --symbols PATH or --debuginfod look for them by build-id"},
	} {
		p := &profile.Profile{Target: task.Info{OS: test.os, PID: 1}, Snapshots: 1, Images: []*profile.Image{a, b, c, d, named, jit},
			Threads: []*profile.Thread{{ID: 1, Samples: 1, Roots: test.roots}}}
		var out bytes.Buffer
		if err := Tree(&out, report.Of(p), words.Options{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		last := lines[len(lines)-1]
		if !strings.HasPrefix(last, "Without names") {
			last = ""
		}
		if last != test.want || test.want == "" && strings.Contains(out.String(), "Without names") {
			t.Errorf("%q, want %q", last, test.want)
		}
	}
}
