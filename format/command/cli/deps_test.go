package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestKnowsNoCapture: what reads a command line brings along nothing that captures a
// process.
func TestKnowsNoCapture(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "stacksnap/format/profile") {
		t.Errorf("dependencies %q", deps)
	}
	for _, path := range deps {
		switch strings.TrimPrefix(path, "stacksnap/") {
		case "task/ptrace", "task/live", "task/mach", "format/profile/capture", "format/profile/hang":
			t.Errorf("it brings %s", path)
		}
	}
}
