//go:build unix

package output

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// TestHelper is not a test: it is what the other tests run as a process of its
// own, to write to standard output by its path.
func TestHelper(t *testing.T) {
	path := needs.Variable(t, "OUTPUT_TEST_PATH", "other tests run it")
	if err := Write(path, text("report\n")); err != nil {
		t.Fatal(err)
	}
	os.Exit(0)
}

func helper(path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelper$")
	cmd.Env = append(os.Environ(), "OUTPUT_TEST_PATH="+path)
	return cmd
}

// TestRedirectedStandardOutput: the shell's > and >> must not lose what was
// there, nor what comes after.
func TestRedirectedStandardOutput(t *testing.T) {
	for _, name := range []string{"/dev/stdout", "/dev/fd/1"} {
		if _, err := os.Stat(name); err != nil {
			needs.Feature(t, name, err, fs.ErrNotExist)
		}
		file := filepath.Join(t.TempDir(), "log")
		f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString("before\n")
		cmd := helper(name)
		cmd.Stdout = f
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString("after\n")
		_ = f.Close()
		content(t, file, "before\nreport\nafter\n")
	}
}

func TestStandardOutputIsAPipe(t *testing.T) {
	out, err := helper("/dev/stdout").Output()
	if err != nil || string(out) != "report\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(path)
		read <- b
	}()
	if err := Write(path, text("through the pipe")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; string(got) != "through the pipe" {
		t.Errorf("read %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe was replaced: %v, %v", info.Mode(), err)
	}
}

func TestAPipeWithoutReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan *os.File)
	go func() {
		f, _ := os.Open(path)
		opened <- f
	}()
	err := Write(path, func(w io.Writer) error {
		_ = (<-opened).Close()
		_, err := w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return err
	})
	if !errors.Is(err, syscall.EPIPE) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}
