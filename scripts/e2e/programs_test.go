//go:build linux

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// snapWhenSettled snapshots until the wanted functions are all there: a program
// that has said "ready" may still be on its way into its last call.
func snapWhenSettled(t *testing.T, pid string, functions ...string) (stacks, string) {
	t.Helper()
	var r result
	eventually(t, fmt.Sprintf("%v are all there", functions), func() bool {
		r = snap(t, "-p", pid, "--no-merge", "--addresses", "--no-runtimes")
		if r.code != exitOK {
			t.Fatalf("exit code %d: %s", r.code, r.err)
		}
		return !slices.ContainsFunc(functions, func(f string) bool { return !strings.Contains(r.out, f) })
	})
	return parseOurs(r.out), r.out
}

// allReachBottom requires that no walk ended early.
func allReachBottom(t *testing.T, report string) {
	t.Helper()
	if strings.Contains(report, "stack cut here") {
		t.Errorf("a stack is cut:\n%s", report)
	}
}

func TestPython(t *testing.T) {
	need(t, "python3", "eu-stack")
	cmd := start(t, "python3", "testdata/threads.py")
	blocksInRead(t, pid(cmd))
	comesToAgree(t, func(c checker) {
		ours, report := snapWhenSettled(t, pid(cmd), "clock_nanosleep", " read + ")
		allReachBottom(t, report)
		sleeps(t, pid(cmd))
		checkPeer(c, ours, parseEU(peer(t, "eu-stack", "-n", "0", "-p", pid(cmd))))
		sleeps(t, pid(cmd))
	})
}

// TestNode reaches through the interpreter, which has no unwind data and where eu-stack gives
// up.
func TestNode(t *testing.T) {
	need(t, "node")
	cmd := start(t, "node", "testdata/worker.js")
	_, report := snapWhenSettled(t, pid(cmd), "uv__io_poll", "FutexEmulation", "node::worker::Worker::Run()")
	allReachBottom(t, report)
	for _, want := range []string{"node::Start(int, char**)", "uv_run", "epoll_pwait", "Builtins_InterpreterEntryTrampoline"} {
		if !strings.Contains(report, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestGoProgram(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target")
	if b, err := exec.Command("go", "build", "-o", target, "stacksnap/scripts/demo/target").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	cmd := start(t, target)
	ours, report := snapWhenSettled(t, pid(cmd), "syscall.Flock", "main.busy", "main.blocked")
	allReachBottom(t, report)
	want := []string{"syscall.Flock", "main.lock", "main.lockBoth"}
	locked := 0
	for _, frames := range ours {
		var names []string
		for _, f := range frames {
			names = append(names, f.name)
		}
		if i := slices.Index(names, want[0]); i >= 0 && slices.Equal(names[i:i+len(want)], want) {
			locked++
			if last := names[len(names)-1]; !strings.HasPrefix(last, "runtime.goexit") {
				t.Errorf("the outermost frame is %s", last)
			}
		}
	}
	if locked != 2 {
		t.Errorf("%d threads in the deadlock, want 2:\n%s", locked, report)
	}
}
