//go:build readers

package format_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/chrome"
	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/readers"
	"stacksnap/format/profile"
)

// TestSpeedscopeReadsChrome: speedscope, which reads the profiles in Chrome's traces, finds
// each function on the stack for as long as the profile has it.
func TestSpeedscopeReadsChrome(t *testing.T) {
	release := readers.SpeedscopePackage(t)
	dir := t.TempDir()
	args := []string{filepath.Join(golden.Testdata(), "speedscope.cjs"), release}
	all := map[string]*profile.Profile{"timed.json": fixtures.Timed(), "focus.json": fixtures.Timed().Select(fixtures.Matching("work"), nil, fixtures.Matching("main"))}
	for kind, name := range fixtures.HostileNames {
		if kind != "cut" { // it would be taken for the mark of that name
			all["names "+kind+".json"] = fixtures.TimedNamed(name)
		}
	}
	for name, p := range all {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, golden.Written(t, chrome.Write, p), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	out, err := exec.Command("node", args...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var got map[string][]readers.ReadProfile
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for name, p := range all {
		read := counts.Counts{}
		for _, one := range got[name] {
			for function, n := range one.Frames {
				if function != "<no sample>" {
					both := read[function]
					read[function] = [2]int64{both[0] + n[0], both[1] + n[1]}
				}
			}
		}
		selfOnly := strings.HasPrefix(name, "names ") // of which several have one name
		if diff := cmp.Diff(counts.WeighedBy(inMicros(counts.WallOf(p)), selfOnly), counts.WeighedBy(read, selfOnly)); diff != "" || len(got[name]) != len(p.Threads) {
			t.Errorf("%s: %d threads (-want +got):\n%s", name, len(got[name]), diff)
		}
	}
}

// inMicros are the times that Chrome's form has.
func inMicros(c counts.Counts) counts.Counts {
	for name, n := range c {
		c[name] = [2]int64{n[0] / 1000, n[1] / 1000}
	}
	return c
}
