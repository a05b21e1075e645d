//go:build hostile && linux

package hostile

import (
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestHarness: what the other tests rely on finds what it looks for.
func TestHarness(t *testing.T) {
	if r := finish(t, 50*time.Millisecond, exec.Command("sleep", "1000")); !r.hung || r.code != -1 {
		t.Errorf("a program that does not end: %+v", r)
	}
	if r := finish(t, limit, exec.Command("sh", "-c", "echo out; echo err >&2; exit 3")); r.hung || r.code != 3 || r.out != "out\n" || r.err != "err\n" {
		t.Errorf("a program that ends: %+v", r)
	}
	if r := finish(t, limit, exec.Command("dd", "if=/dev/zero", "of=/dev/null", "bs=300M", "count=1")); r.peak < 300<<20 {
		t.Errorf("300 MB are %d bytes", r.peak)
	}
	if pid := sleeper(t); isStopped(t, pid) {
		t.Error("a program that sleeps is stopped")
	}
	pid := sleeper(t)
	number, _ := strconv.Atoi(pid)
	if err := syscall.Kill(number, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(limit); !isStopped(t, pid); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a stopped program is not")
		}
	}
	snap(t, limit, "--version").check(t)
}
