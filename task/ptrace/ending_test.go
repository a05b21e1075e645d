//go:build linux

package ptrace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs"
)

// takeUntilExited tells the target to end, and takes snapshots until it does.
func takeUntilExited(t *testing.T, p *Process) {
	t.Helper()
	var s task.Snapshot
	take(t, p, &s)
	go func() {
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond) // the random moment
		_ = unix.Kill(p.PID, unix.SIGUSR1)
	}()
	for {
		err := task.Take(p, &s)
		var exited *task.ExitedError
		switch {
		case err == nil:
		case errors.As(err, &exited):
			if exited.PID != p.PID {
				t.Errorf("%+v", exited)
			}
			return
		default:
			skipRefused(t, err)
			t.Fatal(err)
		}
	}
}

func TestTargetExits(t *testing.T) {
	for range 20 {
		g := startThreads(t, 8, "exit")
		p := attach(t, g.pid)
		takeUntilExited(t, p)
		if err := g.Wait(); err != nil {
			t.Errorf("our child's end was not left for us: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTargetExecs(t *testing.T) {
	for range 20 {
		g := startThreads(t, 8, "exec")
		p := attach(t, g.pid)
		takeUntilExited(t, p)
		eventually(t, "the new program sleeps", func() bool {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", g.pid))
			return string(b) == "sleep\n" && states(g.pid) == "S" && tracerOf(g.pid) == 0
		})
	}
}

func TestTargetIsKilledWhileItStands(t *testing.T) {
	g := startThreads(t, 8, "sleep")
	p := attach(t, g.pid)
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	_ = g.Process.Kill()
	var th task.Thread
	eventually(t, "the thread is gone", func() bool { err = p.Capture(ids[1], &th); return err != nil })
	var exited *task.ExitedError
	if !errors.As(err, &exited) {
		t.Errorf("capture: %v, want ExitedError", err)
	}
	if err := resume(); err != nil {
		t.Error(err)
	}
	_ = g.Wait() // hangs unless the dead threads were reaped
	if _, err := p.Threads(); !errors.As(err, &exited) {
		t.Errorf("threads: %v, want ExitedError", err)
	}
}

// TestUninterruptibleThreadIsReadWhereItSleeps: nothing is stopped, and it goes on later.
func TestUninterruptibleThreadIsReadWhereItSleeps(t *testing.T) {
	g := startThreads(t, 3, "vfork")
	eventually(t, "all threads wait in vfork", func() bool { return states(g.pid) == "DDD" })
	p := attach(t, g.pid)
	var s task.Snapshot
	take(t, p, &s)
	if len(s.Threads) != 3 {
		t.Fatalf("%d threads", len(s.Threads))
	}
	for i := range s.Threads {
		th := &s.Threads[i]
		if th.Err != nil || th.State != task.Uninterruptible || !th.Skipped || th.Unstopped || s.Stops != 0 {
			t.Errorf("thread %d is %v, skipped %v, %d stops: %v", th.ID, th.State, th.Skipped, s.Stops, th.Err)
		}
		if th.Call.State != task.InCall || th.Call.SP != th.Registers.SP() || len(th.Stacks) == 0 || !th.Stacks[0].Contains(th.Registers.SP(), 64) {
			t.Errorf("thread %d: call %+v, %d stacks", th.ID, th.Call, len(th.Stacks))
		}
	}
	endChildren(t, g)
	eventually(t, "it works again", func() bool { return g.count(work) > 0 })
}

// TestUninterruptibleThreadThatWakes before it is read is left out.
func TestUninterruptibleThreadThatWakes(t *testing.T) {
	g := startThreads(t, 1, "vfork")
	eventually(t, "the thread waits in vfork", func() bool { return states(g.pid) == "D" })
	p := attach(t, g.pid)
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	th := task.Thread{}
	if err := p.Describe(ids[0], &th); err != nil {
		t.Fatal(err)
	}
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	endChildren(t, g)
	eventually(t, "it works", func() bool { return g.count(work) > 0 })
	if err := p.Capture(ids[0], &th); !errors.Is(err, errRoused) || th.Skipped || len(th.Stacks) != 0 || th.Registers.Known != 0 {
		t.Errorf("%v, skipped %v, %d stacks", err, th.Skipped, len(th.Stacks))
	}
	if err := resume(); err != nil {
		t.Error(err)
	}
	endChildren(t, g)
}

// TestThreadThatWokeSinceIsStopped: it was in uninterruptible sleep when it was
// described, and runs when it is to be read.
func TestThreadThatWokeSinceIsStopped(t *testing.T) {
	g := startThreads(t, 2, "busy")
	p := attach(t, g.pid)
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	captured := make([]task.Thread, len(ids))
	for i, id := range ids {
		if err := p.Describe(id, &captured[i]); err != nil {
			t.Fatal(err)
		}
		p.threads.find(int(id)).asleep = true
	}
	errs := make([]error, len(ids))
	stopped := func(i int) { errs[i] = p.Capture(ids[i], &captured[i]) }
	runs := func(i int, _ time.Duration, err error) { errs[i] = errors.Join(errs[i], err) }
	if err := p.CaptureThreads(task.SuspendThread, task.StopOptions{}, ids, stopped, runs); err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	for i := range captured {
		if th := &captured[i]; errs[i] != nil || th.Unstopped || th.Skipped || th.Registers.SP() == 0 {
			t.Errorf("thread %d: unstopped %v, skipped %v, sp %v: %v", ids[i], th.Unstopped, th.Skipped, th.Registers.SP(), errs[i])
		}
	}
}

// endChildren ends the processes that vfork made.
func endChildren(t *testing.T, g *target) {
	t.Helper()
	dir, err := procfs.OpenDir(fmt.Sprintf("/proc/%d/task", g.pid))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, tid := range dir.Numbers() {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", g.pid, tid))
		needs.Feature(t, "/proc/PID/task/TID/children", err, unix.ENOENT) // CONFIG_PROC_CHILDREN
		for _, child := range strings.Fields(string(b)) {
			pid, _ := strconv.Atoi(child)
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// letsGo is what lets go of a thread that stopped too late.
type letsGo int

const (
	byThreads letsGo = iota
	bySettle
	byClose
)

// A thread that went to uninterruptible sleep unseen is attached until it wakes.
func TestUninterruptibleThreadIsLetGoLater(t *testing.T) {
	for _, by := range []letsGo{byThreads, bySettle, byClose} {
		g := startThreads(t, 1, "vfork")
		eventually(t, "the thread waits in vfork", func() bool { return states(g.pid) == "D" })
		onThreadOfItsOwn(func() { suspendUnseen(t, g, by) })
		if by == byClose {
			endChildren(t, g)
		}
		eventually(t, "nobody traces the target", func() bool { return tracerOf(g.pid) == 0 })
		eventually(t, "it works again", func() bool { return g.count(work) > 0 })
		endChildren(t, g)
	}
}

// onThreadOfItsOwn runs f in a goroutine whose end may be the end of its thread:
// not on the first thread, which Go keeps.
func onThreadOfItsOwn(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			onThreadOfItsOwn(f)
		} else {
			f()
		}
		runtime.UnlockOSThread()
	}()
	<-done
}

func suspendUnseen(t *testing.T, g *target, by letsGo) {
	p, err := Open(g.pid)
	if err != nil {
		t.Error(err)
		return
	}
	ids, _ := p.Threads()
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	if err := p.Capture(ids[0], new(task.Thread)); !errors.Is(err, errUninterruptible) {
		t.Errorf("capture: %v", err)
	}
	_ = resume()
	switch by {
	case byThreads:
		endChildren(t, g)
		eventually(t, "it is let go", func() bool { _, _ = p.Threads(); return tracerOf(g.pid) == 0 })
	case bySettle:
		if left := p.DetachLate(); left != 1 {
			t.Errorf("%d threads are attached while it sleeps, want 1", left)
		}
		endChildren(t, g)
		eventually(t, "it is settled", func() bool { return p.DetachLate() == 0 })
		if tracer := tracerOf(g.pid); tracer != 0 {
			t.Errorf("settled, but traced by %d", tracer)
		}
	}
	_ = p.Close()
}

func TestOpenNamesWhatItCannotRead(t *testing.T) {
	zombie := helper(t, "none")
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = zombie.Wait() })
	eventually(t, "the child is a zombie", func() bool { return states(zombie.Process.Pid) == "Z" })
	cases := map[int]string{
		0:                  "not the number of a process",
		-5:                 "not the number of a process",
		1 << 30:            "no process with pid",
		os.Getpid():        "stacksnap itself",
		unix.Gettid():      "stacksnap itself",
		zombie.Process.Pid: "zombie",
	}
	if b, err := os.ReadFile("/proc/2/comm"); err == nil && string(b) == "kthreadd\n" {
		cases[2] = "kernel thread"
	}
	for pid, want := range cases {
		_, err := Open(pid)
		var none *task.NoProcessError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%d): %v, want NoProcessError with %q", pid, err, want)
		}
	}
}

func TestThreadStandsForItsProcess(t *testing.T) {
	g := startThreads(t, 4, "sleep")
	ids, err := attach(t, g.pid).Threads()
	if err != nil {
		t.Fatal(err)
	}
	if got := attach(t, int(ids[2])).Info().PID; got != g.pid {
		t.Errorf("pid %d, want %d", got, g.pid)
	}
}

func TestOtherUsersProcessIsRefused(t *testing.T) {
	cmd := helper(t, "open", "1")
	if os.Geteuid() == 0 {
		b, err := os.ReadFile(cmd.Path)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = "/tmp/stacksnap-ptrace-test-" + strconv.Itoa(os.Getpid()) // where nobody may read
		t.Cleanup(func() { _ = os.Remove(cmd.Path) })
		if err := os.WriteFile(cmd.Path, b, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("as another user: %v %s", err, out)
	}
	if s := string(out); !strings.HasPrefix(s, "true ") || !strings.Contains(s, "run sudo stacksnap -p") || strings.Count(s, "\n") != 1 {
		t.Errorf("said %q", s)
	}
}

func TestOnlyTheGoroutineThatOpenedMayCall(t *testing.T) {
	g := startThreads(t, 1, "sleep")
	p := attach(t, g.pid)
	failed := make(chan error)
	go func() {
		runtime.LockOSThread()
		_, err := p.Suspend(task.StopOptions{})
		failed <- err
	}()
	if err := <-failed; !errors.Is(err, errOtherThread) {
		t.Errorf("suspend: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
	if _, err := p.Threads(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("threads after close: %v", err)
	}
}

func TestCloseDuringASuspensionResumes(t *testing.T) {
	g := startThreads(t, 4, "busy")
	p := attach(t, g.pid)
	_, _ = p.Threads()
	if _, err := p.Suspend(task.StopOptions{}); err != nil {
		skipRefused(t, err)
		t.Fatal(err)
	}
	if _, err := p.Suspend(task.StopOptions{}); !errors.Is(err, errSuspended) {
		t.Errorf("second suspend: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	g.advances(t)
}

func TestThirtyTwoBitProgram(t *testing.T) {
	if procfs.HostArch() != task.AMD64 {
		needs.Skip(t, "amd64", "this is "+procfs.HostArch().String())
	}
	needs.Tools(t, "as", "ld")
	dir := t.TempDir()
	for _, cmd := range [][]string{
		{"as", "--32", "-o", dir + "/spin.o", "testdata/spin386.s"},
		{"ld", "-m", "elf_i386", "-o", dir + "/spin", dir + "/spin.o"},
	} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", cmd[0], err, out)
		}
	}
	cmd := exec.Command(dir + "/spin")
	needs.Feature(t, "programs of 32 bits", cmd.Start(), unix.ENOEXEC)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	p := attach(t, cmd.Process.Pid)
	if a := p.Info().Arch; a != task.I386 {
		t.Errorf("architecture %v", a)
	}
	var s task.Snapshot
	eventually(t, "it spins", func() bool {
		take(t, p, &s)
		return s.Threads[0].Registers.R[0] == 0x11111111
	})
	th := &s.Threads[0]
	for reg, want := range map[task.Reg]uint64{0: 0x11111111, 1: 0x22222222, 2: 0x33333333, 3: 0x44444444, 5: 0x55555555, 6: 0x66666666, 7: 0x77777777} {
		if got, ok := th.Registers.Value(reg); !ok || got != want {
			t.Errorf("register %d: %#x", reg, got)
		}
	}
	if th.Registers.Arch != task.I386 || len(th.Stacks) != 1 || th.Registers.PC() == 0 {
		t.Errorf("%v, %d stacks, pc %v, %v", th.Registers.Arch, len(th.Stacks), th.Registers.PC(), th.Err)
	}
}

// TestRefusalOfWhatEnds wants the refusal to stop a process that has just ended to be told
// as its end; and only that.
func TestRefusalOfWhatEnds(t *testing.T) {
	g := startThreads(t, 3, "sleep")
	p := attach(t, g.pid)
	if err := p.explain(unix.EPERM); !errors.As(err, new(*task.PermissionError)) {
		t.Errorf("refused while it lives: %v", err)
	}
	if err := unix.Kill(g.pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var info childInfo
	if errno := waitFor(unix.P_PID, g.pid, &info, unix.WEXITED|unix.WNOWAIT); errno != 0 { // a zombie from here on
		t.Fatal(errno)
	}
	if err := p.explain(unix.EPERM); !errors.As(err, new(*task.ExitedError)) {
		t.Errorf("a zombie that may not be seized: %v", err)
	}
}
