//go:build linux

package e2e

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// trail returns the functions that testdata/ladder.c says that it is in, one letter
// each, from the copy of its stack.
func trail(th *task.Thread) (names string, found bool) {
	mark := binary.NativeEndian.AppendUint64(nil, 0x1adde71adde71add)
	for _, st := range th.Stacks {
		for rest := st.Bytes; ; {
			_, after, more := bytes.Cut(rest, mark)
			if !more {
				break
			}
			if depth := binary.NativeEndian.Uint64(after); depth <= 30 && 8+depth <= uint64(len(after)) {
				return string(after[8 : 8+depth]), true
			}
			rest = after
		}
	}
	return "", false
}

// needObserver skips a test that is to stop nothing where the system does not copy
// threads that run.
func needObserver(t *testing.T, cmd *exec.Cmd, how task.Suspension) {
	t.Helper()
	if how != task.SuspendNone {
		return
	}
	p, err := live.Open(cmd.Process.Pid)
	if err != nil {
		needs.Ptrace(t, err)
	}
	defer p.Close()
	needs.PerfEvents(t, p.Capabilities().Running.CopyRunning(time.Millisecond))
}

// TestStacksOfThreadsThatRun: what the kernel copies of a running program leads to just
// the calls that the program says in the same copy that it is in, as what a stop
// shows does.
func TestStacksOfThreadsThatRun(t *testing.T) {
	cmd := start(t, compile(t, "ladder", "-O2", "-fno-optimize-sibling-calls"), "2")
	for _, how := range []task.Suspension{task.SuspendThread, task.SuspendNone} {
		needObserver(t, cmd, how)
		right, wrong, without, calls := 0, 0, 0, 0
		record(t, cmd, capture.Options{Interval: time.Millisecond, Count: 1000, Suspend: how, Added: func(a *capture.Added) {
			for i := range a.Snapshot.Threads {
				th := &a.Snapshot.Threads[i]
				want, found := trail(th)
				if th.Same || !found {
					without++
					continue
				}
				path, _ := a.Path(th.ID)
				var got strings.Builder
				for _, n := range path {
					if step, ok := strings.CutPrefix(n.Function, "step_"); ok {
						got.WriteString(step)
					}
				}
				// The letter is there a moment before the call and after it.
				if got.String() == want || want != "" && got.String() == want[:len(want)-1] {
					right++
					calls += len(want)
				} else if wrong++; wrong <= 3 {
					t.Errorf("%v: in %s, by its own account %s", how, got.String(), want)
				}
			}
		}})
		t.Logf("%v: %d right, %d wrong, of %d calls; %d the same or without", how, right, wrong, calls, without)
		if right < 100 || calls < 5*right {
			t.Errorf("%v: %d stacks of %d calls", how, right, calls)
		}
	}
}
