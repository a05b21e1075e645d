package dwarf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goProgram builds a program with the one compiler that is there for certain.
func goProgram(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	const text = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"names\") }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", program, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// TestGo compares with Go's own table of functions and lines, as its addr2line tells
// it: the function that has the frame, and the place of the innermost call.
func TestGo(t *testing.T) {
	program := goProgram(t)
	d, f := elfData(t, program, nil)
	addrs := text(f, 211)
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	cmd := exec.Command("go", "tool", "addr2line", program)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal("go tool addr2line: ", err)
	}
	lines := strings.Split(string(out), "\n")
	bad, inlined := 0, 0
	for i, a := range addrs {
		frames := d.Frames(a)
		if strings.HasSuffix(lines[2*i+1], ":-1") || len(frames) > 0 && frames[0].Line == 0 {
			continue // between two functions; or the debugging information knows no line
		}
		got := ""
		if len(frames) > 0 {
			last := frames[len(frames)-1]
			inlined += len(frames) - 1
			got = fmt.Sprintf("%s %s:%d", last.Function, frames[0].File, frames[0].Line)
		}
		if want := lines[2*i] + " " + lines[2*i+1]; got != want {
			if bad++; bad < 4 {
				t.Errorf("%#x: %s, want %s", a, got, want)
			}
		}
	}
	t.Logf("%d addresses, %d inlined calls, %d differ", len(addrs), inlined, bad)
}
