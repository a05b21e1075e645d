//go:build unix && !solaris && !aix

package directory

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// TestWriter is not a test: it is what TestSweep runs, and kills.
func TestWriter(t *testing.T) {
	dir := needs.Variable(t, "DIRECTORY_TEST", "TestSweep runs it")
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.named()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString("ready " + f.name + "\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// TestSweep removes what a killed writer has left behind, and nothing that one holds or
// that is no such file.
func TestSweep(t *testing.T) {
	d := openTemp(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriter$")
	cmd.Env = append(os.Environ(), "DIRECTORY_TEST="+d.Path())
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || len(said) < 8 {
		t.Fatal(said, err)
	}
	left := said[len("ready ") : len(said)-1]
	own := temporaries(t, d)["named"]
	if err := errors.Join(os.WriteFile(d.Join("precious"), nil, 0o600), os.WriteFile(d.Join(".stacksnap-x"), nil, 0o600),
		os.Symlink("precious", d.Join(".stacksnap-1-0.tmp")), syscall.Mkfifo(d.Join(".stacksnap-2-0.tmp"), 0o600),
		os.Link(d.Join("precious"), d.Join(".stacksnap-3-0.tmp"))); err != nil {
		t.Fatal(err)
	}
	there := func(name string) bool { _, err := os.Lstat(d.Join(name)); return err == nil }
	d.Sweep()
	for _, name := range []string{left, own.name, "precious", ".stacksnap-x", ".stacksnap-1-0.tmp", ".stacksnap-2-0.tmp", ".stacksnap-3-0.tmp"} {
		if !there(name) {
			t.Errorf("%s was removed", name)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	d.Sweep()
	if there(left) {
		t.Error("what was left behind is there")
	}
	if !there(own.name) {
		t.Error("what is being written was removed")
	}
	if os.Chown(d.Join(own.name), other, -1) == nil {
		_ = own.Close()
		if d.Sweep(); !there(own.name) {
			t.Error("another user's file was removed")
		}
	}
}
