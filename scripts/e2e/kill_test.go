//go:build linux

package e2e

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// The slots of testdata/work.c.
const (
	slotSent = iota
	slotReceived
	slotSpun
	slotRead
	slotFutex
	slotNanosleep
	slotEpoll
	slotPoll
	slotSelect
	slotPID
	slots
)

// interruptible are the slots that count EINTR.
var interruptible = map[int]string{
	slotRead: "read", slotFutex: "futex", slotNanosleep: "nanosleep",
	slotEpoll: "epoll_wait", slotPoll: "poll", slotSelect: "select",
}

// worker is a running testdata/work.c.
type worker struct {
	process *os.Process
	file    string
}

func (w worker) pid() string { return strconv.Itoa(w.process.Pid) }

func startWorker(t *testing.T) worker {
	t.Helper()
	w := worker{file: filepath.Join(t.TempDir(), "counts")}
	w.process = start(t, compile(t, "work", "-O1"), w.file).Process
	return w
}

func (w worker) counts(t *testing.T) [slots]int64 {
	t.Helper()
	b, err := os.ReadFile(w.file)
	if err != nil || len(b) < slots*8 {
		t.Fatalf("counts: %d bytes, %v", len(b), err)
	}
	var c [slots]int64
	for i := range c {
		c[i] = int64(binary.LittleEndian.Uint64(b[i*8:]))
	}
	return c
}

var stoppedState = regexp.MustCompile(`(?m)^State:\s+([tT])|^TracerPid:\s+([1-9]\d*)`)

// runsOn requires that no thread is stopped or traced and that work is done. A
// tracer that has been reaped holds nothing any more, so there is nothing to
// wait for but the work itself.
func (w worker) runsOn(t *testing.T) {
	t.Helper()
	tasks, _ := filepath.Glob("/proc/" + w.pid() + "/task/*/status")
	if len(tasks) == 0 {
		t.Fatal("the target is gone")
	}
	for _, status := range tasks {
		if b, err := os.ReadFile(status); err == nil && stoppedState.Match(b) {
			t.Fatalf("left behind:\n%s", b)
		}
	}
	before := w.counts(t)
	for {
		now := w.counts(t)
		if now[slotReceived] > before[slotReceived] && now[slotSpun] > before[slotSpun] {
			return
		}
		if err := w.process.Signal(syscall.Signal(0)); err != nil {
			t.Fatalf("the target ended: %v", err)
		}
		runtime.Gosched()
	}
}

// TestKilledAtRandomMoments kills stacksnap while it works. STACKSNAP_KILLS says
// how often.
func TestKilledAtRandomMoments(t *testing.T) {
	kills := killsOr(100)
	w := startWorker(t)
	whole := wallTime(t, w.pid())
	for range kills {
		cmd := exec.Command(stacksnap, "-p", w.pid())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The moment is random; nothing depends on what stacksnap was doing then.
		<-time.After(rand.N(whole))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		w.runsOn(t)
	}
	t.Logf("killed %d times within %v of its start", kills, whole)
}

// killsOr is how often to kill, n or fewer when nobody says.
func killsOr(n int) int {
	if asked, err := strconv.Atoi(os.Getenv("STACKSNAP_KILLS")); err == nil {
		return asked
	}
	return rounds(n)
}

// wallTime is how long one whole run takes.
func wallTime(t *testing.T, pid string) time.Duration {
	t.Helper()
	begin := time.Now()
	if r := snap(t, "-p", pid); r.code != exitOK {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	return time.Since(begin)
}

// TestNoMoreInterruptedCallsThanEUStack looks at which calls come back with
// EINTR: only those that do so under eu-stack may.
func TestNoMoreInterruptedCallsThanEUStack(t *testing.T) {
	need(t, "eu-stack")
	w := startWorker(t)
	runs := rounds(20)
	idle := w.counts(t)
	for range runs {
		peer(t, "eu-stack", "-p", w.pid())
	}
	theirs := w.counts(t)
	for range runs {
		if r := snap(t, "-p", w.pid()); r.code != exitOK {
			t.Fatalf("exit code %d: %s", r.code, r.err)
		}
	}
	ours := w.counts(t)
	for slot, name := range interruptible {
		eu, us := theirs[slot]-idle[slot], ours[slot]-theirs[slot]
		t.Logf("%-10s EINTR in %d runs: eu-stack %d, stacksnap %d", name, runs, eu, us)
		if us > eu {
			t.Errorf("%s: %d interrupted calls, eu-stack causes %d", name, us, eu)
		}
	}
}
