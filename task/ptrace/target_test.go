//go:build linux

package ptrace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// The test binary is also a target and a tracer: see helperMode.
const helperEnv = "STACKSNAP_PTRACE_HELPER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperEnv); mode != "" {
		runHelper(mode, os.Args[1:])
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "ptrace")
	if err != nil {
		panic(err)
	}
	programDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var programDir string

// threadsProgram compiles testdata/threads.c once.
var threadsProgram = sync.OnceValues(func() (string, error) {
	out := filepath.Join(programDir, "threads")
	msg, err := exec.Command("gcc", "-O1", "-pthread", "-w", "-o", out, "testdata/threads.c").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, msg)
	}
	return out, nil
})

// target is a running testdata/threads.
type target struct {
	*exec.Cmd
	pid      int
	counters []byte
}

// The counters of testdata/threads.c.
const (
	work = iota
	eintr
	usr1
	realtime
	bad
)

func (g *target) count(i int) int { return int(binary.NativeEndian.Uint64(g.counters[8*i:])) }

// startThreads starts testdata/threads as our child, and skips without gcc.
func startThreads(t testing.TB, args ...any) *target {
	t.Helper()
	return startThreadsWith(t, func(*exec.Cmd) {}, args...)
}

// startThreadsWith starts it as change wants.
func startThreadsWith(t testing.TB, change func(*exec.Cmd), args ...any) *target {
	t.Helper()
	needs.Tool(t, "gcc")
	path, err := threadsProgram()
	if err != nil {
		t.Fatal(err)
	}
	return startProgramWith(t, change, path, args...)
}

func startProgram(t testing.TB, path string, args ...any) *target {
	t.Helper()
	return startProgramWith(t, func(*exec.Cmd) {}, path, args...)
}

func startProgramWith(t testing.TB, change func(*exec.Cmd), path string, args ...any) *target {
	t.Helper()
	words := strings.Fields(fmt.Sprintln(args...))
	g := &target{Cmd: exec.Command(path, words...)}
	file := filepath.Join(t.TempDir(), "counters")
	g.mapCounters(t, file)
	g.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	g.Env = append(os.Environ(), "STACKSNAP_COUNTER="+file)
	change(g.Cmd)
	out, err := g.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(); err != nil {
		t.Fatal(err)
	}
	g.pid = g.Process.Pid
	t.Cleanup(func() {
		_ = unix.Kill(-g.pid, unix.SIGKILL) // and what it has started
		_ = g.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("target said %q, %v", line, err)
	}
	return g
}

func (g *target) mapCounters(t testing.TB, file string) {
	t.Helper()
	if err := os.WriteFile(file, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	g.counters, err = unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(g.counters) })
}

// attach opens a process and skips where that is not allowed even for our own
// child.
func attach(t testing.TB, pid int) *Process {
	t.Helper()
	p, err := Open(pid)
	if err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// One that did not stop in time would be left attached, and nobody could wait for the target.
		eventually(t, "no thread is attached", func() bool { return p.DetachLate() == 0 })
		_ = p.Close()
	})
	return p
}

func take(t testing.TB, p *Process, s *task.Snapshot) {
	t.Helper()
	if err := task.Take(p, s); err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
}

func skipRefused(t testing.TB, err error) {
	t.Helper()
	if errors.As(err, new(*task.PermissionError)) {
		needs.Ptrace(t, err)
	}
}

// eventually waits for a condition that another process brings about, and fails
// when it does not come within a time that is long for any machine.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// advances waits until the target has done more work.
func (g *target) advances(t testing.TB) {
	t.Helper()
	was := g.count(work)
	eventually(t, "the target does more work", func() bool { return g.count(work) > was })
}

// states returns the letters of all threads' states.
func states(pid int) string {
	var all []byte
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if at := bytes.LastIndex(b, []byte(") ")); err == nil && at > 0 {
			all = append(all, b[at+2])
		}
	}
	return string(all)
}

func tracerOf(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(b), "\nTracerPid:")
	tracer := 0
	_, _ = fmt.Sscan(rest, &tracer)
	return tracer
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
