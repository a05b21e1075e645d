//go:build linux

package e2e

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compiled is the folder of what gcc has made, each by the hash of its arguments.
var compiled string

// compile builds testdata/NAME.c with gcc and the flags given.
func compile(t *testing.T, name string, flags ...string) string {
	t.Helper()
	return compileFile(t, filepath.Join("testdata", name+".c"), append([]string{"-pthread"}, flags...)...)
}

// compileFile builds a program of a file, once for all tests, and returns a copy that the
// test may change.
func compileFile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	need(t, "gcc")
	args := append([]string{source}, flags...)
	whole := filepath.Join(compiled, fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(args, "\x00")))))
	if _, err := os.Stat(whole); errors.Is(err, fs.ErrNotExist) {
		gcc(t, whole, args)
	}
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	copyFile(t, whole, program)
	return program
}

// gcc makes a file, which is there whole or not at all.
func gcc(t *testing.T, out string, args []string) {
	t.Helper()
	made := filepath.Join(t.TempDir(), "made")
	b, err := exec.Command("gcc", append([]string{"-o", made}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, b)
	}
	if err := errors.Join(os.MkdirAll(compiled, 0o700), os.Rename(made, out)); err != nil {
		t.Fatal(err)
	}
}
