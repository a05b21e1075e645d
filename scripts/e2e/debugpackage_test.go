//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// TestDebugPackages wants of live interpreters the files, lines and inlined calls that
// eu-stack or gdb tells by Debian's debug packages, of Python and of glibc. In what was
// made with -flto eu-stack finds no inlined calls; where gdb has another line than eu-stack,
// addr2line and llvm-symbolizer have that of eu-stack.
func TestDebugPackages(t *testing.T) {
	need(t, "eu-stack", "gdb")
	t.Run("python3.11d", func(t *testing.T) {
		got, eu, _ := threePlaces(t, "/usr/bin/python3.11d")
		if !slices.Equal(got, eu) {
			t.Errorf("%d places\n%s\neu-stack has %d\n%s", len(got), strings.Join(got, "\n"), len(eu), strings.Join(eu, "\n"))
		}
	})
	t.Run("python3.11", func(t *testing.T) {
		got, eu, gdb := threePlaces(t, "/usr/bin/python3.11")
		if len(got) != len(gdb) {
			t.Fatalf("%d places\n%s\ngdb has %d\n%s", len(got), strings.Join(got, "\n"), len(gdb), strings.Join(gdb, "\n"))
		}
		for i, place := range got {
			line := place[:strings.LastIndexByte(place, ':')]
			if line != gdb[i] && !slices.Contains(eu, place) {
				t.Errorf("%s, gdb has %s", place, gdb[i])
			}
		}
	})
}

// threePlaces starts an interpreter that reads, and returns where its frames are by a
// report, eu-stack and gdb, the innermost first.
func threePlaces(t *testing.T, program string) (ours, eu, gdb []string) {
	t.Helper()
	need(t, program)
	cmd := start(t, program, "-c", "import os; print('ready', flush=True); sorted([1], key=lambda x: os.read(0, 1))")
	blocksInRead(t, pid(cmd))
	eu = parsePlaces(euPlace, peer(t, "eu-stack", "-s", "-i", "-n", "0", "-p", pid(cmd)))
	all := strings.Join(eu, " ")
	if !strings.Contains(all, "unix/sysv/linux/read.c:") || !strings.Contains(all, "Python/ceval.c:") {
		needs.Skip(t, "libc6-dbg and python3-dbg", "not both installed")
	}
	gdb = parsePlaces(gdbPlace, peer(t, "gdb", "-q", "-nx", "-batch", "-ex", "set print frame-arguments none", "-ex", "bt", "-p", pid(cmd)))
	return placesOf(t, snap(t, "-p", pid(cmd), "-f", "json").out), eu, gdb
}

// The lines on which peers tell where a frame is.
var (
	euPlace  = regexp.MustCompile(`^ +(.*?)((?::\d+){1,2})$`)
	gdbPlace = regexp.MustCompile(`^#\d.* at (.*)(:\d+)$`)
)

// parsePlaces returns where a peer says that each frame is, the innermost first.
func parsePlaces(place *regexp.Regexp, out string) []string {
	var list []string
	for line := range strings.Lines(out) {
		if m := place.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			list = append(list, withoutFolders(m[1])+m[2])
		}
	}
	return list
}

// placesOf returns those of a report.
func placesOf(t *testing.T, document string) []string {
	t.Helper()
	var d struct {
		Threads []struct {
			Nodes []struct {
				File         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil || len(d.Threads) != 1 {
		t.Fatalf("%v in %s", err, document)
	}
	var list []string
	for _, n := range d.Threads[0].Nodes {
		if n.Line > 0 {
			list = append(list, fmt.Sprintf("%s:%d:%d", withoutFolders(n.File), n.Line, n.Column))
		}
	}
	slices.Reverse(list)
	return list
}

// withoutFolders leaves of a path what follows the last "../": eu-stack tells paths as
// the compiler was given them.
func withoutFolders(path string) string {
	if at := strings.LastIndex(path, "../"); at >= 0 {
		return path[at+3:]
	}
	return path
}
