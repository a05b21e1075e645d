//go:build hostile && linux

package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// What no run may take, unless its test says otherwise.
const (
	limit   = 10 * time.Second // of a command that is not told to last
	maxPeak = 200 << 20        // bytes of memory
)

// run is what a run of stacksnap left behind.
type run struct {
	out, err string
	code     int           // -1 if a signal ended it
	took     time.Duration // from its start to its end
	cpu      time.Duration // that it used of processors
	peak     int64         // bytes: the most memory that it, or a child of it, held at once
	hung     bool          // it was killed, for it had not ended in time
}

// snap runs stacksnap to its end, and kills it where that takes longer than limit.
func snap(t *testing.T, limit time.Duration, args ...string) run {
	t.Helper()
	return finish(t, limit, exec.Command(stacksnap, args...))
}

// finish runs a command to its end, in a process group of its own, and kills the group
// where that takes longer than limit. What is beside runs meanwhile.
//
// The peak is of wait4(2), which counts the memory of this program at the fork (the
// kernel's exec_mmap): tests that need much write it to files.
func finish(t *testing.T, limit time.Duration, cmd *exec.Cmd, beside ...func(*os.Process)) (r run) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = time.Second
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range beside {
		go f(cmd.Process)
	}
	late := make(chan bool, 1)
	stop := time.AfterFunc(limit, func() { late <- true; _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	stop.Stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	select {
	case r.hung = <-late:
	default:
	}
	r.out, r.err, r.code, r.took = out.String(), errOut.String(), cmd.ProcessState.ExitCode(), time.Since(began)
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return r
}

// check requires of a run what all must keep.
func (r run) check(t *testing.T) {
	t.Helper()
	if r.hung {
		t.Errorf("it was still running after %v; standard error: %s", r.took.Round(time.Millisecond), r.err)
	}
	if r.peak > maxPeak {
		t.Errorf("it took %d MB", r.peak>>20)
	}
}

// sleeper starts a target that does nothing, and returns its pid once it sleeps: a program
// that is still being loaded has no libraries that could be asked for.
func sleeper(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("sleep", "1000000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	pid := strconv.Itoa(cmd.Process.Pid)
	for {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			t.Fatal(err)
		}
		if stateOf(stat) == 'S' {
			return pid
		}
		time.Sleep(time.Millisecond)
	}
}

// started starts a target that reads its standard input, and returns its pid once it has
// written a line.
func started(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	if _, err := cmd.StdinPipe(); err != nil { // which is closed when it has ended
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

// isStopped reports whether a thread of a process is stopped, by a signal or a tracer.
func isStopped(t *testing.T, pid string) bool {
	t.Helper()
	tasks, err := os.ReadDir("/proc/" + pid + "/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		stat, err := os.ReadFile("/proc/" + pid + "/task/" + task.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		if state := stateOf(stat); state == 'T' || state == 't' {
			return true
		}
	}
	return false
}

// isTraced reports whether a thread of a process has a tracer.
func isTraced(t *testing.T, pid string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/" + pid + "/task/*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err == nil && !bytes.Contains(status, []byte("\nTracerPid:\t0\n")) {
			return true
		}
	}
	return false
}

// stateOf is the state in a stat file of /proc: it follows the name, which may have any
// byte (proc_pid_stat(5)).
func stateOf(stat []byte) byte {
	rest := bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(rest) == 0 {
		return 0
	}
	return rest[0]
}

// needRoot skips the test without root: it becomes other users, or mounts.
func needRoot(t *testing.T) {
	t.Helper()
	needs.Root(t)
}

// needTools skips the test where a tool is missing.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		needs.Tool(t, tool)
	}
}
