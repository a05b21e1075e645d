//go:build linux

package e2e

import (
	"os/exec"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// TestContentionIsNoDeadlock: threads that pass one lock to another each name an owner, but
// they are asked one after another.
func TestContentionIsNoDeadlock(t *testing.T) {
	cmd := exec.Command(compileFile(t, "testdata/screens/contention.c", "-pthread", "-O1"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	p, err := live.Open(cmd.Process.Pid)
	if err != nil {
		needs.Ptrace(t, err)
	}
	defer p.Close()
	contended, most := 0, 2000
	for range most {
		one, err := capture.OneShot(p, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(one.Deadlocks) > 0 {
			t.Fatalf("a deadlock: %+v", one.Deadlocks)
		}
		if waitForOwners(one) >= 2 {
			contended++
		}
		if contended == 30 {
			return
		}
	}
	t.Errorf("two threads waited for known owners in %d of %d snapshots", contended, most)
}

func waitForOwners(p *profile.Profile) (n int) {
	for _, t := range p.Threads {
		if t.Wait != nil && t.Wait.Owner != 0 {
			n++
		}
	}
	return n
}
