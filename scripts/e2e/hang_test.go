//go:build linux

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestIdleWatchIsCheap counts what a look costs both sides: stacksnap reads one
// file and wakes one thread once, and the target does not come to a processor.
func TestIdleWatchIsCheap(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "1", "read")
	blocksInRead(t, pid(target))
	w := run(t, "-p", pid(target), "--hang", "20ms")
	w.looks(20) // the runtime has settled
	runs, reads, switches := schedule(t, pid(target)), w.reads(), w.switches()
	const looks = 100
	w.looks(looks)
	reads, switches = w.reads()-reads, w.switches()-switches
	t.Logf("%d looks, %d switches between threads", reads, switches)
	if switches > reads+reads/4+10 {
		t.Errorf("%d switches between threads for %d looks", switches, reads)
	}
	if now := schedule(t, pid(target)); now != runs {
		t.Errorf("the target has run: %q before, %q after", runs, now)
	}
	if n := number(t, "/proc/"+pid(target)+"/status", "TracerPid:"); n != 0 {
		t.Errorf("process %d traces the target", n)
	}
	if r := w.end(); r.code != exitOK || r.out != "" || !hasNotRun(r.err) {
		t.Errorf("exit code %d, %q, %q", r.code, r.out, r.err)
	}
}

// hasNotRun reports whether all that a watch of a thread in read said is that it has not run.
func hasNotRun(said string) bool {
	lines := ofTarget(said)
	return len(lines) == 1 && strings.HasPrefix(lines[0], "stacksnap: watched ") && strings.Contains(lines[0], ": the main thread has not run for ") &&
		strings.Contains(lines[0], ", in read; whether it hung before, we can't know")
}

// ofTarget are the lines that a watch has said, but for those of times in which it
// had no processor to check it, and that the thread has not run so far.
func ofTarget(said string) (lines []string) {
	for line := range strings.Lines(said) {
		if !strings.Contains(line, "could not be observed for") && !strings.Contains(line, "has not run since the watch began") {
			lines = append(lines, line)
		}
	}
	return lines
}

// queued is for how long a main thread has waited for a processor.
func queued(t *testing.T, pid string) (d time.Duration) {
	t.Helper()
	var ran int64
	if _, err := fmt.Sscan(schedule(t, pid), &ran, (*int64)(&d)); err != nil {
		t.Fatal(err)
	}
	return d
}

// schedule is how long a main thread has run, and how often.
func schedule(t *testing.T, pid string) string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/schedstat")
	needs.Feature(t, "/proc/PID/schedstat", err, fs.ErrNotExist)
	return string(b)
}

// switches counts how often threads of stacksnap have gone to sleep.
func (w *watching) switches() (n int) {
	w.t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", w.Process.Pid))
	for _, f := range files {
		n += number(w.t, f, "voluntary_ctxt_switches:")
	}
	return n
}

// TestStoppedTargetIsNoHang: that it is stopped is told, and that it goes on, once.
func TestStoppedTargetIsNoHang(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "1", "read")
	blocksInRead(t, pid(target))
	w := run(t, "-p", pid(target), "--hang", "400ms")
	w.looks(5)
	before := queued(t, pid(target))
	signal(t, target.Process, syscall.SIGSTOP)
	w.says("the target is stopped")
	w.looks(20)
	signal(t, target.Process, syscall.SIGCONT)
	w.says("the target goes on")
	w.looks(5)
	r := w.end()
	if late := queued(t, pid(target)) - before; r.out != "" && late > 300*time.Millisecond {
		needs.Skip(t, "a quiet machine", fmt.Sprintf("the target waited for a processor for %v, which is a hang", late))
	}
	if r.code != exitOK || r.out != "" || len(ofTarget(r.err)) != 3 {
		t.Errorf("exit code %d, %q, %q", r.code, r.out, r.err)
	}
}

// TestStoppedInAHang ends the report of a thread that computes when it is stopped.
func TestStoppedInAHang(t *testing.T) {
	worker := startWorker(t)
	dir := t.TempDir()
	w := run(t, "-p", worker.pid(), "--thread", spinner(t, worker), "--hang", "50ms", "--max-hang", "1h", "--dir", dir)
	w.until("it sampled the hang", func() bool {
		files, _ := filepath.Glob(dir + "/*.snap")
		return len(files) > 0
	})
	signal(t, worker.process, syscall.SIGSTOP)
	stood := worker.counts(t)
	w.says("wrote")
	if worker.counts(t) != stood {
		t.Error("the target was set running")
	}
	files, _ := filepath.Glob(dir + "/*.txt")
	if !slices.ContainsFunc(files, func(file string) bool { return strings.Contains(w.text(file), "the thread was stopped") }) {
		t.Errorf("reports: %v", files)
	}
	w.says("the target is stopped")
	signal(t, worker.process, syscall.SIGCONT)
	if r := w.end(); r.code != exitOK { // before it finds another hang, and stops the target itself
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	worker.runsOn(t)
}

// TestStoppedTargetIsSampled says where it stands, and that it stands.
func TestStoppedTargetIsSampled(t *testing.T) {
	worker := startWorker(t)
	worker.runsOn(t) // its threads have begun
	signal(t, worker.process, syscall.SIGSTOP)
	stood := worker.counts(t)
	for _, args := range [][]string{{"-p", worker.pid()}, {"-p", worker.pid(), "-n", "20", "-i", "5ms"},
		{"-p", worker.pid(), "-n", "20", "-i", "5ms", "--suspend", "task"}} {
		r := snap(t, args...)
		if r.code != exitOK || !strings.Contains(r.out, "the target was stopped, by a signal") || !strings.Contains(r.out, "spinner") {
			t.Errorf("%v: exit code %d: %s\n%s", args, r.code, r.err, r.out)
		}
		if !stands(worker.process.Pid) || worker.counts(t) != stood {
			t.Errorf("%v: the target was set running", args)
		}
	}
	signal(t, worker.process, syscall.SIGCONT)
	worker.runsOn(t)
	if r := snap(t, "-p", worker.pid()); strings.Contains(r.out, "was stopped, by") {
		t.Errorf("it goes on:\n%s", r.out)
	}
}
