//go:build linux

package e2e

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// startLine starts a program and waits for its first line.
func startLine(t *testing.T, args ...string) (pid string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

// TestAsyncio: the first line of a report names what the tasks of asyncio wait for, and the report
// has them below the task that gathers them.
func TestAsyncio(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			r := snap(t, "-p", startLine(t, python, "testdata/aio.py", "lock"), "-o", "-")
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
			r = snap(t, "-p", startLine(t, python, "testdata/aio.py", "circle"), "-o", "-")
			if !strings.HasPrefix(r.out, "deadlock of 3 asyncio tasks: Task-") || !strings.Contains(r.out, "\n4 asyncio tasks that no thread runs") {
				t.Errorf("tasks in a circle: exit code %d, %s\n%s", r.code, r.err, r.out)
			}
		})
	}
}
