//go:build hostile && linux

package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// stacksnap is the program under test, built once.
var stacksnap string

func TestMain(m *testing.M) {
	if isStranger() {
		os.Exit(beStranger())
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	os.Unsetenv("STACKSNAP_FLAGS") // who runs the tests may have some
	dir, err := os.MkdirTemp("", "hostile")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	// Other users run it, too: go's folder for tests is its owner's alone.
	if err := os.Chmod(dir, 0o755); err != nil {
		panic(err)
	}
	stacksnap = filepath.Join(dir, "stacksnap")
	build := exec.Command("go", "build", "-o", stacksnap, "stacksnap")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 1
	}
	return m.Run()
}
