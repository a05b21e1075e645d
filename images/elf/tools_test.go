package elf

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"stacksnap/task/needs"
)

// systemFile returns a file that this machine has, or skips.
func systemFile(t testing.TB, patterns ...string) string {
	t.Helper()
	for _, p := range patterns {
		if found, _ := filepath.Glob(p); len(found) > 0 {
			return found[0]
		}
	}
	needs.Skip(t, filepath.Base(patterns[0]), fmt.Sprintf("none of %v is here", patterns))
	return ""
}

// tool returns the path of a program, or skips.
func tool(t testing.TB, name string) string {
	t.Helper()
	path := needs.Tool(t, name)
	return path
}

func run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// openFile opens an ELF file with its debug file looked for on this machine.
func openFile(t testing.TB, path string) *File {
	t.Helper()
	c, err := openCandidate(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(c.file, c.size)
	if err != nil {
		t.Fatal(err)
	}
	l := Loader{Roots: []string{"/"}}
	l.Prepare(f, path)
	t.Cleanup(func() { f.Close() })
	return f
}
