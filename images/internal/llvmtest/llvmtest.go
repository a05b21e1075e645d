// Package llvmtest runs llvm-symbolizer for tests to compare with.
package llvmtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// Frame is a frame as printed by llvm-symbolizer.
type Frame struct {
	FunctionName, FileName string
	Line, Column           int
}

// Tool returns the newest installed version of an LLVM tool, or skips the test.
func Tool(t testing.TB, name string) string {
	t.Helper()
	return needs.LLVM(t, name, 1)
}

// Frames returns llvm-symbolizer's frames for addresses of a file.
func Frames(t testing.TB, file string, addrs []uint64) [][]Frame {
	t.Helper()
	var in bytes.Buffer
	for _, a := range addrs {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	cmd := exec.Command(Tool(t, "llvm-symbolizer"), "--obj="+file, "--no-demangle", "--output-style=JSON")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]Frame
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var answer struct{ Symbol []Frame }
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		all = append(all, answer.Symbol)
	}
	if len(all) != len(addrs) {
		t.Fatalf("%d answers for %d addresses", len(all), len(addrs))
	}
	return all
}

// Format formats frames for comparison. Without a line, file and column are left out.
func Format(frames []object.Source) string {
	var b strings.Builder
	for _, f := range frames {
		write(&b, f.Function, f.File, f.Line, f.Column)
	}
	return b.String()
}

// FormatLLVM formats llvm-symbolizer's frames in the same way.
func FormatLLVM(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		if f != (Frame{}) {
			write(&b, f.FunctionName, f.FileName, f.Line, f.Column)
		}
	}
	return b.String()
}

func write(b *strings.Builder, function, file string, line, column int) {
	if line == 0 {
		file, column = "", 0
	}
	fmt.Fprintf(b, "%s %s:%d:%d; ", function, file, line, column)
}
