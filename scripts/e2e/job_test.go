//go:build linux

package e2e

import (
	"syscall"
	"testing"
)

// TestStoppedFromTheTerminal: whenever Ctrl-Z comes, the target runs on while we
// are stopped, and we go on with it when we are continued.
func TestStoppedFromTheTerminal(t *testing.T) {
	worker := startWorker(t)
	// As a shell does, in whose absence the signal stops nothing: we look after the group.
	w := runAs(t, &syscall.SysProcAttr{Setpgid: true}, "-p", worker.pid(), "-d", "1h", "-i", "1ms", "--suspend", "task")
	for range 30 {
		reads := w.reads()
		w.until("it samples", func() bool { return w.reads() > reads+100 })
		signal(t, w.Process, syscall.SIGTSTP)
		eventually(t, "Ctrl-Z stops it", func() bool { return stands(w.Process.Pid) })
		worker.runsOn(t)
		signal(t, w.Process, syscall.SIGCONT)
	}
	if r := w.end(); r.code != exitOK {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}
