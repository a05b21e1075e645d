//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAsyncio: the first line of a report names what the tasks of asyncio wait for, and the report
// has them below the task that gathers them. A recording gives the same report.
func TestAsyncio(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			pid, _ := startLine(t, python, "testdata/aio.py", "lock")
			file := filepath.Join(t.TempDir(), "it.snap")
			r := snap(t, "-p", pid, "-o", "-", "--save", file)
			if again := snap(t, file, "-o", "-"); again.out != r.out {
				t.Errorf("the recording gives another report:\n%s", cmp.Diff(r.out, again.out))
			}
			if first := "999 of 1,000 asyncio tasks wait for asyncio.Lock, in fetch (aio.py:9)\n"; !strings.HasPrefix(r.out, first) {
				t.Errorf("exit code %d, %s, not %s%s", r.code, r.err, first, r.out)
			}
			_, tasks, _ := strings.Cut(r.out, "  999 asyncio tasks waiting for asyncio.Lock\n")
			for _, line := range []string{"main ", "  handler ", "    fetch "} {
				var got string
				if got, tasks, _ = strings.Cut(tasks, "\n"); !strings.HasPrefix(got, "    "+line) {
					t.Errorf("%q, not %s", got, line)
				}
			}
			pid, _ = startLine(t, python, "testdata/aio.py", "circle")
			file = filepath.Join(t.TempDir(), "it.snap")
			r = snap(t, "-p", pid, "-o", "-", "--save", file)
			if again := snap(t, file, "-o", "-"); again.out != r.out {
				t.Errorf("the recording gives another report of a circle:\n%s", cmp.Diff(r.out, again.out))
			}
			if !strings.HasPrefix(r.out, "deadlock of 3 asyncio tasks: Task-") || !strings.Contains(r.out, "\n4 asyncio tasks that no thread runs") {
				t.Errorf("tasks in a circle: exit code %d, %s\n%s", r.code, r.err, r.out)
			}
		})
	}
}
