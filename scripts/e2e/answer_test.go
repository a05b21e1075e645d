//go:build linux && (amd64 || arm64)

package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// firstLine is what a report begins with.
func firstLine(report string) string {
	line, _, _ := strings.Cut(report, "\n")
	return line
}

// comesTo takes snapshots until the first line is as wanted: a program that has
// said "ready" is still on its way.
func comesTo(t *testing.T, want string, args ...string) {
	t.Helper()
	line := regexp.MustCompile("^(" + want + ")$")
	var last string
	for end := time.Now().Add(patience); time.Now().Before(end); {
		r := snap(t, args...)
		if r.code != exitOK {
			t.Fatalf("exit code %d: %s", r.code, r.err)
		}
		if last = firstLine(r.out); line.MatchString(last) {
			return
		}
	}
	t.Errorf("the first line is %q, want %s", last, want)
}

// TestFirstLine: the first line of a report says what it is about, and nothing
// that is not known.
func TestFirstLine(t *testing.T) {
	program := compile(t, "situation", "-O1")
	for situation, want := range map[string]struct{ one, many string }{
		"deadlock": {one: `2 of 3 threads are deadlocked`, many: `2 of 3 threads are deadlocked`},
		"convoy": {one: `4 of 5 threads wait for mutex 0x\w+, held by thread \d+ "situation"`,
			many: `4 of 5 threads wait for mutex 0x\w+, held by thread \d+ "situation"`},
		"lock": {one: `main thread waits for mutex 0x\w+, held by thread \d+ "holder"`,
			many: `main thread waits for mutex 0x\w+, held by thread \d+ "holder", in (all \d+ looks|the only look)`},
		"busy": {one: `(busy|runnable|waiting for a CPU): main thread, in burn \(situation\)`,
			many: `(9\d|100) % of the CPU time in burn \(situation\): \d\.\d+ s on CPU in \d\.\d+ s|starved: .*`},
		"child": {one: `main thread waits in wait4: a child process to end`,
			many: `main thread waits in wait4: a child process to end, in (all \d+ looks|the only look)`},
		"idle": {one: `idle: main thread in epoll_wait`, many: `idle: main thread in epoll_wait, in (all \d+ looks|the only look)`},
		"pipe": {one: `main thread waits in read: fd \d+ pipe:\[\d+\]`,
			many: `main thread waits in read: fd \d+ pipe:\[\d+\], in (all \d+ looks|the only look)`},
		"jit": {one: `(busy|runnable|waiting for a CPU): main thread, in code of no file`,
			many: `(9\d|100) % of the CPU time in generated code, of no file: .*|starved: .*`},
	} {
		t.Run(situation, func(t *testing.T) {
			cmd := start(t, program, situation)
			comesTo(t, want.one, "-p", pid(cmd))
			comesTo(t, want.many, "-p", pid(cmd), "-d", "300ms")
		})
	}
}

func TestFirstLineOfStoppedProcess(t *testing.T) {
	cmd := start(t, compile(t, "situation", "-O1"), "idle")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	comesTo(t, "stopped, by a signal or a debugger: nothing runs until it goes on", "-p", pid(cmd))
}

// TestFirstLineOfCollection builds a Go program that does nothing but collect.
func TestFirstLineOfCollection(t *testing.T) {
	program := filepath.Join(t.TempDir(), "collects")
	if b, err := exec.Command("go", "build", "-o", program, "testdata/collects.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	comesTo(t, `\d+ % of the CPU time in Go's garbage collection: .*|starved: .*`, "-p", pid(start(t, program)), "-d", "500ms")
}
