package elf

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgainstElfutils asks eu-addr2line for the symbol at addresses spread over
// all code, and wants the same name and offset.
func TestAgainstElfutils(t *testing.T) {
	eu := tool(t, "eu-addr2line")
	for _, patterns := range [][]string{
		{"/lib/*/libc.so.6", "/lib64/libc.so.6"},
		{"/usr/lib/*/libstdc++.so.6", "/usr/lib64/libstdc++.so.6"},
		{"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"},
		{"/usr/bin/python3"},
	} {
		t.Run(filepath.Base(patterns[0]), func(t *testing.T) {
			compareWithElfutils(t, eu, systemFile(t, patterns...))
		})
	}
	t.Run("without debug file", func(t *testing.T) {
		objcopy := tool(t, "objcopy")
		libc := systemFile(t, "/lib/*/libc.so.6", "/lib64/libc.so.6")
		alone := filepath.Join(t.TempDir(), "libc.so")
		run(t, objcopy, "--remove-section=.note.gnu.build-id", "--remove-section=.gnu_debuglink", libc, alone)
		compareWithElfutils(t, eu, alone)
	})
	t.Run("go", func(t *testing.T) {
		goTool := tool(t, "go")
		prog := filepath.Join(t.TempDir(), "prog")
		source := prog + ".go"
		if err := os.WriteFile(source, []byte("package main\nimport \"fmt\"\nfunc main() { fmt.Println() }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, goTool, "build", "-o", prog, source)
		compareWithElfutils(t, eu, prog)
	})
}

func compareWithElfutils(t *testing.T, eu, path string) {
	f := openFile(t, path)
	addrs := sampleCode(f, 2000)
	want := elfutilsNames(t, eu, path, addrs)
	named := 0
	for i, a := range addrs {
		got := "??"
		if s, ok := f.Symbol(a); ok && !strings.HasSuffix(s.Name, "@plt") {
			named++
			got = s.Name
			if a > s.VMAddr {
				got = fmt.Sprintf("%s+%#x", s.Name, a-s.VMAddr)
			}
		}
		if got != want[i] {
			t.Errorf("%#x: %s, elfutils %s", a, got, want[i])
		}
	}
	t.Logf("%d addresses, %d of them named", len(addrs), named)
}

func sampleCode(f *File, n int) []uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	var addrs []uint64
	total := uint64(0)
	for _, a := range f.areas {
		total += a.end - a.start
	}
	for _, a := range f.areas {
		for range 10 + uint64(n)*(a.end-a.start)/total {
			addrs = append(addrs, a.start+r.Uint64N(a.end-a.start))
		}
	}
	return addrs
}

func elfutilsNames(t *testing.T, eu, path string, addrs []uint64) []string {
	cmd := exec.Command(eu, "-S", "-e", path)
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintf(&in, "%#x\n", a)
	}
	cmd.Stdin = strings.NewReader(in.String())
	cmd.Env = append(os.Environ(), "DEBUGINFOD_URLS=") // no download
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("eu-addr2line: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2*len(addrs) {
		t.Fatalf("eu-addr2line: %d lines for %d addresses", len(lines), len(addrs))
	}
	var names []string
	for i := 0; i < len(lines); i += 2 {
		if strings.HasPrefix(lines[i], "()") {
			lines[i] = "??"
		}
		names = append(names, lines[i])
	}
	return names
}
