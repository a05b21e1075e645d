//go:build linux

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// TestDumpedCodeIsNamed in each form of report, live and from a recording, by the
// jitdump that the target has mapped, with its lines.
func TestDumpedCodeIsNamed(t *testing.T) {
	cmd := start(t, compile(t, "jitdump", "-O1"), t.TempDir())
	dump := "jit-" + pid(cmd) + ".dump"
	for form, wants := range map[string][]string{
		"tree":   {"first @fn + ", ") [0x", "  made.js:7", `second;\x1b[31m + `, "(" + dump + ")"},
		"json":   {`"function": "first @fn"`, `"file": "/src/made.js"`, `"line": 7`, `"generated": true`},
		"folded": {";main;first @fn ", `;main;second:\x1b[31m `},
	} {
		t.Run(form, func(t *testing.T) {
			save := filepath.Join(t.TempDir(), "a.snap")
			var r result
			eventually(t, fmt.Sprintf("%q are all there", wants), func() bool { // 200 samples may find one of them only
				r = snap(t, "-p", pid(cmd), "-n", "200", "--addresses", "-f", form, "-o", "-", "--save", save)
				if r.code != exitOK {
					t.Fatalf("exit code %d: %s", r.code, r.err)
				}
				return !slices.ContainsFunc(wants, func(want string) bool { return !strings.Contains(r.out, want) })
			})
			if strings.Contains(r.out, "false main") {
				t.Errorf("main has a name of the dump:\n%s", r.out)
			}
			if again := snap(t, save, "--addresses", "-f", form, "-o", "-"); again.out != r.out {
				t.Errorf("the recording gives another report:\n%s", again.out)
			}
		})
	}
}

// TestDumpInAContainer is found by what is mapped, below the target's own root, and
// with the number that the target has there.
func TestDumpInAContainer(t *testing.T) {
	need(t, "unshare", "mount")
	const inside = `mount -t tmpfs none "$2" && cp "$1" "$2/made" && mkdir "$2/deep" && mount --bind "$2" /tmp && exec /tmp/made /tmp/deep`
	args := []string{"unshare", "--mount", "--pid", "--fork", "--kill-child"}
	if err := exec.Command(args[0], append(args[1:], "true")...).Run(); err != nil {
		needs.Skip(t, "namespaces", err.Error())
	}
	cmd := start(t, append(args, "sh", "-c", inside, "sh", compile(t, "jitdump", "-O1"), t.TempDir())...)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]s/task/%[1]s/children", pid(cmd)))
	needs.Feature(t, "/proc/PID/task/TID/children", err, fs.ErrNotExist)
	_, report := snapWhenSettled(t, strings.TrimSpace(string(children)), "first @fn + ")
	if !strings.Contains(report, "(jit-1.dump)") {
		t.Errorf("not by its own number:\n%s", report)
	}
}

// TestNodeDumpsItsCode as V8 does when it is asked to. The lines in its dump, which are
// not true, are not told.
func TestNodeDumpsItsCode(t *testing.T) {
	need(t, "node")
	script, err := filepath.Abs("testdata/many.js")
	if err != nil {
		t.Fatal(err)
	}
	log := "--logfile=" + filepath.Join(t.TempDir(), "v8.log")
	cmd := exec.Command("node", "--perf-prof", "--always-sparkplug", "--no-logfile-per-isolate", log, script)
	cmd.Dir = t.TempDir()
	startCommand(t, cmd)
	_, report := snapWhenSettled(t, pid(cmd), "JS:*fib ")
	for line := range strings.Lines(report) {
		_, after, isFrame := strings.Cut(line, " [0x")
		if _, after, _ = strings.Cut(after, "]"); isFrame && strings.Contains(line, "JS:") && strings.Contains(after, ":") {
			t.Errorf("a line in the source is told: %s", line)
		}
	}
	if !strings.Contains(report, script+":3:13 + ") || !strings.Contains(report, "(jit-"+pid(cmd)+".dump)") {
		t.Errorf("fib is not named by the dump:\n%s", report)
	}
}
