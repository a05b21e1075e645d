//go:build linux

package ptrace

import "testing"

// TestRefusedAmongOthers: a thread that may not be stopped costs only itself, unless
// nothing was read.
func TestRefusedAmongOthers(t *testing.T) {
	p := attach(t, startHelper(t, "spin").Process.Pid)
	p.threads.all = []thread{{tid: 1, phase: refused}, {tid: 2}}
	if err := p.judgeEach(); err == nil {
		t.Error("nothing was read, and that is fine")
	}
	if p.round.reads = 1; p.judgeEach() != nil {
		t.Error("one was read, and that is an error")
	}
	p.round.reads, p.threads.all[0].phase = 0, gone
	if err := p.judgeEach(); err != nil {
		t.Errorf("none was refused: %v", err)
	}
}
