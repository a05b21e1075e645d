//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
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

// epollWait is the call that epoll_wait makes, which arm64's kernel does not have.
var epollWait = map[string]string{"amd64": "epoll_wait", "arm64": "epoll_pwait"}[runtime.GOARCH]

// pauseCall is the call that pause makes, which arm64's kernel does not have.
var pauseCall = map[string]string{"amd64": "pause", "arm64": "ppoll"}[runtime.GOARCH]

// byItself is what is said of a pipe whose other end the process itself has: there may be processes
// that cannot be read.
const byItself = `which only the process itself has open for writing( \(not all others could be checked\))?`

// sinceStart is what is said of a thread that has run for long enough.
const sinceStart = `(, \d+ % of a CPU since its start|; ready to run \d+ % of the time since its start, it got a CPU for (\d+|under 1) %)?`

// TestFirstLine: the first line of a report says what it is about, and nothing
// that is not known.
func TestFirstLine(t *testing.T) {
	program := compile(t, "situation", "-O1", "-g")
	for situation, want := range map[string]struct{ one, many string }{
		"deadlock": {one: `2 of 3 threads are deadlocked`, many: `2 of 3 threads are deadlocked`},
		"convoy": {one: `4 of 5 threads wait for mutex [ab], held by thread \d+ "situation", called by waiter \(situation\.c:\d+\); thread \d+ "situation" waits in ` + pauseCall + `, called by convoy \(situation\.c:\d+\)`,
			many: `4 of 5 threads wait for mutex [ab], held by thread \d+ "situation", called by waiter \(situation\.c:\d+\)`},
		"lock": {one: `main thread waits for mutex [ab], held by thread \d+ "holder", called by lock \(situation\.c:\d+\); thread \d+ "holder" waits in ` + pauseCall + `, called by holder \(situation\.c:\d+\)`,
			many: `main thread waits for mutex [ab], held by thread \d+ "holder", called by lock \(situation\.c:\d+\), in (all \d+ checks|the only check)`},
		"busy": {one: `busy: main thread, in burn \(situation\.c:\d+\)` + sinceStart,
			many: `(9\d|100) % of the CPU time in burn \(situation\.c:\d+\); CPU time was \d\.\d+ s in \d\.\d+ s(, waiting for a CPU \d+ % of the time when runnable)?|starved: .*`},
		"child": {one: `main thread waits for situation \[\d+\] to end, in wait4: a child process to end, called by child \(situation\.c:\d+\)`,
			many: `main thread waits for situation \[\d+\] to end, in wait4: a child process to end, called by child \(situation\.c:\d+\), in (all \d+ checks|the only check)`},
		"idle": {one: `idle: main thread in ` + epollWait, many: `idle: main thread in ` + epollWait + `, in (all \d+ checks|the only check)`},
		"pipe": {one: `main thread waits in read: fd \d+ pipe:\[\d+\], ` + byItself + `, called by readPipe \(situation\.c:\d+\)`,
			many: `main thread waits in read: fd \d+ pipe:\[\d+\], ` + byItself + `, called by readPipe \(situation\.c:\d+\), in (all \d+ checks|the only check)`},
		"jit": {one: `busy: main thread, in code of no file` + sinceStart,
			many: `(9\d|100) % of the CPU time in generated code, of no file; .*|starved: .*`},
	} {
		t.Run(situation, func(t *testing.T) {
			cmd := start(t, program, situation)
			comesTo(t, want.one, "-p", pid(cmd))
			comesTo(t, want.many, "-p", pid(cmd), "-d", "300ms")
		})
	}
}

// TestHowLongAWaitHasLasted: a thread in epoll_wait is not woken by our snapshots, so that it comes to have
// waited for seconds.
func TestHowLongAWaitHasLasted(t *testing.T) {
	_, err := os.Stat("/proc/self/sched")
	needs.Feature(t, "/proc/PID/sched", err, syscall.ENOENT)
	cmd := start(t, compile(t, "situation", "-O1"), "idle")
	line := regexp.MustCompile("^idle: main thread in " + epollWait + " for at least [2-9] s\n")
	eventually(t, "it has waited for seconds", func() bool { return line.MatchString(snapAsIs(t, "-p", pid(cmd)).out) })
}

func TestFirstLineOfStoppedProcess(t *testing.T) {
	cmd := start(t, compile(t, "situation", "-O1"), "idle")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	comesTo(t, "stopped, by a signal: nothing runs until it goes on; kill -CONT "+pid(cmd)+" continues it", "-p", pid(cmd))
}

// TestFirstLineOfTracedProcess: it is known who holds it, if it was so from the
// start.
func TestFirstLineOfTracedProcess(t *testing.T) {
	cmd := start(t, compile(t, "situation", "-O1"), "idle")
	runtime.LockOSThread() // to which the traced thread answers
	defer runtime.UnlockOSThread()
	needs.Feature(t, "ptrace", syscall.PtraceAttach(cmd.Process.Pid), syscall.EPERM)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WALL, nil); err != nil || !status.Stopped() {
		t.Fatalf("%v, %v", status, err)
	}
	defer func() { _ = syscall.PtraceDetach(cmd.Process.Pid) }()
	file := filepath.Join(t.TempDir(), "it.snap")
	want := fmt.Sprintf("stopped, by %s [%d]: nothing runs until it goes on; it traces the process, so that kill -CONT does nothing", ownName(t), os.Getpid())
	for _, args := range [][]string{{"--no-stop", "-n", "2", "-p", pid(cmd), "--save", file}, {file}} {
		if r := snap(t, args...); r.code != exitOK || firstLine(r.out) != want {
			t.Errorf("%q: exit code %d, %q, want %q; %s", args, r.code, firstLine(r.out), want, r.err)
		}
	}
}

// ownName is that of this process: the kernel keeps 15 bytes of it.
func ownName(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(string(b))
	if base := filepath.Base(os.Args[0]); len(name) == 15 && strings.HasPrefix(base, name) {
		return base
	}
	return name
}

// TestFirstLineOfFault: a thread waits for a page in no system call, and the kernel
// tells what for.
func TestFirstLineOfFault(t *testing.T) {
	program := compile(t, "situation", "-O1")
	var exit *exec.ExitError
	if err := exec.Command("timeout", "0.2", program, "fault").Run(); errors.As(err, &exit) && exit.ExitCode() == 77 {
		needs.Skip(t, "userfaultfd", "not permitted")
	}
	cmd := start(t, program, "fault")
	if b, err := os.ReadFile("/proc/" + pid(cmd) + "/wchan"); err != nil || len(b) == 0 {
		needs.Skip(t, "/proc/PID/wchan", fmt.Sprintf("%q, %v", b, err))
	}
	const want = "main thread waits in a page fault: memory that is provided through userfaultfd, in fault"
	comesTo(t, want, "-p", pid(cmd))
	comesTo(t, want+", in (all \\d+ checks|the only check)", "-p", pid(cmd), "-d", "300ms")
}

// TestZombieIsTold, with who has to wait for it.
func TestZombieIsTold(t *testing.T) {
	cmd := start(t, compile(t, "situation", "-O1"), "zombie")
	b, err := os.ReadFile("/proc/" + pid(cmd) + "/task/" + pid(cmd) + "/children")
	child := strings.TrimSpace(string(b))
	if err != nil || child == "" {
		needs.Skip(t, "/proc/PID/task/TID/children", fmt.Sprint(err))
	}
	r := snap(t, "-p", child)
	want := "stacksnap: pid " + child + " is a zombie (it has already ended, and its parent, pid " + pid(cmd) + " (situation), has not waited for it)\n"
	if r.code != exitNoProcess || r.err != want || r.out != "" {
		t.Errorf("exit code %d, %q, want %q; %s", r.code, r.err, want, r.out)
	}
}

// TestFirstLineOfJIT: Node computes in code that it has made.
func TestFirstLineOfJIT(t *testing.T) {
	need(t, "node")
	cmd := start(t, "node", "testdata/hot.js")
	comesTo(t, `\d+ % of the CPU time in generated code, of no file; .*|starved: .*`, "-p", pid(cmd), "-d", "500ms")
}

// TestFirstLineOfCrash has gdb write a core, as a kernel writes one.
func TestFirstLineOfCrash(t *testing.T) {
	need(t, "gdb")
	program := compile(t, "situation", "-O1")
	core := filepath.Join(t.TempDir(), "core")
	out, err := exec.Command("gdb", "-nx", "-batch", "-ex", "run", "-ex", "generate-core-file "+core, "--args", program, "crash").CombinedOutput()
	if _, missing := os.Stat(core); missing != nil {
		t.Fatalf("gdb made no core: %v\n%s", err, out)
	}
	comesTo(t, `crashed: SIGSEGV \(address 0x10 not mapped\) in thread \d+, in crash \(situation\)`, core)
}

// TestFirstLineOfCollection builds a Go program that does nothing but collect.
func TestFirstLineOfCollection(t *testing.T) {
	program := filepath.Join(t.TempDir(), "collects")
	if b, err := exec.Command("go", "build", "-o", program, "testdata/collects.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	comesTo(t, `\d+ % of the CPU time in Go's garbage collection; .*|starved: .*`, "-p", pid(start(t, program)), "-d", "500ms")
}
