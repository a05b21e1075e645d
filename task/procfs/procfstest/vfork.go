//go:build linux

package procfstest

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// StartVfork builds and starts the program in source (testdata/vforks.c of package procfs) and returns
// the pid of the child that it made by vfork. The child has its parent's memory until the returned
// function is called, which makes the child call exec.
func StartVfork(t testing.TB, source string) (pid int, exec func()) {
	t.Helper()
	cmd := vforkCommand(t, source)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	must(t, errors.Join(err1, err2, cmd.Start()))
	line := make([]byte, 32)
	n, _ := out.Read(line) // an error shows as missing text
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	must(t, err)
	t.Cleanup(func() {
		_ = unix.Kill(pid, unix.SIGKILL)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return pid, func() {
		_, err := in.Write([]byte("!"))
		must(t, err)
	}
}

func vforkCommand(t testing.TB, source string) *exec.Cmd {
	t.Helper()
	needs.Tool(t, "gcc")
	program := filepath.Join(t.TempDir(), "vforks")
	if msg, err := exec.Command("gcc", "-w", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	return exec.Command(program)
}
