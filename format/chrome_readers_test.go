//go:build readers

package format

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
)

// wallOf are the microseconds for which functions were on the stack and innermost, as
// samples stand for the time to the next snapshot.
func wallOf(p *profile.Profile) counts {
	c := counts{}
	for t := range threadsByFunction(p) {
		times := map[*profile.Node]int64{}
		for m := range p.Moments(t) {
			times[m.Node] += (m.Until - m.At).Microseconds()
		}
		c.add(noStack, map[string]bool{noStack: true}, times[nil])
		var path []string
		for depth, n := range t.Nodes() {
			path = append(path[:depth], label(n))
			on := map[string]bool{}
			for _, name := range path {
				on[name] = true
			}
			if n.Cut != nil {
				on[cutLabel(n.Cut)] = true
			}
			c.add(label(n), on, times[n])
		}
	}
	for name, n := range c {
		if n[1] == 0 {
			delete(c, name)
		}
	}
	return c
}

// TestSpeedscopeReadsChrome: speedscope, which reads the profiles in Chrome's traces, finds
// each function on the stack for as long as the profile has it.
func TestSpeedscopeReadsChrome(t *testing.T) {
	release := speedscopePackage(t)
	dir := t.TempDir()
	args := []string{"testdata/speedscope.cjs", release}
	all := map[string]*profile.Profile{"timed.json": timed(), "focus.json": timed().Select(matching("work"), nil, matching("main"))}
	for kind, name := range hostileNames {
		if kind != "cut" { // it would be taken for the mark of that name
			all["names "+kind+".json"] = timedNamed(name)
		}
	}
	for name, p := range all {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, written(t, Chrome, p), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	out, err := exec.Command("node", args...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var got map[string][]readProfile
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for name, p := range all {
		read := counts{}
		for _, one := range got[name] {
			for function, n := range one.Frames {
				if function != noSample {
					both := read[function]
					read[function] = [2]int64{both[0] + n[0], both[1] + n[1]}
				}
			}
		}
		selfOnly := strings.HasPrefix(name, "names ") // of which several have one name
		if diff := cmp.Diff(weighedBy(wallOf(p), selfOnly), weighedBy(read, selfOnly)); diff != "" || len(got[name]) != len(p.Threads) {
			t.Errorf("%s: %d threads (-want +got):\n%s", name, len(got[name]), diff)
		}
	}
	if total := wallOf(timed())["main"]; total[1] != (600 * time.Millisecond).Microseconds() {
		t.Errorf("main was there for %d µs", total[1])
	}
}
