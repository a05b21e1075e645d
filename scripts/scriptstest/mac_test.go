//go:build linux || darwin

package scriptstest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// macTools are programs in the place of a Mac's, by name.
var macTools = map[string]string{
	"uname":        `case $1 in -m) echo arm64 ;; *) echo Darwin ;; esac`,
	"xcode-select": `[ -z "$NO_XCODE" ]`,
	"sw_vers":      `case $1 in -productVersion) echo 15.5 ;; *) echo 24F74 ;; esac`,
	"sysctl": `case $2 in hw.ncpu) echo 8 ;; hw.model) echo Mac15,3 ;; *brand*) echo Apple M3 ;;
*proc_translated) echo "${TRANSLATED:-0}" ;; esac`,
	"csrutil":          `echo "System Integrity Protection status: ${SIP:-enabled}."`,
	"DevToolsSecurity": `echo Developer mode is currently enabled.`,
	"codesign":         `exit 0`,
	"git":              `echo 0123abc`,
	"id":               `case $1 in -u) echo 501 ;; *) echo somebody ;; esac`,
	"chown":            `exit 0`,
	"pkill":            `[ "$2" = -P ] && read -r child <"$FAKE_MAC/hangs" && exec kill "$1" "$child"`,
	"ps":               `echo "${STATE:-S}"`,
	// Pauses of the script are short, lives of targets are not.
	"sleep": `case $1 in 1 | 2) exec /bin/sleep 0.1 ;; 0.2) exec /bin/sleep "${POLL:-0.2}" ;; *) exec /bin/sleep "$1" ;; esac`,
	"sudo":  `[ -n "$MAY_SUDO" ] && [ "$1" = -n ] || exit 1; shift; AS_ROOT=1 exec "$@"`,
	"go": `case $1 in
version) echo go version go1.26 darwin/arm64 ;;
env) echo /mod ;;
build) [ -z "$FAIL_BUILD" ] || { echo "kernel.go:1: it does not compile" >&2; exit 1; }
	while [ "$1" != -o ]; do shift; done; cp "$FAKE_MAC/stacksnap" "$2" ;;
test) printf '%s\n' "=== RUN   TestOneShots" "--- PASS: TestOneShots (1.0s)" "root ${AS_ROOT:-no} ${GOCACHE:-usual}"
	[ -z "$FAIL_LIVE" ] || { printf '%s\n' "=== RUN   TestImages" "=== RUN   TestImages/mac" "    images_test.go:7: a wrong UUID" \
		"=== RUN   TestImages/other" "    images_test.go:9: is well" "--- FAIL: TestImages (1.0s)" \
		"    --- FAIL: TestImages/mac (1.0s)" "    --- PASS: TestImages/other (1.0s)"; exit 1; }
	[ -z "$FAIL_LINK" ] || { echo "main_test.go:1: it does not compile either"; exit 2; } ;;
esac`,
	"cc":     `[ "$1" != --version ] || { echo Apple clang 17; exit; }; while [ "$1" != -o ]; do shift; done; cp "$FAKE_MAC/target" "$2"`,
	"swiftc": `while [ "$1" != -o ]; do shift; done; cp "$FAKE_MAC/target" "$2"`,
	"target": `[ -z "$HANG_TARGET" ] || { echo $$ >"$FAKE_MAC/hangs"; exec sleep 300; }
: >"$FAKE_MAC/ours.$$"; echo $$ ready; exec sleep 60`,
	"stacksnap": `all=$*; saved=; system=
for a; do
	[ "$last" != --save ] || saved=$a
	[ "$last" != -p ] || [ -e "$FAKE_MAC/ours.$a" ] || system=1
	last=$a
done
[ -z "$system" ] || [ -z "$AS_ROOT" ] || [ "$SIP" = disabled ] || { printf 'Note: by the kernel%ss stackshot, for its task is refused\nThread 0x1\n  nanosleep\n' "'"; exit; }
[ -z "$CONSENT" ] || [ -n "$AS_ROOT" ] || [ -n "$saved" ] || [ "${all#*.snap}" != "$all" ] || { echo $$ >"$FAKE_MAC/hangs"; exec sleep 300; }
[ -z "$system" ] || [ "$SIP" = disabled ] || { echo "stacksnap: not permitted: System Integrity Protection guards this one" >&2; exit 4; }
[ -z "$ROOT_ONLY" ] || [ -n "$AS_ROOT" ] || [ "${all#*.snap}" != "$all" -a -z "$saved" ] || { echo "stacksnap: run it with sudo" >&2; exit 4; }
[ -z "$CRASH" ] || [ -z "$saved" ] || { echo "panic: no" >&2; exit 2; }
[ -z "$HANG" ] || [ "${saved##*/}" != c.shot.snap ] || { echo $$ >"$FAKE_MAC/hangs"; exec sleep 300; }
[ -z "$saved" ] || echo recording >"$saved"
echo "Thread 0x1 (main)"; for f in $FUNCTIONS; do echo "  $f + 1"; done
[ -z "$OTHER" ] || [ -n "$saved" ] || printf 'other\nlines\nthere\n'
echo "Walks that reached the bottom: 1 of 1"`,
	"sample": `while [ "$1" != -file ]; do shift; done
{ echo "    100 Thread_1"; [ -z "$MORE" ] || echo "    100 Thread_2"; for f in $FUNCTIONS; do echo "    + 100 $f  (in x) + 1"; done; } >"$2"
echo "written to file $2"`,
	"lldb": `printf '* thread #1, stop reason = signal SIGSTOP\n* thread #1\n'; for f in $LLDB_FUNCTIONS; do echo "    frame #0: x $f + 1"; done`,
}

const macFunctions = "call00 call25 call49 onThread innermost middle outermost nanosleep"

// macBench makes the tools, and returns where they are.
func macBench(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for name, body := range macTools {
		if err := writeProgram(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// macCommand is mac-check.sh with those tools, which are in bin.
func macCommand(t *testing.T, shell []string, env ...string) (cmd *exec.Cmd, bin, folder string) {
	t.Helper()
	needUserland(t)
	bin = macBench(t)
	folder = filepath.Join(t.TempDir(), "results of one")
	args := append(slices.Clone(shell), script("mac-check.sh"), "-o", folder)
	cmd = exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "FAKE_MAC="+bin, "HOME=/home/of one",
		"FUNCTIONS="+macFunctions, "LLDB_FUNCTIONS="+macFunctions)
	cmd.Env = append(cmd.Env, env...)
	return cmd, bin, folder
}

// macCheck runs it, and returns what it left, too.
func macCheck(t *testing.T, shell []string, env ...string) (r result, folder string) {
	t.Helper()
	cmd, _, folder := macCommand(t, shell, env...)
	return ended(t, cmd), folder
}

func mustHave(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in\n%s", what, want, text)
		}
	}
}

func TestMacCheckUnderEveryShell(t *testing.T) {
	t.Parallel()
	for _, shell := range shells() {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			r, folder := macCheck(t, shell)
			if r.code != 0 || strings.Count(r.err, "\n") != 1 || strings.Contains(r.out, "FAILED") {
				t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
			}
			if summary, err := os.ReadFile(filepath.Join(folder, "summary.txt")); err != nil || string(summary) != r.out {
				t.Errorf("the summary is %q, %v, and what was printed\n%s", summary, err, r.out)
			}
			mustHave(t, "all well", r.out, "commit 0123abc\nmacOS 15.5 (24F74), arm64, Mac15,3, Apple M3, 8 processors\n"+
				"System Integrity Protection status: enabled.\ndeveloper mode: Developer mode is currently enabled.",
				"ok      programs of one's own are read", "1 passed, 0 failed", "c: functions in sampled's        ok", "swift: functions in lldb's       ok", "c: shot reopens",
				"system: refused                  ok      exit 4: stacksnap: not permitted", "ok      stacksnap 1, sample 1, lldb 1", "all is well")
			list, err := exec.Command("tar", "-tzf", folder+".tar.gz").Output()
			if err != nil || strings.Contains(string(list), "/stacksnap\n") {
				t.Errorf("the archive: %v\n%s", err, list)
			}
			for _, name := range []string{"summary.txt", "live.txt", "c.shot.snap", "c.sampled.snap", "c.stacksnap.txt", "swift.sample.txt", "c.lldb.txt"} {
				mustHave(t, "the archive", string(list), "results of one/"+name+"\n")
			}
		})
	}
}

func TestMacCheckTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env   string
		wants []string
	}{
		{"LLDB_FUNCTIONS=call00", []string{"c: functions in lldb's           FAILED  lacks call25 call49 onThread\n", "c: functions in stacksnap's      ok      \n"}},
		{"FUNCTIONS=", []string{"c: functions in stacksnap's      FAILED  lacks call00 call25", "c: functions in sample's         FAILED"}},
		{"FAIL_LIVE=1", []string{"live tests                       FAILED  1 passed, 1 failed", "--- FAIL: TestImages/mac (1.0s)\n        images_test.go:7: a wrong UUID\n"}},
		{"FAIL_LINK=1", []string{"live tests                       FAILED  1 passed, 0 failed", "    main_test.go:1: it does not compile either"}},
		{"FAIL_BUILD=1", []string{"build and sign                   FAILED", "    kernel.go:1: it does not compile"}},
		{"CRASH=1", []string{"c: one-shot                      FAILED  exit 2\n    panic: no", "c: sampled                       FAILED"}},
		{"HANG=1", []string{"c: one-shot                      FAILED", "    ended, for it took too long: "}},
		{"STATE=T", []string{"c: runs on after stacksnap       FAILED  state T"}},
		{"MORE=1", []string{"c: threads                       FAILED  stacksnap 1, sample 2, lldb 1"}},
		{"OTHER=1", []string{"c: shot reopens                  FAILED  3 lines differ\n", "    > other"}},
		{"ROOT_ONLY=1", []string{"without root                     ok      refused: stacksnap: run it with sudo", "c: one-shot                      FAILED  exit 4\n    stacksnap: run it with sudo"}},
	} {
		t.Run(c.env, func(t *testing.T) {
			t.Parallel()
			r, folder := macCheck(t, nil, c.env, "POLL=0.01")
			if r.code != 1 {
				t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
			}
			mustHave(t, c.env, r.out, append(c.wants, "something is not well")...)
			if strings.Contains(r.out, "all is well") {
				t.Errorf("all is well?\n%s", r.out)
			}
			if _, err := os.Stat(folder + ".tar.gz"); err != nil {
				t.Error(err)
			}
		})
	}
}

// An interrupted check leaves what it has.
func TestMacCheckInterrupted(t *testing.T) {
	t.Parallel()
	for _, shell := range shells() {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			cmd, bin, folder := macCommand(t, shell, "HANG=1")
			macInterrupted(t, cmd, bin, folder)
		})
	}
}

// One that is interrupted between the start of a process and the noting of its
// number ends that process, too.
func TestMacCheckInterruptedEarly(t *testing.T) {
	t.Parallel()
	for noting, env := range map[string]string{"reader=$!": "HANG=1", "child=$!": "HANG_TARGET=1"} {
		t.Run(noting, func(t *testing.T) {
			t.Parallel()
			cmd, bin, folder := macCommand(t, []string{"bash"}, env)
			slow := filepath.Join(t.TempDir(), "scripts", "mac-check.sh")
			copySlow(t, slow, noting)
			cmd.Args[slices.Index(cmd.Args, script("mac-check.sh"))] = slow
			macInterrupted(t, cmd, bin, folder)
		})
	}
}

// copySlow puts mac-check.sh at path, with a moment before each noting of a number
// once a process hangs.
func copySlow(t *testing.T, path, noting string) {
	t.Helper()
	text, err := os.ReadFile(script("mac-check.sh"))
	if err != nil {
		t.Fatal(err)
	}
	const moment = `saved=$!; /bin/sleep 0.3; while [ -e "$FAKE_MAC/hangs" ] && [ ! -e "$FAKE_MAC/signalled" ]; do /bin/sleep 0.01; done`
	here := "root=" + filepath.Dir(filepath.Dir(script("mac-check.sh")))
	slow := strings.Replace(string(text), `root=$(cd "$(dirname "$0")/.." && pwd)`, here, 1)
	slow = strings.Replace(slow, "\t"+noting+"\n", "\t"+moment+"\n\t"+strings.Replace(noting, "$!", "$saved", 1)+"\n", 1)
	if !strings.Contains(slow, here) || !strings.Contains(slow, moment) {
		t.Fatalf("mac-check.sh has another root, or no %s", noting)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeProgram(path, []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
}

// macInterrupted runs a check that hangs, and ends it by a signal.
func macInterrupted(t *testing.T, cmd *exec.Cmd, bin, folder string) {
	t.Helper()
	said := toFiles(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it looks at a target", func() bool {
		hangs, _ := os.ReadFile(filepath.Join(bin, "hangs"))
		return strings.HasSuffix(string(hangs), "\n")
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "signalled"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is looked at below
	out, errs := said()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(out, "\ninterrupted\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat(folder + ".tar.gz"); err != nil {
		t.Error(err)
	}
	for _, pid := range macTargets(t, bin) {
		eventually(t, fmt.Sprintf("the target %d has ended", pid), func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

// macTargets are those that mac-check.sh has started, and what looks at them.
func macTargets(t *testing.T, bin string) []int {
	t.Helper()
	hangs, err := os.ReadFile(filepath.Join(bin, "hangs"))
	if err != nil {
		t.Fatal(err)
	}
	all := []string{strings.TrimSpace(string(hangs))}
	files, _ := filepath.Glob(filepath.Join(bin, "ours.*"))
	for _, file := range files {
		all = append(all, strings.TrimPrefix(filepath.Ext(file), "."))
	}
	var pids []int
	for _, s := range all {
		pid, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// Where only root may read, all is read as root, and what root builds is not put
// where we build.
func TestMacCheckAsRoot(t *testing.T) {
	t.Parallel()
	r, folder := macCheck(t, nil, "ROOT_ONLY=1", "MAY_SUDO=1", "TRANSLATED=1", "GOCACHE=")
	if r.code != 0 {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	mustHave(t, "as root", r.out, "refused: stacksnap: run it with sudo", "all that follows is read as root", "translated by Rosetta", "all is well")
	live, err := os.ReadFile(filepath.Join(folder, "live.txt"))
	if err != nil || !strings.Contains(string(live), "root 1 /") {
		t.Errorf("%v: %s", err, live)
	}
	_, cache, _ := strings.Cut(strings.TrimSpace(string(live)), "root 1 ")
	if _, err := os.Stat(cache); err == nil {
		t.Errorf("%s is left", cache)
	}
}

// TestMacCheckShowsSystemByStackshot: where root looks at a program of the system, which
// lldb is refused.
func TestMacCheckShowsSystemByStackshot(t *testing.T) {
	t.Parallel()
	r, _ := macCheck(t, nil, "MAY_SUDO=1", "LLDB_FUNCTIONS="+strings.TrimSuffix(macFunctions, " nanosleep"))
	if r.code != 0 {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	mustHave(t, "as root", r.out, "system: by the kernel's stackshot ok", "system: lldb", "all is well")
}

// TestMacCheckNeedsConsent: where macOS asks for it and nobody answers, root reads.
func TestMacCheckNeedsConsent(t *testing.T) {
	t.Parallel()
	for may, want := range map[string]string{"1": "all that follows is read as root", "": "nothing can be read: run sudo -v before"} {
		r, _ := macCheck(t, nil, "CONSENT=1", "MAY_SUDO="+may, "POLL=0.01")
		if (r.code == 0) != (may != "") {
			t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
		}
		mustHave(t, "asked", r.out, "macOS asks for consent", want)
	}
}

// Without System Integrity Protection a program of the system is like any other.
func TestMacCheckWithoutProtection(t *testing.T) {
	t.Parallel()
	r, _ := macCheck(t, nil, "SIP=disabled")
	if r.code != 0 {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	mustHave(t, "unprotected", r.out, "system: one-shot                 ok", "system: functions in lldb's      ok")
}

func TestMacCheckIsCalledRightly(t *testing.T) {
	t.Parallel()
	needUserland(t)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	bin := macBench(t)
	linux := t.TempDir()
	if err := writeProgram(filepath.Join(linux, "uname"), []byte("#!/bin/sh\necho Linux\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		path string
		env  string
		code int
		says string
	}{
		{[]string{"--help"}, bin, "", 0, "Usage: "},
		{[]string{"--no-such-option"}, bin, "", 2, "no such option: --no-such-option"},
		{[]string{"-o"}, bin, "", 2, "-o needs a folder"},
		{[]string{"-o", ""}, bin, "", 2, "-o needs a folder"},
		{[]string{"-o", full}, bin, "", 1, "is not empty"},
		{nil, bin, "NO_XCODE=1", 1, "xcode-select --install"},
		{nil, linux, "", 1, "mac-check.sh: this checks a Mac, and the system here is Linux\n"},
	} {
		cmd := exec.Command(script("mac-check.sh"), c.args...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "PATH="+c.path+":"+os.Getenv("PATH"), c.env)
		r := ended(t, cmd)
		if r.code != c.code || !strings.Contains(r.out+r.err, c.says) || c.code != 0 && (strings.Count(r.err, "\n") != 1 || r.out != "") {
			t.Errorf("%v %s: exit %d\n%s%s", c.args, c.env, r.code, r.out, r.err)
		}
		if left, _ := os.ReadDir(cmd.Dir); len(left) != 0 {
			t.Errorf("%v %s left %v", c.args, c.env, left)
		}
	}
}
