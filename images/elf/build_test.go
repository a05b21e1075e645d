package elf

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/images/internal/llvmtest"
)

// compilers are those that the programs are made with, for C and for C++.
var compilers = map[string][2]string{"gcc": {"gcc", "g++"}, "clang": {"clang", "clang++"}}

// build is a program, and a copy that is left with its code and debugging information
// only: llvm-symbolizer prefers the names in symbol tables.
type build struct {
	dir, bare string
	text      *elf.SectionHeader
}

// withBuild makes the program with each of the compilers.
func withBuild(t *testing.T, flags string, check func(*testing.T, build)) {
	llvmtest.Tool(t, "llvm-symbolizer")
	tool(t, "objcopy")
	tool(t, "strip")
	for name, c := range compilers {
		t.Run(name+" "+flags, func(t *testing.T) {
			t.Parallel()
			check(t, compile(t, c, strings.Fields(flags)))
		})
	}
}

func compile(t *testing.T, compiler [2]string, flags []string) build {
	t.Helper()
	dir := t.TempDir()
	b := build{dir: dir, bare: filepath.Join(dir, "bare")}
	for _, args := range [][]string{
		{compiler[0], "-c", sourceFile(t, "calc.c"), "-o", "calc.o"},
		{compiler[1], "-std=c++17", "-c", sourceFile(t, "words.cc"), "-o", "words.o"},
		{compiler[1], "calc.o", "words.o", "-o", "program", "-Wl,--build-id=sha1"},
	} {
		name := args[0]
		if strings.HasPrefix(name, "clang") {
			name = llvmtest.Tool(t, name)
		}
		cmd := exec.Command(tool(t, name), append(args[1:], flags...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	run(t, "objcopy", "--only-section=.debug*", "--only-section=.text", filepath.Join(dir, "program"), b.bare)
	run(t, "strip", "-s", "--keep-section=.debug*", b.bare)
	f, err := elf.Open(b.bare)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b.text = &f.Section(".text").SectionHeader
	return b
}

func sourceFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../dwarf/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// addrs lists at least leastAddrs addresses of the code.
func (b *build) addrs() []uint64 {
	var addrs []uint64
	for a := b.text.Addr; a < b.text.Addr+b.text.Size; a += max(b.text.Size/leastAddrs, 1) {
		addrs = append(addrs, a)
	}
	return addrs
}

// glob lists files of a build.
func (b *build) glob(t *testing.T, pattern string) []string {
	t.Helper()
	return matches(t, b.dir, pattern)
}

func (b *build) filesIn(t *testing.T, dir string) []string {
	t.Helper()
	return matches(t, dir, "*")
}

func matches(t *testing.T, dir, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) == 0 {
		t.Fatalf("no %s in %s", pattern, dir)
	}
	return list
}

// copyAs copies the program.
func (b *build) copyAs(t *testing.T, to string) {
	t.Helper()
	duplicate(t, b.bare, to)
}

// copyTo copies the program and what belongs to it.
func (b *build) copyTo(t *testing.T, dir, pattern string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range append(b.glob(t, pattern), b.bare) {
		duplicate(t, f, filepath.Join(dir, filepath.Base(f)))
	}
}

func duplicate(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o700); err != nil {
		t.Fatal(err)
	}
}

// move moves files of a build out of the way.
func (b *build) move(t *testing.T, dir, pattern string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range b.glob(t, pattern) {
		if err := os.Rename(f, filepath.Join(dir, filepath.Base(f))); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *build) moveBack(t *testing.T, dir string) {
	t.Helper()
	for _, f := range b.filesIn(t, dir) {
		if err := os.Rename(f, filepath.Join(b.dir, filepath.Base(f))); err != nil {
			t.Fatal(err)
		}
	}
}
