//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheFirstThingsTyped by who has never used it.
func TestTheFirstThingsTyped(t *testing.T) {
	program := copyOf(t, compile(t, "deep", "-O2"), "first-of-e2e")
	target := start(t, program, "2", "read")
	blocksInRead(t, pid(target))
	t.Chdir(filepath.Dir(program))
	copyFile(t, program, "idle-of-e2e")
	script := "#!/bin/sh\n"
	if err := os.WriteFile("script", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	usage := snap(t)
	if usage.code != exitUsage || usage.out != "" || !strings.HasPrefix(usage.err, "usage: stacksnap -p PID|NAME") {
		t.Errorf("alone: exit code %d, %q, %q", usage.code, usage.out, usage.err)
	}
	for _, args := range []string{"first-of-e2e", pid(target), "-p " + pid(target), "./first-of-e2e", "-p ./first-of-e2e", program} {
		if r := snap(t, strings.Fields(args)...); r.code != 0 || len(threadsOf(r.out)) != 3 || threadsOf(r.out)[0] != pid(target) {
			t.Errorf("%s: exit code %d, %q\n%s", args, r.code, r.err, r.out)
		}
	}
	if r := snap(t, "help"); r.code != 0 || r.err != "" || strings.Count(r.out, "\n") > 24 || !strings.Contains(r.out, "permissions") {
		t.Errorf("help: exit code %d, %q\n%s", r.code, r.err, r.out)
	}
	if r := snap(t, "help", "-d"); r.code != 0 || r.err != "" || !strings.Contains(r.out, "--duration TIME") {
		t.Errorf("help -d: exit code %d, %q\n%s", r.code, r.err, r.out)
	}
	refused(t, snap(t, "help", "tpo"), exitUsage, "did you mean top?")
	for _, args := range []string{"--help", "-h"} {
		if r := snap(t, args); r.code != 0 || r.err != "" || strings.Count(r.out, "\n") > 24 || !strings.Contains(r.out, "--pid") {
			t.Errorf("%s: exit code %d, %q\n%s", args, r.code, r.err, r.out)
		}
	}
	if r := snap(t, "--help", "all"); r.code != 0 || strings.Count(r.out, "$ stacksnap ") < 28 || !strings.Contains(r.out, "exit codes") {
		t.Errorf("--help all: exit code %d, %q\n%s", r.code, r.err, r.out)
	}
	refused(t, snap(t, "-p"), exitUsage, "-p needs a PID|NAME, as in: stacksnap -p nginx")
	refused(t, snap(t, "core"), exitNoProcess, `no process and no file named "core"`)
	refused(t, snap(t, "*.snap"), exitNoProcess, `no process and no file named "*.snap"`)
	refused(t, snap(t, "./idle-of-e2e"), exitNoProcess, `"./idle-of-e2e" is a program that does not run: start it with -- ./idle-of-e2e`)
	refused(t, snap(t, "./idle-of-e2e", "1", "read"), exitUsage, "stacksnap -- ./idle-of-e2e 1 read")
	refused(t, snap(t, "./idle-of-e2e", "arg"), exitUsage, "stacksnap -- ./idle-of-e2e arg")
	refused(t, snap(t, "./script"), exitNoProcess, "is a script")
	for _, name := range []string{"a.snap", "b.snap", "core"} {
		snap(t, "-p", pid(target), "--save", name)
	}
	refused(t, snap(t, "a.snap", "b.snap"), exitUsage, "one at a time", `for f in *.snap; do stacksnap "$f"; done`)
	for _, file := range []string{"a.snap", "core"} {
		if r := snap(t, file); r.code != 0 || len(threadsOf(r.out)) != 3 {
			t.Errorf("%s: exit code %d, %q", file, r.code, r.err)
		}
	}
	if err := os.Chmod("core", 0o755); err != nil { // as where a file system knows no modes
		t.Fatal(err)
	}
	if r := snap(t, "core"); r.code != 0 || len(threadsOf(r.out)) != 3 {
		t.Errorf("core that may be executed: exit code %d, %q", r.code, r.err)
	}
}

// TestFlagsForEveryCall are in the environment.
func TestFlagsForEveryCall(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "8", "read")
	blocksInRead(t, pid(target))
	with := func(flags string, args ...string) (r result) {
		cmd := exec.Command(stacksnap, args...)
		cmd.Env = append(os.Environ(), "STACKSNAP_FLAGS="+flags)
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		_ = cmd.Run()
		return result{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
	}
	all, merged := with("--no-merge", "-p", pid(target)), with("", "-p", pid(target))
	if a, b := len(threadsOf(all.out)), len(threadsOf(merged.out)); a != 9 || b >= a {
		t.Errorf("%d threads, merged %d: %s", a, b, merged.err)
	}
	if again := with("--no-merge", "-p", pid(target), "--no-merge=false"); len(threadsOf(again.out)) != len(threadsOf(merged.out)) {
		t.Errorf("the command line did not win: %s\n%s", again.err, again.out)
	}
	refused(t, with("--merge 'x", "-p", pid(target)), exitUsage, "STACKSNAP_FLAGS: a quotation mark is not closed")
	refused(t, with("--merge \x1b[31m", "-p", pid(target)), exitUsage, `STACKSNAP_FLAGS: "\x1b[31m" is no flag`)
	if r := with("'", "--help"); r.code != 0 {
		t.Errorf("help: exit code %d, %s", r.code, r.err)
	}
}
