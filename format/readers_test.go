//go:build readers

// The readers that other people have made of the forms, where they can be had:
// speedscope and the Firefox Profiler from npm's registry, and a validator of JSON schemas.

package format_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/folded"
	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/readers"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/speedscope"
	"stacksnap/format/words"
	"stacksnap/task/needs"
)

// readers are the profiles in forms that speedscope reads, with the weights that it
// should find.
func readable() (reports map[string][]byte, want map[string]counts.Counts) {
	reports, want = map[string][]byte{}, map[string]counts.Counts{}
	add := func(name string, write report.Writer, p *profile.Profile, c counts.Counts) {
		var b strings.Builder
		if err := write(&b, report.Of(p), words.Options{}); err != nil {
			panic(err)
		}
		reports[name], want[name] = []byte(b.String()), c
	}
	unseparated := func(n *profile.Node) string { return folded.Unseparated(words.Label(n)) }
	all := maps.Clone(fixtures.Profiles)
	for kind, name := range fixtures.HostileNames {
		all["names "+kind] = func() *profile.Profile { return fixtures.WithNames(name) }
	}
	for kind, make := range all {
		p := counts.Uncounted(make())
		if len(p.Threads) == 0 {
			continue
		}
		add(kind+".speedscope.json", speedscope.Write, p, counts.ByLabel(p))
		// It takes the outermost of the functions at an address.
		add(kind+".pb", pprof.Write, p.WithoutInlined(), counts.Own(p.WithoutInlined()))
		add(kind+".folded", folded.Write, p, counts.By(p.ByFunction(), unseparated))
	}
	for kind, p := range map[string]*profile.Profile{
		"timed": fixtures.Timed(), "timed focus": fixtures.Timed().Select(fixtures.Matching("work"), nil, fixtures.Matching("main")), "names timed": fixtures.TimedNamed(fixtures.HostileNames["tags"]),
	} {
		add(kind+".speedscope.json", speedscope.Write, p, counts.WallOf(p))
	}
	return reports, want
}

// TestSpeedscopeReads: speedscope finds the weights that the profiles have.
func TestSpeedscopeReads(t *testing.T) {
	release := readers.SpeedscopePackage(t)
	dir := t.TempDir()
	reports, want := readable()
	args := []string{filepath.Join(golden.Testdata(), "speedscope.cjs"), release}
	for name, report := range reports {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, report, 0o600); err != nil {
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
	for name, want := range want {
		selfOnly := strings.HasPrefix(name, "names ") // of which several have one name
		if diff := cmp.Diff(counts.WeighedBy(want, selfOnly), counts.WeighedBy(readers.Sum(got[name]), selfOnly)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSpeedscopeSchema: the files are what speedscope's schema says.
func TestSpeedscopeSchema(t *testing.T) {
	readers.Need(t, "python3")
	if exec.Command("python3", "-c", "import jsonschema").Run() != nil {
		needs.Skip(t, "jsonschema of python3", "")
	}
	schema := filepath.Join(readers.SpeedscopePackage(t), "file-format-schema.json")
	reports, _ := readable()
	for name, report := range reports {
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		cmd := exec.Command("python3", "-c", "import json, jsonschema, sys; jsonschema.validate(json.load(sys.stdin), json.load(open(sys.argv[1])))", schema)
		cmd.Stdin = strings.NewReader(string(report))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
