//go:build linux && amd64 && screens

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// state reports whether a process has come to the state that a situation is about.
type state func(t *testing.T, pid int) bool

// await waits until a process is in a state, and returns its pid.
func await(t *testing.T, pid int, in state) int {
	t.Helper()
	eventually(t, fmt.Sprintf("process %d is in the state to be captured", pid), func() bool { return in(t, pid) })
	return pid
}

// compilers are the command of each up to what it makes; gcc is run by [compileFile].
var compilers = map[string][]string{
	"g++":   {"g++", "-O1", "-g", "-pthread", "-o"},
	"rustc": {"rustc", "-g", "-o"},
	"go":    {"go", "build", "-o"},
}

// compileBy builds a file, or a folder, of testdata/screens.
func compileBy(t *testing.T, compiler, source string) string {
	t.Helper()
	file := filepath.Join("testdata", "screens", source)
	if compiler == "gcc" {
		return compileFile(t, file, "-O1", "-g", "-pthread")
	}
	need(t, compiler)
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(source, filepath.Ext(source)))
	build := slices.Concat(compilers[compiler], []string{program, "./" + file})
	if out, err := exec.Command(build[0], build[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	return program
}

// compiledBy starts a program of testdata/screens.
func compiledBy(compiler, source string, in state) func(*testing.T) int {
	return func(t *testing.T) int {
		return await(t, startBroken(t, exec.Command(compileBy(t, compiler, source))), in)
	}
}

// deadlocked: each of its three threads waits for a futex.
var deadlocked = threadsIn(unix.SYS_FUTEX, 3)

// waitsIn is that of a process whose main thread is in one of these system calls.
func waitsIn(numbers ...int) state {
	return func(_ *testing.T, pid int) bool {
		call, ok := callOf(callIn(fmt.Sprintf("/proc/%d", pid)))
		return ok && slices.Contains(numbers, call.number)
	}
}

// threadsIn is that of a process with n threads in a system call.
func threadsIn(number, n int) state {
	return func(_ *testing.T, pid int) bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		in := 0
		for _, dir := range threads {
			if call, ok := callOf(callIn(dir)); ok && call.number == number {
				in++
			}
		}
		return in == n
	}
}

// callIn reads the syscall file of a thread, which may have ended.
func callIn(dir string) stand {
	b, _ := os.ReadFile(filepath.Join(dir, "syscall"))
	return stand{call: strings.TrimSpace(string(b))}
}

// burns: it has had a processor for half a second, longer than any of them sets up.
func burns(_ *testing.T, pid int) bool { return ticks(pid) >= 50 }

// ticks returns the time that a process has run in user mode, in hundredths of a second
// (proc_pid_stat(5), utime; USER_HZ is 100).
func ticks(pid int) int { return statField(pid, 11) }

// statField reads a number of a process's stat file, counted from the state; 0 where there is none.
func statField(pid, n int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := bytes.Cut(b, []byte(") "))
	fields := bytes.Fields(after)
	if len(fields) <= n {
		return 0
	}
	v, _ := strconv.Atoi(string(fields[n]))
	return v
}

// isIn is that of a process whose main thread has a state (proc_pid_stat(5)).
func isIn(letter string) state {
	return func(_ *testing.T, pid int) bool {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return bytes.Contains(b, []byte(") "+letter+" "))
	}
}

// faults: it sleeps for a page from the disk, in no system call, and has often done so.
func faults(t *testing.T, pid int) bool {
	const majorFaults = 9 // proc_pid_stat(5), majflt, counted from the state
	return isIn("D")(t, pid) && strings.HasPrefix(callIn(fmt.Sprintf("/proc/%d", pid)).call, "-1 ") && statField(pid, majorFaults) >= 2000
}

// child waits for the first child of a process that runs a program.
func child(t *testing.T, parent int, program string) (pid int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d has a child %s", parent, program), func() bool {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
		for _, field := range strings.Fields(string(children)) {
			name, _ := os.ReadFile("/proc/" + field + "/comm")
			if strings.TrimSpace(string(name)) == program {
				pid, _ = strconv.Atoi(field)
			}
		}
		return pid != 0
	})
	return pid
}
