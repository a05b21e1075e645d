//go:build linux && !machstandin

package mach

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestHandoverToC runs the tests of what this package hands to C on macOS, with
// cgo's checks and a stand-in for the C functions (handover_cgo_test.go).
func TestHandoverToC(t *testing.T) { handOverToC(t) }

// handOverToC runs them with more settings.
func handOverToC(t *testing.T, settings ...string) {
	t.Helper()
	cc, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	if words := strings.Fields(string(cc)); len(words) == 0 || !isProgram(words[0]) {
		needs.Skip(t, "a C compiler", fmt.Sprintf("%s is not installed", bytes.TrimSpace(cc)))
	}
	env := append([]string{"CGO_ENABLED=1", "GODEBUG=cgocheck=1"}, settings...)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-tags", "machstandin", "-run", "Hand(ed|ing)Over", ".")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Count(out, []byte("--- PASS")) != 5 {
		t.Errorf("with %s: %v\n%s", strings.Join(env, " "), err, out)
	}
}

func isProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
