//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/scripts/firstscreen"
	"stacksnap/task/needs"
)

// stacksnap is the program under test, built once.
var stacksnap string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	os.Unsetenv("STACKSNAP_FLAGS") // who runs the tests may have some
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	stacksnap, compiled = filepath.Join(dir, "stacksnap"), filepath.Join(dir, "compiled")
	build := exec.Command("go", "build", "-o", stacksnap, "stacksnap")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 1
	}
	return m.Run()
}

// need skips the test where a tool is missing.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		needs.Tool(t, tool)
	}
}

// everything tells that what takes long is done, too.
const everything = fewer == 1

// rounds is how often to do what -tags long does n times.
func rounds(n int) int { return max(1, n/fewer) }

// isChosen reports whether case i of many is run: all with -tags long.
func isChosen(i int) bool { return i%fewer == 0 }

// start runs a program until the test ends, and returns when it has said
// "ready".
func start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return startCommand(t, exec.Command(args[0], args[1:]...))
}

// startCommand is start of a command that is ready made.
func startCommand(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Fatalf("%v said %q, %v; want ready", cmd.Args, line, err)
	}
	return cmd
}

// patience is long for any machine: what has not come about by then never will.
const patience = 2 * time.Minute

// eventually waits for a condition that other processes bring about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// sleeps returns when all threads of a process sleep: on a busy machine they go back
// to that late after a stop, and until then stand elsewhere.
func sleeps(t *testing.T, pid string) {
	t.Helper()
	eventually(t, "all threads of "+pid+" sleep", func() bool {
		threads, _ := filepath.Glob("/proc/" + pid + "/task/*/stat")
		return len(threads) > 0 && !slices.ContainsFunc(threads, func(file string) bool {
			b, err := os.ReadFile(file)
			return err == nil && !bytes.Contains(b, []byte(") S "))
		})
	})
}

// readNumber is that of read among the system calls.
var readNumber = strconv.Itoa(syscall.SYS_READ)

// blocksInRead returns when the program's main thread is in its last read, and all
// others sleep: it says "ready" a moment before.
func blocksInRead(t *testing.T, pid string) {
	t.Helper()
	eventually(t, pid+" reads", func() bool {
		b, err := os.ReadFile("/proc/" + pid + "/syscall")
		if err != nil {
			needs.Feature(t, "/proc/PID/syscall", err, fs.ErrNotExist, fs.ErrPermission)
		}
		return bytes.HasPrefix(b, []byte(readNumber+" 0x0 "))
	})
	sleeps(t, pid)
}

func pid(cmd *exec.Cmd) string { return strconv.Itoa(cmd.Process.Pid) }

// result is what a run of stacksnap left behind.
type result struct {
	out, err string
	code     int
}

// snap runs stacksnap to its end.
func snap(t *testing.T, args ...string) result {
	t.Helper()
	r := snapAsIs(t, args...)
	r.out = firstscreen.Ageless(r.out)
	return r
}

// snapAsIs is snap without a change of the output.
func snapAsIs(t *testing.T, args ...string) result {
	t.Helper()
	cmd := exec.Command(stacksnap, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
}

// peer runs another tool and returns what it prints.
func peer(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return out.String()
}
