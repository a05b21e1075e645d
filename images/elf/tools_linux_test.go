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

// systemFile returns a file that this machine has, or skips.
func systemFile(t testing.TB, patterns ...string) string {
	t.Helper()
	for _, p := range patterns {
		if found, _ := filepath.Glob(p); len(found) > 0 {
			return found[0]
		}
	}
	t.Skipf("none of %v on this machine", patterns)
	return ""
}

// tool returns the path of a program, or skips.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// openFile opens an ELF file with its debug file looked for on this machine.
func openFile(t testing.TB, path string) *File {
	t.Helper()
	c, err := openRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(c.file, c.size)
	if err != nil {
		t.Fatal(err)
	}
	l := Loader{Roots: []string{"/"}}
	f.findDebug = func(f *File) *File { return l.findDebug(f, path) }
	t.Cleanup(func() { f.Close() })
	return f
}

// TestAgainstElfutils asks eu-addr2line for the symbol at addresses spread over
// all code, and wants the same name and offset.
func TestAgainstElfutils(t *testing.T) {
	eu := tool(t, "eu-addr2line")
	files := map[string]string{
		"libc":      systemFile(t, "/lib/*/libc.so.6", "/lib64/libc.so.6"),
		"libstdc++": systemFile(t, "/usr/lib/*/libstdc++.so.6", "/usr/lib64/libstdc++.so.6"),
		"loader":    systemFile(t, "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"),
		"self":      "/proc/self/exe",
	}
	for name, path := range files {
		t.Run(name, func(t *testing.T) {
			if name == "self" {
				path, _ = os.Executable()
			}
			f := openFile(t, path)
			addrs := sampleCode(f, 4000)
			want := elfutilsNames(t, eu, path, addrs)
			bad := 0
			for i, a := range addrs {
				got := "??"
				if s, ok := f.Symbol(a); ok && !strings.HasSuffix(s.Name, "@plt") {
					got = s.Name
					if a > s.VMAddr {
						got = fmt.Sprintf("%s+%#x", s.Name, a-s.VMAddr)
					}
				}
				if got != want[i] {
					bad++
					if bad < 20 {
						t.Logf("%#x: %s, elfutils %s", a, got, want[i])
					}
				}
			}
			t.Logf("%d of %d addresses differ", bad, len(addrs))
		})
	}
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
	cmd.Env = append(os.Environ(), "DEBUGINFOD_URLS=")
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
