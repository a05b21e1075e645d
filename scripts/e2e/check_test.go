//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// TestCheckTouchesNothing: it says what would be done, and no thread of the target
// is switched to for it.
func TestCheckTouchesNothing(t *testing.T) {
	program := compile(t, "deep", "-O2")
	if b, err := exec.Command(needs.Tool(t, "strip"), program).CombinedOutput(); err != nil {
		t.Fatalf("strip: %v %s", err, b)
	}
	target := start(t, program, "4", "read")
	blocksInRead(t, pid(target))
	before := switches(t, pid(target))
	for _, args := range []string{"", "-d 1s", "--hang 1s", "--every 1s", "--no-stop", "--suspend task -n 3"} {
		r := snap(t, append([]string{"--check", "-p", pid(target)}, strings.Fields(args)...)...)
		for _, want := range []string{"Process  deep [" + pid(target) + "], of user ", "Rights ", "Stops ", "Symbols  in ", program + ": no symbols"} {
			if r.code != 0 || r.err != "" || !strings.Contains(r.out, want) {
				t.Errorf("%s: exit code %d, %q; no %q in\n%s", args, r.code, r.err, want, r.out)
			}
		}
	}
	if after := switches(t, pid(target)); after != before {
		t.Errorf("threads were switched to: %s, then %s", before, after)
	}
	snap(t, "-p", pid(target), "-n", "2")
	if after := switches(t, pid(target)); after == before {
		t.Error("not even samples switch to threads: the test sees nothing")
	}
}

var switched = regexp.MustCompile(`(?m)^(?:non)?voluntary_ctxt_switches:\t(\d+)$`)

// switches are how often each thread was switched to.
func switches(t *testing.T, pid string) string {
	t.Helper()
	files, err := filepath.Glob("/proc/" + pid + "/task/*/status")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range switched.FindAllStringSubmatch(string(b), -1) {
			all = append(all, m[1])
		}
	}
	return strings.Join(all, " ")
}

// TestCheckSaysWhatIsRefused, with the remedy and the code that the call would have.
func TestCheckSaysWhatIsRefused(t *testing.T) {
	refused(t, snap(t, "--check", "-p", "99999999"), exitNoProcess, "99999999")
	refused(t, snap(t, "--check", "--", "true"), exitUsage, "--check is about a process that runs")
	refused(t, snap(t, "--check", "-p", "1", "-o", "x"), exitUsage, "leave out --output")
	if os.Getuid() != 0 {
		refused(t, snap(t, "--check", "-p", "1"), exitNotPermitted, "root")
		return
	}
	target := start(t, compile(t, "deep"), "1", "read")
	refused(t, nobodys(t)("--check", "-p", pid(target)), exitNotPermitted, "run sudo stacksnap -p "+pid(target)+", for it belongs to another user (root, uid 0)")
}
