//go:build linux

package e2e

import (
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestPythonOnly: --only leaves the samples in which a thread did what it says, and no others.
func TestPythonOnly(t *testing.T) {
	const samples = 400
	for version, python := range pythons(t) {
		for what, test := range map[string]struct {
			function string  // that alone is left, but for what the main thread did before it
			share    float64 // of the samples; 0: any
		}{
			"exception": {"handle", 0.6}, "gc": {"collect", 0}, "gil": {"hold", 1},
		} {
			t.Run(version+" "+what, func(t *testing.T) {
				cmd := start(t, python, "testdata/only.py", what)
				for _, how := range [][]string{nil, {"--no-stop"}} {
					r := snap(t, append(how, "-p", pid(cmd), "--only", what, "-n", strconv.Itoa(samples), "-f", "folded", "-o", "-")...)
					if what != "exception" && isFreeThreaded(python) {
						if want := "it is built without the GIL"; r.code == exitOK || !strings.Contains(r.err, want) {
							t.Errorf("%v: exit code %d, %q, want %q", how, r.code, r.err, want)
						}
						continue
					}
					if r.code != exitOK {
						t.Fatalf("exit code %d: %s", r.code, r.err)
					}
					got, all := samplesWith(t, r.out, test.function), countFolded(t, r.out)
					if got == 0 || got < all-1 || test.share > 0 && math.Abs(float64(got)/samples-test.share) > 0.1 {
						t.Errorf("%v: %d of %d samples are in %s, of %d snapshots\n%s", how, got, all, test.function, samples, r.out)
					}
				}
			})
		}
	}
}

// isFreeThreaded reports whether an interpreter runs without the GIL.
func isFreeThreaded(python string) bool {
	return exec.Command(python, "-c", "import sys; sys.exit(getattr(sys, '_is_gil_enabled', lambda: True)())").Run() == nil
}

// countFolded counts the samples of folded stacks.
func countFolded(t *testing.T, folded string) (n int) {
	t.Helper()
	for line := range strings.Lines(folded) {
		more, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		n += more
	}
	return n
}

// TestOnlyWithoutPython ends with one line.
func TestOnlyWithoutPython(t *testing.T) {
	cmd := start(t, "sh", "-c", "echo ready; exec sleep 100")
	for _, how := range [][]string{nil, {"-n", "2"}} {
		r := snap(t, append(how, "-p", pid(cmd), "--only", "gil")...)
		if want := "no CPython was found in the process: leave out --only"; r.code == exitOK || !strings.Contains(r.err, want) || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q", how, r.code, r.err)
		}
	}
}
