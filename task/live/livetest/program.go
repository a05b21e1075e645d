// Package livetest builds and starts the programs that tests capture. Only tests import it.
package livetest

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"testing"

	"stacksnap/task/needs"
)

// Build compiles testdata/NAME.c, and returns the path of the program.
func Build(t testing.TB, name string) (path string) {
	t.Helper()
	gcc := needs.Tool(t, "gcc")
	path = filepath.Join(t.TempDir(), name)
	if out, err := exec.Command(gcc, "-O1", "-g", "-pthread", "-w", "-o", path, "testdata/"+name+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// Start starts a program, waits until it has printed a line, and returns its pid.
func Start(t testing.TB, path string, args ...string) (pid int) {
	t.Helper()
	cmd := exec.Command(path, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	Run(t, cmd)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd.Process.Pid
}

// Run starts a command, which is killed when the test ends.
func Run(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}
