// Package readers runs, for tests, other programs that read reports.
package readers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/format/internal/counts"
	"stacksnap/task/needs"
)

// speedscopeVersion is the version that the format was checked with.
const speedscopeVersion = "1.25"

// SpeedscopePackage returns the directory of speedscope's release: $STACKSNAP_SPEEDSCOPE,
// or one downloaded from npm.
func SpeedscopePackage(t *testing.T) string {
	t.Helper()
	Need(t, "node")
	if dir := os.Getenv("STACKSNAP_SPEEDSCOPE"); dir != "" {
		return dir
	}
	return filepath.Join(Packed(t, "speedscope@"+speedscopeVersion), "dist", "release")
}

// Packed downloads a package from npm's registry and returns its directory.
func Packed(t *testing.T, name string) string {
	t.Helper()
	Need(t, "npm")
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

func Need(t *testing.T, program string) {
	t.Helper()
	needs.Tool(t, program)
}

// ReadProfile is a profile as speedscope read it.
type ReadProfile struct {
	Name, Unit string
	Total      int64
	Frames     counts.Counts
}

// Sum returns the weights of all profiles in a file together, without the frames that
// name threads.
func Sum(profiles []ReadProfile) counts.Counts {
	c := counts.Counts{}
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
