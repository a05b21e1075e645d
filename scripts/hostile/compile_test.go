//go:build hostile && linux

package hostile

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// compiled is a target made of a source in testdata, with what it says and hears.
type compiled struct {
	pid string
	in  io.Writer
	out *bufio.Reader
}

// startCompiled compiles a source and starts it, and skips without gcc.
func startCompiled(t *testing.T, name string, args ...string) *compiled {
	t.Helper()
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	gcc := exec.Command(needs.Tool(t, "gcc"), "-O1", "-g", "-pthread", "-o", path, filepath.Join("testdata", name))
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(path, args...)
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
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &compiled{strconv.Itoa(cmd.Process.Pid), in, bufio.NewReader(out)}
}

// line is the next that the target says.
func (c *compiled) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
