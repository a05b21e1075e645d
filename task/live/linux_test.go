//go:build linux

package live

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// TestMain: under another name this is a program that says so and lives until
// its standard input ends.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == targetName {
		_, _ = os.Stdout.WriteString("up\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(7)
	}
	os.Exit(m.Run())
}

const targetName = "a-name-longer-than-comm"

func target(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), targetName)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

type waited struct {
	pid int
	err error
}

func waitFor(t *testing.T, name string) chan waited {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	found := make(chan waited, 1)
	go func() {
		pid, err := Wait(ctx, name, os.Getpid())
		found <- waited{pid, err}
	}()
	return found
}

func TestWaitForAProgramThatAppears(t *testing.T) {
	path := target(t)
	for range 5 { // it may be there before the first look, or not
		found := waitFor(t, targetName)
		l, in, _ := launch(t, path)
		if w := <-found; w.pid != l.PID || w.err != nil {
			t.Errorf("found %d, %v; want %d", w.pid, w.err, l.PID)
		}
		_ = in.Close()
		finish(t, l, 7)
	}
}

// TestWaitForAnExec: a shell becomes the program, without a new pid.
func TestWaitForAnExec(t *testing.T) {
	needShell(t)
	path := target(t)
	l, in, out := launch(t, "sh", "-c", `echo shell; read line; exec "$0"`, path)
	_, _ = out.ReadString('\n')
	found := waitFor(t, targetName)
	_, _ = io.WriteString(in, "go on\n")
	if w := <-found; w.pid != l.PID || w.err != nil {
		t.Errorf("found %d, %v; want %d", w.pid, w.err, l.PID)
	}
	_ = in.Close()
	finish(t, l, 7)
}

func TestWaitForTwo(t *testing.T) {
	path := target(t)
	first, in1, out1 := launch(t, path)
	second, in2, out2 := launch(t, path)
	_, _ = out1.ReadString('\n')
	_, _ = out2.ReadString('\n')
	w := <-waitFor(t, targetName)
	var ambiguous *AmbiguousError
	if !errors.As(w.err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Errorf("found %d, %v", w.pid, w.err)
	}
	_, _ = in1.Close(), in2.Close()
	finish(t, first, 7)
	finish(t, second, 7)
}

// TestForkedCopies: subshells are forked, and never call exec.
func TestForkedCopies(t *testing.T) {
	needShell(t)
	l, in, out := launch(t, "sh", "-c", `exec 3<&0; (echo up; read line <&3; :) & (read line <&3; :) & wait`)
	_, _ = out.ReadString('\n')
	children := descendantsOf(t, l.PID, 2)
	for _, pid := range children {
		if c, ok := candidate(pid); !ok || !c.Forked || c.ParentPID != l.PID {
			t.Errorf("child %d is %+v, %v", pid, c, ok)
		}
	}
	if c, ok := candidate(l.PID); !ok || c.Forked || c.ParentPID != os.Getpid() {
		t.Errorf("the shell is %+v, %v", c, ok)
	}
	if all, err := new(Kin).Descendants(os.Getpid()); err != nil || !slices.Contains(all, children[0]) || !slices.Contains(all, l.PID) {
		t.Errorf("ours are %v, %v", all, err)
	}
	_ = in.Close()
	finish(t, l, 0)
}

// descendantsOf waits until there are so many.
func descendantsOf(t *testing.T, pid, n int) []int {
	t.Helper()
	var all []int
	eventually(t, func() bool {
		var err error
		all, err = new(Kin).Descendants(pid)
		return err == nil && len(all) == n
	})
	return all
}

func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// TestFinishAfterACapture: the tracer's stops must not end the wait, nor its
// own waits take the status away.
func TestFinishAfterACapture(t *testing.T) {
	path := target(t)
	for _, end := range []struct {
		how  func(pid int, in io.Closer)
		want int
	}{
		{func(_ int, in io.Closer) { _ = in.Close() }, 7},
		{func(pid int, _ io.Closer) { _ = syscall.Kill(pid, syscall.SIGKILL) }, 128 + 9},
	} {
		l, in, out := launch(t, path)
		_, _ = out.ReadString('\n')
		p := open(t, l.PID)
		var s task.Snapshot
		for range 20 {
			if err := task.Take(p, &s); err != nil {
				t.Fatal(err)
			}
		}
		end.how(l.PID, in)
		untilExited(t, p)
		_ = p.Close()
		finish(t, l, end.want)
	}
}

func open(t *testing.T, pid int) task.Process {
	t.Helper()
	p, err := Open(pid)
	if err == nil {
		return p
	}
	needs.Ptrace(t, err)
	t.Fatal(err)
	return nil
}

// untilExited takes snapshots until the target's end is noticed.
func untilExited(t *testing.T, p task.Process) {
	t.Helper()
	var s task.Snapshot
	var exited *task.ExitedError
	eventually(t, func() bool { return errors.As(task.Take(p, &s), &exited) })
}

// TestAnInterruptReachesBoth: both are in a group of their own here, as a
// terminal's foreground job is.
func TestAnInterruptReachesBoth(t *testing.T) {
	if os.Getenv("LIVE_TEST_GROUP") != "" {
		interrupted(t)
		return
	}
	needShell(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestAnInterruptReachesBoth$", "-test.v")
	cmd.Env = append(os.Environ(), "LIVE_TEST_GROUP=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func interrupted(t *testing.T) {
	ours := make(chan os.Signal, 1)
	signal.Notify(ours, os.Interrupt)
	defer signal.Stop(ours)
	l, _, out := launch(t, "sh", "-c", "echo up; read line")
	_, _ = out.ReadString('\n')
	if err := syscall.Kill(0, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ours
	finish(t, l, 128+int(syscall.SIGINT))
}
