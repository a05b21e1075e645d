//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// startLoop starts a program with a run loop, which tells each turn of it.
func startLoop(t *testing.T, turns ...string) (cmd *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	program := compileFile(t, "../../format/profile/hang/testdata/loop.c", "-O1", "-g", "-pthread")
	cmd = exec.Command(program, append([]string{"idle:1"}, turns...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines = bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the loop ended")
	}
	return cmd, lines
}

// TestPausedWatch: a watch that did not run for a while takes no healthy program
// for stuck, and says that it does not know about that time.
func TestPausedWatch(t *testing.T) {
	target, lines := startLoop(t, "work:600000")
	w := run(t, "-p", pid(target), "--hang", "1s")
	w.looks(10)
	for range rounds(2) {
		pauseFor(t, w.Process, 2500*time.Millisecond)
		w.says("could not be observed for")
		w.looks(20)
	}
	r := w.end()
	if r.code != exitOK || !strings.Contains(r.err, "hangs in this time are not known") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	_ = target.Process.Kill()
	for lines.Scan() {
		if strings.Contains(lines.Text(), "late") {
			needs.Skip(t, "a quiet machine", "the program was late itself")
		}
	}
	if r.out != "" {
		t.Errorf("false alarm:\n%s", r.out)
	}
}

// TestPausedWithItsTarget stops both, as a machine that is suspended does.
func TestPausedWithItsTarget(t *testing.T) {
	target, _ := startLoop(t, "idle:600000")
	w := run(t, "-p", pid(target), "--hang", "300ms")
	w.looks(5)
	before := queued(t, pid(target))
	signal(t, w.Process, unix.SIGSTOP)
	pauseFor(t, target.Process, 2*time.Second)
	signal(t, w.Process, unix.SIGCONT)
	w.says("could not be observed for")
	w.looks(10)
	r := w.end()
	if late := queued(t, pid(target)) - before; r.out != "" && late > 200*time.Millisecond {
		needs.Skip(t, "a quiet machine", fmt.Sprintf("the target waited for a processor for %v, which is a hang", late))
	}
	if r.code != exitOK || r.out != "" || len(ofTarget(r.err)) != 1 {
		t.Errorf("exit code %d: %s\n%s", r.code, r.err, r.out)
	}
}

// TestPausedSampling: every snapshot that was due is either there or counted as
// missed, and none is made up for.
func TestPausedSampling(t *testing.T) {
	const interval, length, pause = 10 * time.Millisecond, 4 * time.Second, time.Second
	target := start(t, compile(t, "deep", "-O2"), "2", "spin")
	recording := filepath.Join(t.TempDir(), "recording")
	w := run(t, "-p", pid(target), "-d", length.String(), "-i", interval.String(), "--save", recording, "-f", "json")
	w.until("the first snapshot", func() bool {
		info, err := os.Stat(recording)
		return err == nil && info.Size() > 4096
	})
	pauseFor(t, w.Process, pause)
	r := w.result()
	var p struct {
		Snapshots int `json:"snapshots"`
		Missed    int `json:"missed_ticks"`
	}
	if err := json.Unmarshal([]byte(r.out), &p); err != nil || r.code != exitOK {
		t.Fatalf("exit code %d: %s: %v", r.code, r.err, err)
	}
	t.Logf("%d snapshots, %d missed", p.Snapshots, p.Missed)
	if due := int(length / interval); p.Snapshots+p.Missed != due {
		t.Errorf("%d snapshots and %d missed, of %d that were due", p.Snapshots, p.Missed, due)
	}
	if p.Missed == 0 {
		t.Error("none was missed in the pause")
	}
	if report := snap(t, recording); !strings.Contains(report.out, strconv.Itoa(p.Missed)+" missed") {
		t.Errorf("the report does not say how many were missed:\n%s", report.out)
	}
}

var leftOut = regexp.MustCompile(`(\d+) reports were due since the last one`)

// TestPausedReports: reports that were due in a pause are counted in the next.
func TestPausedReports(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "1", "read")
	w := run(t, "-p", pid(target), "--every", "50ms")
	reported := func(what string, ok func(string) bool) {
		w.until(what, func() bool { return ok(w.text(w.out)) })
	}
	reported("the first report", func(out string) bool { return strings.Contains(out, "Process:") })
	pauseFor(t, w.Process, time.Second)
	// A busy machine has some left out too, but the pause at least these.
	const most = 19
	reported("that reports were left out", func(out string) bool {
		for _, m := range leftOut.FindAllStringSubmatch(out, -1) {
			if n, _ := strconv.Atoi(m[1]); n >= most {
				return true
			}
		}
		return false
	})
	if r := w.end(); r.code != exitOK || !strings.Contains(r.err, "periodic report") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}

// trace attaches to every thread of a process, as a debugger does, until it is told
// to let go or the test ends.
func trace(t *testing.T, pid int) (letGo func()) {
	t.Helper()
	attached, done, left := make(chan error), make(chan bool), make(chan bool)
	go func() {
		defer close(left)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		threads, err := tids(pid)
		for _, tid := range threads {
			err = errors.Join(err, seize(tid))
		}
		attached <- err
		<-done
		for _, tid := range threads {
			if unix.PtraceInterrupt(tid) == nil { // it has to stand to be let go of
				_, _ = unix.Wait4(tid, nil, unix.WALL, nil)
				_ = unix.PtraceDetach(tid)
			}
		}
	}()
	letGo = sync.OnceFunc(func() {
		close(done)
		<-left
	})
	t.Cleanup(letGo)
	needs.Feature(t, "ptrace", <-attached, syscall.EPERM)
	return letGo
}

// seize traces a thread. A stacksnap of the same test may trace it at that moment, for
// microseconds, and the call then fails with EPERM as if it were not permitted at all.
func seize(tid int) (err error) {
	for end := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		if err = unix.PtraceSeize(tid); err != unix.EPERM || time.Now().After(end) {
			return err
		}
	}
}

func tids(pid int) (ids []int, err error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, e := range entries {
		id, _ := strconv.Atoi(e.Name())
		ids = append(ids, id)
	}
	return ids, err
}

// TestDebuggedTarget: who traces it is told in one line.
func TestDebuggedTarget(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "1", "read")
	w := run(t, "-p", pid(target), "--every", "50ms")
	w.until("the first report", func() bool { return strings.Contains(w.text(w.out), "Process:") })
	letGo := trace(t, target.Process.Pid)
	w.says("traces the target")
	saved := filepath.Join(t.TempDir(), "saved.snap")
	for _, args := range [][]string{nil, {"-n", "10"}, {"-n", "10", "--suspend", "task"}, {"--hang", "50ms"}, {"--every", "1s"},
		{"--save", saved}, {"-n", "10", "--save", saved}} {
		refused(t, snap(t, append([]string{"-p", pid(target)}, args...)...), exitNotPermitted, "already tracing it", "detach")
	}
	if _, err := os.Stat(saved); !os.IsNotExist(err) {
		t.Errorf("a recording of nothing: %v", err)
	}
	if r := snap(t, "-p", pid(target), "--no-stop", "-n", "2"); r.code != exitOK || !strings.Contains(r.out, "Process:") {
		t.Errorf("without a stop: exit code %d: %s", r.code, r.err)
	}
	letGo()
	w.says("no longer traces the target")
	w.until("a report that says so", func() bool { return strings.Contains(w.text(w.out), "no stacks were captured for") })
	if r := w.end(); r.code != exitOK || strings.Count(r.err, "until it lets go") != 1 {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}
