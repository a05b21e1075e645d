//go:build readers

// The readers that other people have made of the forms, where they can be had:
// speedscope and the Firefox Profiler from npm's registry, and a validator of JSON schemas.

package format

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task/needs"
)

// speedscopeVersion is what the forms were checked with.
const speedscopeVersion = "1.25"

// speedscopePackage is the folder of speedscope's release: that in
// $STACKSNAP_SPEEDSCOPE, or npm's.
func speedscopePackage(t *testing.T) string {
	t.Helper()
	need(t, "node")
	if dir := os.Getenv("STACKSNAP_SPEEDSCOPE"); dir != "" {
		return dir
	}
	return filepath.Join(packed(t, "speedscope@"+speedscopeVersion), "dist", "release")
}

// packed is the folder of a package from npm's registry.
func packed(t *testing.T, name string) string {
	t.Helper()
	need(t, "npm")
	dir := t.TempDir()
	pack := exec.Command("npm", "pack", "--silent", name)
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("npm pack: %v: %s", err, out)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("%v, %v", archives, err)
	}
	if out, err := exec.Command("tar", "-xzf", archives[0], "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "package")
}

func need(t *testing.T, program string) {
	t.Helper()
	needs.Tool(t, program)
}

// readProfile is what speedscope makes of a profile.
type readProfile struct {
	Name, Unit string
	Total      int64
	Frames     counts
}

// readers are the profiles in forms that speedscope reads, with the weights that it
// should find.
func readable() (reports map[string][]byte, want map[string]counts) {
	reports, want = map[string][]byte{}, map[string]counts{}
	add := func(name string, write Writer, p *profile.Profile, c counts) {
		var b strings.Builder
		if err := write(&b, p); err != nil {
			panic(err)
		}
		reports[name], want[name] = []byte(b.String()), c
	}
	folded := func(n *profile.Node) string { return unseparated(label(n)) }
	all := maps.Clone(profiles)
	for kind, name := range hostileNames {
		all["names "+kind] = func() *profile.Profile { return withNames(name) }
	}
	for kind, make := range all {
		p := uncounted(make())
		if len(p.Threads) == 0 {
			continue
		}
		add(kind+".speedscope.json", Speedscope, p, byLabel(p))
		// It takes the outermost of the functions at an address.
		add(kind+".pb", Pprof, p.WithoutInlined(), ownCounts(p.WithoutInlined()))
		add(kind+".folded", Folded, p, countsBy(p.ByFunction(), folded))
	}
	for kind, p := range map[string]*profile.Profile{
		"timed": timed(), "timed focus": timed().Select(matching("work"), nil, matching("main")), "names timed": timedNamed(hostileNames["tags"]),
	} {
		add(kind+".speedscope.json", Speedscope, p, wallOf(p))
	}
	return reports, want
}

// TestSpeedscopeReads: speedscope finds the weights that the profiles have.
func TestSpeedscopeReads(t *testing.T) {
	release := speedscopePackage(t)
	dir := t.TempDir()
	reports, want := readable()
	args := []string{filepath.Join(testdata(), "speedscope.cjs"), release}
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
	var got map[string][]readProfile
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range want {
		selfOnly := strings.HasPrefix(name, "names ") // of which several have one name
		if diff := cmp.Diff(weighedBy(want, selfOnly), weighedBy(found(got[name]), selfOnly)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// found are the weights in all profiles of a file, but of what stands for threads.
func found(profiles []readProfile) counts {
	c := counts{}
	for _, p := range profiles {
		for name, n := range p.Frames {
			if !strings.HasPrefix(name, "Thread ") {
				both := c[name]
				c[name] = [2]int64{both[0] + n[0], both[1] + n[1]}
			}
		}
	}
	return c
}

func weighedBy(c counts, selfOnly bool) counts {
	if !selfOnly {
		return c
	}
	self := counts{}
	for name, n := range c {
		if n[0] > 0 {
			self[name] = [2]int64{n[0]}
		}
	}
	return self
}

// TestSpeedscopeSchema: the files are what speedscope's schema says.
func TestSpeedscopeSchema(t *testing.T) {
	need(t, "python3")
	if exec.Command("python3", "-c", "import jsonschema").Run() != nil {
		needs.Skip(t, "jsonschema of python3", "")
	}
	schema := filepath.Join(speedscopePackage(t), "file-format-schema.json")
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
