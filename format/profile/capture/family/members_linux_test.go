package family

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestMembers finds what a process has started, and what it starts later.
func TestMembers(t *testing.T) {
	shell := exec.Command(needs.Tool(t, "sh"), "-c", "sleep 600 & echo $!; read line; sleep 600 & echo $!; wait")
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell.StdoutPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL), shell.Wait() })
	lines := bufio.NewReader(out)
	next := func() int {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(line))
		return pid
	}
	m := NewMembers([]int{shell.Process.Pid})
	if !m.Has(shell.Process.Pid) || !m.Has(next()) || m.Has(1) {
		t.Errorf("%v", m.pids)
	}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	later := next()
	m.looked = time.Now().Add(time.Hour)
	if m.Has(later) {
		t.Error("looked again at once")
	}
	long := time.Now().Add(-time.Hour)
	m.looked = long
	if !m.Has(later) || m.Err() != nil || m.looked == long {
		t.Errorf("%v, %v", m.pids, m.Err())
	}
}
