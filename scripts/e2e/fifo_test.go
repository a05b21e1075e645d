//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// runs starts a program, and returns its pid.
func runs(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return pid(cmd)
}

// TestNamedPipe: who reads from a named pipe waits for whoever has the other end, in one
// snapshot and in samples, with that one's stack where waits are followed; and who opens
// one for somebody to have it.
func TestNamedPipe(t *testing.T) {
	need(t, "cat", "sleep")
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(mode int) *os.File {
		fd, err := syscall.Open(path, mode|syscall.O_CLOEXEC, 0) // not by os, which has none of them wait
		if err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fd), path)
	}
	both, in, out := open(syscall.O_RDWR), open(syscall.O_RDONLY), open(syscall.O_WRONLY)
	reads, writes := exec.Command("cat"), exec.Command("sleep", "1000")
	reads.Stdin, writes.Stdout = in, out
	reader, writer := runs(t, reads), runs(t, writes)
	for _, f := range []*os.File{both, in, out} {
		_ = f.Close()
	}
	eventually(t, "it reads", func() bool {
		b, _ := os.ReadFile("/proc/" + reader + "/syscall")
		return strings.HasPrefix(string(b), strconv.Itoa(syscall.SYS_READ)+" 0x0 ")
	})
	for _, args := range [][]string{{"--follow-waits"}, {"--follow-waits", "-n", "20"}, {"--follow-waits", "-n", "20", "--no-stop"}, {"-p", writer}} {
		eventually(t, strings.Join(args, " "), func() bool {
			r := snap(t, append([]string{"-p", reader}, args...)...)
			return r.code == exitOK && strings.Contains(r.out, "sleep ["+writer+"]") && strings.Contains(r.out, "Process:         sleep ["+writer+"]") &&
				strings.Contains(r.out, path) && lacks(r.out, ".*waits (for sleep .* to write, in read: fd 0 .*|in read: fd 0 .*, with sleep .* at the other end.*)") == ""
		})
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := syscall.Mkfifo(other, 0o600); err != nil {
		t.Fatal(err)
	}
	opener := runs(t, exec.Command("cat", other))
	eventually(t, "it opens", func() bool {
		return strings.Contains(snap(t, "-p", opener).out, ": "+other+", a named pipe that nobody has open for writing")
	})
}
