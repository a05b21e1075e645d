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
			if first := "999 of 1,000 asyncio tasks wait for asyncio.Lock, in fetch (aio.py:9); Python does not record who holds it\n"; !strings.HasPrefix(r.out, first) {
				t.Errorf("exit code %d, %s, not %s%s", r.code, r.err, first, r.out)
			}
			wantSampledTasks(t, pid)
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

// TestAsyncioHangs: the report of a hang has the tasks that could not run meanwhile.
func TestAsyncioHangs(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			pid, _ := startLine(t, python, "testdata/aio.py", "busy")
			hang := []string{"-p", pid, "--hang", "100ms", "--max-hang", "300ms", "-n", "1"}
			wantWaitingTasks(t, snap(t, hang...))
			dir := t.TempDir()
			if r := snap(t, append(hang, "--dir", dir)...); r.code != 0 {
				t.Errorf("exit code %d, %s", r.code, r.err)
			}
			recordings, _ := filepath.Glob(filepath.Join(dir, "*.snap"))
			if len(recordings) != 1 {
				t.Fatalf("recordings: %q", recordings)
			}
			wantWaitingTasks(t, snap(t, recordings[0]))
			if r := snap(t, append(hang, "--no-runtimes")...); r.code != 0 || strings.Contains(r.out, "asyncio task") || strings.Contains(r.out, "(CPython ") {
				t.Errorf("without runtimes: exit code %d, %s\n%s", r.code, r.err, r.out)
			}
		})
	}
}

// wantSampledTasks wants a report of samples, and its recording, to begin with the tasks at their end.
func wantSampledTasks(t *testing.T, pid string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sampled.snap")
	r := snap(t, "-p", pid, "-d", "200ms", "-o", "-", "--save", file)
	if first := "999 of 1,000 asyncio tasks wait for asyncio.Lock, in fetch (aio.py:9), at the end of the sampling; Python does not record who holds it\n"; !strings.HasPrefix(r.out, first) {
		t.Errorf("exit code %d, %s, not %s%s", r.code, r.err, first, r.out)
	}
	wantWaitingTasks(t, r)
	if again := snap(t, file, "-o", "-"); again.out != r.out {
		t.Errorf("the recording gives another report:\n%s", cmp.Diff(r.out, again.out))
	}
	if r = snap(t, "-p", pid, "-d", "20ms", "-o", "-", "--no-runtimes"); r.code != 0 || strings.Contains(r.out, "asyncio task") {
		t.Errorf("without runtimes: exit code %d, %s\n%s", r.code, r.err, r.out)
	}
}

// wantWaitingTasks wants a report of one snapshot or of many to have the tasks of testdata/aio.py.
func wantWaitingTasks(t *testing.T, r result) {
	t.Helper()
	for _, want := range []string{
		"\n1,000 asyncio tasks that no thread ", "\n  999 asyncio tasks waiting for asyncio.Lock\n",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("exit code %d, %s, no %q in\n%s", r.code, r.err, want, r.out)
		}
	}
}
