//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPythonThreadNames: threads have the names of threading, in reports of a process, of samples and
// of a recording, and can be chosen by them.
func TestPythonThreadNames(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			pid, _ := startLine(t, python, "testdata/names.py")
			saved := filepath.Join(t.TempDir(), "names.snap")
			for _, args := range [][]string{
				{"-p", pid, "-o", "-", "--save", saved}, {saved, "-o", "-"}, {"-p", pid, "-d", "300ms", "-o", "-"},
				{"-p", pid, "-o", "-", "--thread", "worker-1*"},
			} {
				r := snap(t, args...)
				for i, name := range []string{`"worker-0 of the shop"`, `"worker-1 of the shop"`, `"worker-2 of the shop"`} {
					if want := i == 1 || args[len(args)-1] != "worker-1*"; strings.Contains(r.out, name) != want {
						t.Errorf("%v: exit code %d, %s: %s is not shown as it is to be in\n%s", args, r.code, r.err, name, r.out)
					}
				}
			}
			if r := snap(t, "-p", pid, "-f", "json", "-o", "-"); !strings.Contains(r.out, `"runtime_name": "worker-2 of the shop"`) {
				t.Errorf("exit code %d, %s\n%s", r.code, r.err, r.out)
			}
		})
	}
}
