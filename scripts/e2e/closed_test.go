//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStandardOutputThatIsClosed is told, and not taken for a report that was
// printed. A file is written all the same, and > /dev/null is a wish.
func TestStandardOutputThatIsClosed(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	dir := t.TempDir()
	for _, c := range []struct {
		script string
		code   int
	}{
		{`"$0" -p "$1" >&-`, 1}, {`"$0" -p "$1" -o "$2/report" >&-`, 0}, {`"$0" -p "$1" --save "$2/it" >&-`, 0},
		{`"$0" -p "$1" > /dev/null`, 0}, {`"$0" -p "$1" --every 10ms -n 1 >&-`, 1}, {`"$0" -o - -- true >&-`, 1},
	} {
		cmd := exec.Command("sh", "-c", c.script, stacksnap, pid(target), dir)
		var out strings.Builder
		cmd.Stderr = &out
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != c.code || (code == 1) != strings.Contains(out.String(), "standard output is closed") {
			t.Errorf("%s: exit code %d: %s", c.script, code, out.String())
		}
	}
	for _, file := range []string{"report", "it"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
