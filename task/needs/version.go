package needs

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// newest is the highest version of LLVM whose tools are looked for.
const newest = 30

// LLVM returns the newest LLVM tool with a name, or skips the test if there is none of at least
// that version. Distributions name the tools by version (llvm-dwp-22,
// /usr/lib/llvm-22/bin/llvm-dwp), whatever version the plain name in the path is.
func LLVM(t testing.TB, name string, least int) string {
	t.Helper()
	for v := newest; v >= max(least, 1); v-- {
		for _, path := range []string{fmt.Sprintf("%s-%d", name, v), fmt.Sprintf("/usr/lib/llvm-%d/bin/%s", v, name)} {
			if path, err := exec.LookPath(path); err == nil {
				return path
			}
		}
	}
	return Version(t, name, least)
}

// Version returns the path of a program, and skips the test if it is older than that major
// version.
func Version(t testing.TB, name string, least int) string {
	t.Helper()
	wanted := name
	if least > 1 {
		wanted = fmt.Sprint(name, " ", least)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		Skip(t, wanted, "not installed")
	}
	if least <= 1 {
		return path
	}
	said, err := exec.Command(path, "--version").CombinedOutput()
	if err != nil {
		t.Fatalf("%s --version: %v\n%s", path, err, said)
	}
	full, major := versionIn(string(said))
	if major < least {
		Skip(t, wanted, "this is "+full)
	}
	return path
}

var versionNumber = regexp.MustCompile(`\b(\d+)\.\d+[.\d]*`)

// versionIn finds the version in a program's output.
func versionIn(said string) (full string, major int) {
	m := versionNumber.FindStringSubmatch(said)
	if m == nil {
		line, _, _ := strings.Cut(said, "\n")
		return strconv.Quote(line), 0
	}
	major, _ = strconv.Atoi(m[1])
	return m[0], major
}

// Compiler returns the path of a C compiler. It skips the test if there is none, or if it cannot
// build a program with these flags: a 32-bit program needs its own libraries.
func Compiler(t testing.TB, name string, flags ...string) string {
	t.Helper()
	path := Tool(t, name)
	if len(flags) == 0 {
		return path
	}
	cmd := exec.Command(path, append(slices.Clone(flags), "-x", "c", "-o", "probe", "-")...)
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader("#include <stdio.h>\n#include <pthread.h>\nint main(void) { return 0; }\n")
	if said, err := cmd.CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(string(said), "\n")
		Skip(t, name+" "+strings.Join(flags, " "), line)
	}
	return path
}
