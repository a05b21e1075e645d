//go:build linux

package procfs

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func openPath(t *testing.T, dir string) int {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { closeFD(fd) })
	return fd
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

// target is a running cat, which waits for input.
type target struct {
	*exec.Cmd
	pid int
}

// startTarget starts one as our child. It has read and written by then, and so has all
// its libraries.
func startTarget(t testing.TB) *target {
	t.Helper()
	g := &target{Cmd: exec.Command(needs.Tool(t, "cat"), "-u", "-")}
	in, err1 := g.StdinPipe()
	out, err2 := g.StdoutPipe()
	if err := errors.Join(err1, err2, g.Start()); err != nil {
		t.Fatal(err)
	}
	g.pid = g.Process.Pid
	t.Cleanup(func() {
		_ = g.Process.Kill()
		_ = g.Wait()
	})
	if _, err := in.Write([]byte("ready\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("target said %q, %v", line, err)
	}
	return g
}

// openTarget opens a process and skips where that is not allowed even for our own child.
func openTarget(t testing.TB, pid int) *Process {
	t.Helper()
	p, err := Open(pid)
	if errors.As(err, new(*task.PermissionError)) {
		needs.Ptrace(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// fakeThread is a process whose one thread is made up, see [procfstest.NewThread].
func fakeThread(t *testing.T, schedstat string, calls ...string) (*Process, *procfstest.Thread) {
	t.Helper()
	fake := procfstest.NewThread(t, schedstat, calls...)
	p := &Process{Files: ThreadFiles{Dir: Dir{openPath(t, fake.Dir)}}}
	t.Cleanup(p.Files.Close)
	return p, fake
}
