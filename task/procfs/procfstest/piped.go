//go:build linux

package procfstest

import (
	"io"
	"os/exec"
	"testing"
)

// StartPiped starts a program that runs until the end of the test or of its standard input, and returns
// its standard output.
func StartPiped(t testing.TB, cmd *exec.Cmd) io.Reader {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // how it ends does not matter
	})
	return out
}
