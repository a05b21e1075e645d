//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// group is what is read of a document of several processes.
type group struct {
	Schema    string `json:"schema"`
	Spread    *int64 `json:"spread_ns"`
	Captured  int    `json:"captured"`
	Missing   []struct{ PID int }
	Processes []struct {
		Target  struct{ PID int }
		Threads []struct {
			Nodes []struct{}
			Error string // one that waits for a child which has its memory cannot be stopped
		}
	} `json:"processes"`
}

// groupOf runs stacksnap, and requires an exit code.
func groupOf(t *testing.T, code int, args ...string) group {
	t.Helper()
	r := snap(t, append(args, "-f", "json")...)
	if r.code != code || (r.err == "") != (code == exitOK) {
		t.Errorf("%v: exit code %d, want %d: %s", args, r.code, code, r.err)
	}
	var g group
	if err := json.Unmarshal([]byte(r.out), &g); err != nil {
		t.Fatalf("%v: %v in %.300s", args, err, r.out)
	}
	if g.Schema != "stacksnap.group" || g.Captured != len(g.Processes) {
		t.Errorf("%+v", g)
	}
	for _, p := range g.Processes {
		for _, th := range p.Threads {
			if len(th.Nodes) == 0 && th.Error == "" {
				t.Errorf("%v: a thread of %d has no frames", args, p.Target.PID)
			}
		}
	}
	return g
}

// untraced requires that nobody holds a process, and that it does not stand.
func untraced(t *testing.T, pid string) {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, "TracerPid:\t0\n") || regexp.MustCompile(`State:\s[tT]`).MatchString(s) {
		t.Errorf("it is held or stands:\n%s", s)
	}
}

func TestTwoProcesses(t *testing.T) {
	program := compile(t, "deep")
	a, b := pid(start(t, program, "2", "read")), pid(start(t, program, "1", "read"))
	r := snap(t, "-p", a, "-p", b, "-p", a)
	if r.code != exitOK || r.err != "" {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	for _, want := range []string{"Process:         deep [" + a + "]\n", "Process:         deep [" + b + "]\n", "\nProcesses:       2, one captured after another: the last "} {
		if strings.Count("\n"+r.out, want) != 1 {
			t.Errorf("no %q, or several, in\n%s", want, r.out)
		}
	}
	if g := groupOf(t, exitOK, "-p", b, "-p", a); g.Spread == nil || len(g.Processes) != 2 || fmt.Sprint(g.Processes[0].Target.PID) != b {
		t.Errorf("%+v", g)
	}
	for _, args := range [][]string{{"-n", "5"}, {"-n", "5", "--tree"}} {
		if g := groupOf(t, exitOK, append(args, "-p", b, "-p", a)...); g.Spread != nil || len(g.Processes) != 2 {
			t.Errorf("%v: %+v", args, g)
		}
	}
	untraced(t, a)
	untraced(t, b)
}

// TestOneIsMissing costs its own report only.
func TestOneIsMissing(t *testing.T) {
	there := pid(start(t, compile(t, "deep"), "1", "read"))
	for _, missing := range []string{"99999999", "no-process-of-this-name"} {
		for _, more := range [][]string{nil, {"-n", "3"}} {
			args := append([]string{"-p", missing, "-p", there}, more...)
			if g := groupOf(t, exitNoProcess, args...); len(g.Processes) != 1 || len(g.Missing) != 1 {
				t.Errorf("%v: %+v", args, g)
			}
			refused(t, snap(t, append(args, "-o", filepath.Join(t.TempDir(), "report"))...), exitNoProcess, missing)
		}
	}
	refused(t, snap(t, "-p", "99999999", "-p", "99999998"), exitNoProcess, "99999999", "1 more")
	refused(t, snap(t, "-p", "no-process-of-this-name", "--all"), exitNoProcess, "no-process-of-this-name")
}

func TestAllOfOneName(t *testing.T) {
	program := copyOf(t, compile(t, "deep"), "all-of-e2e")
	for range 3 {
		start(t, program, "1", "read")
	}
	if g := groupOf(t, exitOK, "-p", "all-of-e2e", "--all"); len(g.Processes) != 3 || len(g.Missing) != 0 {
		t.Errorf("%+v", g)
	}
}

// TestTreeThatChanges is of a program that starts others all the time, which end
// as they are looked at: each process is there once, the program itself always, and
// what has ended is no error.
func TestTreeThatChanges(t *testing.T) {
	need(t, "sh")
	root := start(t, "sh", "-c", "echo ready; while :; do sh -c :; done")
	for range 20 {
		g := groupOf(t, exitOK, "-p", pid(root), "--tree")
		seen := map[int]bool{}
		for _, p := range g.Processes {
			if seen[p.Target.PID] {
				t.Errorf("%d is there twice", p.Target.PID)
			}
			seen[p.Target.PID] = true
		}
		if !seen[root.Process.Pid] {
			t.Errorf("%+v has no %d", g, root.Process.Pid)
		}
		untraced(t, pid(root))
	}
}

// TestOneOfAnotherUser costs its own report, and one line.
func TestOneOfAnotherUser(t *testing.T) {
	needs.Root(t)
	need(t, "sleep")
	target := asNobody(exec.Command("sleep", "1000"))
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = target.Process.Kill()
		_ = target.Wait()
	})
	roots := pid(start(t, compile(t, "deep"), "1", "read"))
	run := nobodys(t)
	if r := run("-p", pid(target)); r.code != exitOK {
		needs.Skip(t, "ptrace", r.err)
	}
	r := run("-p", roots, "-p", pid(target))
	refused(t, r, exitNotPermitted, roots)
	if !strings.Contains(r.out, "\nProcess:         sleep ["+pid(target)+"]\n") || !strings.Contains(r.out, "Missing:         not permitted to read pid "+roots) {
		t.Error(r.out)
	}
}
