//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPythonGIL: a thread that holds the GIL in a function of C is named as what the others wait for,
// and one of them as the other end of a deadlock, in a snapshot and from a recording.
func TestPythonGIL(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			main := pid(start(t, python, "testdata/gil.py", "held"))
			awaitFirstLine(t, main, "3 of 4 threads wait for the GIL, held by thread "+main+" ",
				"called by rest (gil.py:", "; thread "+main+" ", "called by work (gil.py:")
			main = pid(start(t, python, "testdata/gil.py", "deadlock"))
			isDeadlock(t, main, awaitFirstLine(t, main, "2 of 2 threads are deadlocked, the main thread among them"))
			save := filepath.Join(t.TempDir(), "a.snap")
			for {
				r := snap(t, "-p", main, "--save", save)
				if strings.Contains(r.out, "Deadlock:") {
					break // else the other thread, which wakes every 5 ms, was awake
				}
			}
			isDeadlock(t, main, snap(t, save).out)
		})
	}
}

func isDeadlock(t *testing.T, main, report string) {
	t.Helper()
	if want := "waits for the GIL, held by thread " + main; !strings.Contains(report, want) || !strings.Contains(report, "Deadlock:        2 threads wait for each other") {
		t.Errorf("no %q:\n%s", want, report)
	}
}

// TestPythonGILPassedOn: threads that pass the GIL to one another are never said to be deadlocked, and
// none is said to hold the GIL while it waits for it.
func TestPythonGILPassedOn(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			main := pid(start(t, python, "testdata/gil.py", "spin"))
			seen := false
			for range 20 {
				r := snap(t, "-p", main)
				seen = seen || strings.Contains(r.out, "waits for the GIL")
				if strings.Contains(strings.ReplaceAll(r.out, ": contention, no deadlock", ""), "eadlock") || strings.Contains(r.out, "by itself") || holdsAndWaits(r.out) {
					t.Errorf("%s", r.out)
				}
			}
			if !seen {
				t.Error("no thread was seen to wait for the GIL")
			}
		})
	}
}

// holdsAndWaits reports whether a thread that holds the GIL waits for it.
func holdsAndWaits(report string) bool {
	for section := range strings.SplitSeq(report, "\nThread ") {
		id, _, _ := strings.Cut(section, " ")
		if strings.Contains(section, "waits for the GIL") && strings.Contains(report, "waits for the GIL, held by thread "+id+" ") {
			return true
		}
	}
	return false
}
