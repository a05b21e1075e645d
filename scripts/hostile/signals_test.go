//go:build hostile && linux

package hostile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/scripts/terminal"
	"stacksnap/task/needs"
)

// signalSeed makes the moments of a failed run come again: STACKSNAP_SEED.
const signalSeed = "STACKSNAP_SEED"

const (
	realtime  = 34      // SIGRTMIN of the C library
	values    = 1 << 16 // that the target tells apart
	queuedAll = 200     // in a run, each with its value
	killRuns  = 6       // of a mode
)

// togetherArgs has all threads told to stop at once and each held until the last is captured,
// as TestAllAtOnceIsReached shows: all of them would take longer than a stop may.
var togetherArgs = []string{"-d", "1m", "--suspend", "task", "--max-stop", "100us"}

// signalModes are the ways to look at a target that can be interrupted.
var signalModes = []struct {
	name string
	args []string
	tty  bool
}{
	{name: "none"}, // the control: without stacksnap
	{name: "one-shot", args: []string{"--all"}},
	{name: "sampling", args: []string{"-d", "1m"}},
	{name: "all at once", args: togetherArgs},
	{name: "all at once if crowded", args: []string{"-d", "1m", "-i", "1ms"}},
	{name: "whole task", args: []string{"-d", "1m", "--suspend", "task"}},
	{name: "no stop", args: []string{"-d", "1m", "--no-stop"}},
	{name: "saved", args: []string{"-d", "1m", "--save", "FILE"}},
	{name: "hang watch", args: []string{"--hang", "100ms", "-d", "1m"}},
	{name: "top", args: []string{"top"}, tty: true},
}

// counting is a target that counts its signals.
type counting struct {
	*compiled
	pid    int
	counts []byte
	random *rand.Rand
	next   int // value to be queued
}

func startCounting(t *testing.T) *counting {
	t.Helper()
	file := filepath.Join(t.TempDir(), "counts")
	if err := os.WriteFile(file, make([]byte, 16+values), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts, err := unix.Mmap(int(f.Fd()), 0, 16+values, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(counts) })
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv(signalSeed), 10, 64); err == nil {
		seed = given
	}
	t.Logf("%s=%d", signalSeed, seed)
	target := startCompiled(t, "signals.c", file)
	target.line(t)
	pid, _ := strconv.Atoi(target.pid)
	return &counting{target, pid, counts, rand.New(rand.NewPCG(seed, 1)), 0}
}

// count reads a counter that the target changes.
func (c *counting) count(i int) int {
	return int(atomic.LoadUint32(word(c.counts, i)) >> (8 * (i % 4)) & 0xff)
}

func word(b []byte, i int) *uint32 { return (*uint32)(unsafe.Pointer(&b[i&^3])) }

// queue sends n queued signals, each with a value of its own, spread over about as long.
// It returns the first value.
func (c *counting) queue(t *testing.T, n int, over time.Duration) (first int) {
	t.Helper()
	first = c.next
	for i := range n {
		if i%10 == 0 {
			c.pause(over / time.Duration(n/10+1))
		}
		c.send(t, c.next)
		c.next++
	}
	return first
}

// pause lasts a random time, d in the mean.
func (c *counting) pause(d time.Duration) { time.Sleep(time.Duration(c.random.Int64N(int64(2*d) + 1))) }

// send queues one signal to the process.
func (c *counting) send(t *testing.T, value int) {
	t.Helper()
	if err := c.sendTo(0, value); err != nil {
		t.Fatal(err)
	}
}

// sendTo queues one signal to a thread, as pthread_sigqueue(3) does, and to the process
// where the thread is 0, as sigqueue(3) does.
func (c *counting) sendTo(tid, value int) error {
	// siginfo_t: number, error, code, padding, then the sender's pid and uid, and the value.
	var info [128]byte
	set := func(at int, v int32) { *(*int32)(unsafe.Pointer(&info[at])) = v }
	set(0, realtime)
	set(8, -1) // SI_QUEUE
	set(16, int32(os.Getpid()))
	set(20, int32(os.Getuid()))
	set(24, int32(value))
	var errno syscall.Errno
	if tid == 0 {
		_, _, errno = unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(c.pid), realtime, uintptr(unsafe.Pointer(&info)))
	} else {
		_, _, errno = unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(c.pid), uintptr(tid), realtime, uintptr(unsafe.Pointer(&info)), 0, 0)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// received waits until each of n values has come once, and a SIGUSR1 and a SIGUSR2 that
// were sent when they had come so often.
func (c *counting) received(t *testing.T, first, n int, standard [2]int) {
	t.Helper()
	lost := func() (lost int) {
		for v := first; v < first+n; v++ {
			if c.count(16+v%values) == 0 {
				lost++
			}
		}
		return lost
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		missing := lost()
		if missing == 0 && c.count(0) != standard[0] && c.count(1) != standard[1] {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("of %d queued signals %d were lost; SIGUSR1 %d → %d, SIGUSR2 %d → %d",
				n, missing, standard[0], c.count(0), standard[1], c.count(1))
		}
	}
	for v := first; v < first+n; v++ {
		if got := c.count(16 + v%values); got != 1 {
			t.Errorf("the signal of value %d came %d times", v, got)
		}
	}
}

// standard sends a signal of each standard kind, and returns how many had come before.
func (c *counting) standard(t *testing.T) (before [2]int) {
	t.Helper()
	for i, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2} {
		before[i] = c.count(i)
		if err := syscall.Kill(c.pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	return before
}

// runsOn requires that no thread of the target is left stopped or traced.
func (c *counting) runsOn(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		stopped, traced := isStopped(t, c.compiled.pid), isTraced(t, c.compiled.pid)
		if !stopped && !traced {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the target was left stopped (%v) or traced (%v)", stopped, traced)
		}
	}
}

// look starts stacksnap in a mode; it is nil for the control.
func (c *counting) look(t *testing.T, mode int) *exec.Cmd {
	t.Helper()
	m := signalModes[mode]
	if m.args == nil {
		return nil
	}
	var args []string
	for _, a := range m.args {
		if a == "FILE" {
			a = filepath.Join(t.TempDir(), fmt.Sprint("saved", c.next, c.random.Uint64()))
		}
		args = append(args, a)
	}
	cmd := exec.Command(stacksnap, append(args, "-p", c.compiled.pid)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if m.tty {
		tty := quietTerminal(t)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// quietTerminal opens a terminal whose output is read and dropped.
func quietTerminal(t *testing.T) *os.File {
	t.Helper()
	ours, theirs, err := terminal.Open(80, 24)
	needs.Feature(t, "a terminal", err, os.ErrNotExist, os.ErrPermission)
	t.Cleanup(func() { _ = ours.Close() })
	t.Cleanup(func() { _ = theirs.Close() })
	go func() {
		for b := make([]byte, 4096); ; {
			if _, err := ours.Read(b); err != nil {
				return
			}
		}
	}()
	return theirs
}

// ends requires that a command ends in time.
func ends(t *testing.T, cmd *exec.Cmd, after string) {
	t.Helper()
	late := time.AfterFunc(limit, func() { _ = cmd.Process.Kill(); t.Errorf("it had not ended %v after %s", limit, after) })
	_ = cmd.Wait()
	late.Stop()
}

// TestTargetKeepsItsSignals, all of them, while stacksnap is killed at any moment.
func TestTargetKeepsItsSignals(t *testing.T) {
	c := startCounting(t)
	for mode := range signalModes {
		t.Run(signalModes[mode].name, func(t *testing.T) {
			for range killRuns {
				cmd := c.look(t, mode)
				dies := make(chan bool)
				after := time.Duration(c.random.Int64N(int64(300 * time.Millisecond)))
				time.AfterFunc(after, func() {
					if cmd != nil {
						_ = cmd.Process.Kill()
					}
					close(dies)
				})
				standard := c.standard(t)
				first := c.queue(t, queuedAll, 200*time.Millisecond)
				<-dies
				if cmd != nil {
					_ = cmd.Wait()
				}
				c.received(t, first, queuedAll, standard)
				c.runsOn(t)
			}
		})
	}
}
