//go:build linux || darwin

package scriptstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// userland are the programs of a Unix that check.sh calls.
var userland = []string{"sh", "cat", "dirname", "mktemp", "rm", "sed", "grep", "find", "wc"}

// checkTool stands for each tool: it notes how it was called, and fails where $FAIL is
// in that.
const checkTool = `#!/bin/sh
call="${0##*/} ${GOOS-} ${GOARCH-} ${CGO_ENABLED-} $*"
echo "$call" >>"$FAKE_LOG"
case $call in
*"env GOPATH"*) echo "$FAKE_GOPATH" ;;
*" -o "*) printf '%*s' "${PROGRAM_SIZE:-1}" '' >"$5" ;;
*"list ./..."*) printf 'stacksnap/%s\n' task task/ptrace unwind unwind/cfi images/elf scripts/e2e ;;
esac
case $call in *"${FAIL:-nothing}"*) echo "so it went wrong"; exit 1 ;; esac
`

// checks runs check.sh where those tools are, and nothing else but the userland.
func checks(t *testing.T, shell, tools, args []string, env ...string) (r result, calls string) {
	t.Helper()
	needs.Tools(t, userland...)
	bin := t.TempDir()
	for _, name := range userland {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range tools {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(checkTool), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(t.TempDir(), "log")
	shellPath, err := exec.LookPath(shell[0])
	if err != nil {
		t.Fatal(err)
	}
	args = append(append(slices.Clone(shell[1:]), script("check.sh")), args...)
	cmd := exec.Command(shellPath, args...)
	cmd.Env = append(os.Environ(), "PATH="+bin, "FAKE_LOG="+log, "FAKE_GOPATH="+t.TempDir(), "ZIG=/no/such/zig", "FAIL=")
	cmd.Env = append(cmd.Env, env...)
	r = ended(t, cmd)
	b, _ := os.ReadFile(log)
	return r, string(b)
}

var checkTools = []string{"go", "gofmt", "staticcheck", "shellcheck"}

func TestCheckUnderEveryShell(t *testing.T) {
	for _, shell := range shells() {
		if shell[0] == "busybox" {
			continue // which runs its own programs instead of those of the PATH
		}
		r, calls := checks(t, shell, checkTools, nil)
		want := `ok           gofmt
ok           vet linux/amd64
ok           vet linux/arm64
ok           vet darwin/arm64
ok           staticcheck linux/amd64
ok           staticcheck darwin/arm64
not checked  cgo for darwin: zig is not installed
ok           quick tests
ok           shellcheck
ok           documents
ok           size
`
		if r.code != 0 || r.out != want || r.err != "" {
			t.Errorf("%v: exit %d\n%s%s", shell, r.code, r.out, r.err)
		}
		mustHave(t, "calls", calls, "go darwin arm64 0 vet ./...\n", "staticcheck linux amd64 0 ./...\n",
			"test -short stacksnap/task stacksnap/unwind/cfi\n", "scripts/check.sh", ".ci/run")
	}
}

// TestCheckGoesOn: what fails is told with what it said, and the others run.
func TestCheckGoesOn(t *testing.T) {
	for fail, title := range map[string]string{
		"gofmt ": "gofmt", "arm64 0 vet": "vet linux/arm64", "staticcheck darwin": "staticcheck darwin/arm64",
		"test -short": "quick tests", "shellcheck ": "shellcheck", "scripts/docs": "documents", "-trimpath": "size",
	} {
		r, _ := checks(t, []string{"sh"}, checkTools, nil, "FAIL="+fail)
		if r.code != 1 || strings.Count(r.out, "ok  ") < 7 {
			t.Errorf("%s: exit %d\n%s%s", fail, r.code, r.out, r.err)
		}
		mustHave(t, fail, r.out, "FAILED       "+title+"\n    so it went wrong\n")
	}
}

// TestCheckSize: a program that cannot be released is found before a push.
func TestCheckSize(t *testing.T) {
	for size, code := range map[string]int{"13000000": 0, "13000001": 1} {
		r, _ := checks(t, []string{"sh"}, checkTools, []string{"size"}, "PROGRAM_SIZE="+size)
		if r.code != code || code == 1 && !strings.Contains(r.out, size+" bytes") {
			t.Errorf("%s: exit %d\n%s%s", size, r.code, r.out, r.err)
		}
	}
}

// TestCheckWithZig: what is built with cgo is checked where there is a compiler.
func TestCheckWithZig(t *testing.T) {
	r, calls := checks(t, []string{"sh"}, append([]string{"zig"}, checkTools...), []string{"cgo"}, "ZIG=zig")
	if r.code != 0 || r.out != "ok           cgo for darwin\n" {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	mustHave(t, "calls", calls, "go darwin arm64 1 vet -tags long ./task/mach\n", "staticcheck darwin amd64 1 -tags long ./task/mach\n")
}

// TestCheckNamesWhatIsMissing: without a tool the check is not one that went well.
func TestCheckNamesWhatIsMissing(t *testing.T) {
	r, _ := checks(t, []string{"sh"}, []string{"go", "gofmt"}, nil)
	if r.code != 0 {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
	mustHave(t, "without tools", r.out, "not checked  staticcheck linux/amd64: staticcheck is not installed\n",
		"not checked  shellcheck: shellcheck is not installed\n", "not checked  cgo for darwin: zig is not installed\n")
}

// TestSlowPackagesAreThere: those that check.sh leaves out because they take long.
func TestSlowPackagesAreThere(t *testing.T) {
	text, err := os.ReadFile(script("check.sh"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "\nslow='")
	list, _, ok := strings.Cut(list, "'")
	if !ok {
		t.Fatal("check.sh names no slow packages")
	}
	for _, name := range strings.Split(list, "|") {
		dir := filepath.Join("..", "..", strings.TrimSuffix(name, "(/.*)?"))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCheckOfSome: those run that are named, and what is no check is refused.
func TestCheckOfSome(t *testing.T) {
	r, _ := checks(t, []string{"sh"}, checkTools, []string{"gofmt", "documents"})
	if r.code != 0 || r.out != "ok           gofmt\nok           documents\n" {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	r, _ = checks(t, []string{"sh"}, checkTools, []string{"gofmt", "spelling"})
	if r.code != 2 || r.out != "" || strings.Count(r.err, "\n") != 1 {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	if r, _ = checks(t, []string{"sh"}, nil, []string{"--help"}); r.code != 0 || !strings.HasPrefix(r.out, "Usage: scripts/check.sh") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}
