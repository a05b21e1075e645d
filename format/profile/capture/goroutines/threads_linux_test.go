//go:build linux && (amd64 || arm64)

package goroutines_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
)

// onThreads is what a program says of the goroutines that its threads run.
type onThreads struct {
	blocked map[task.ThreadID]uint64 // by the thread
	turns   map[string]uint64        // by the function that it is in
}

// startOnThreads starts the program, which runs until the end of the test.
func startOnThreads(t *testing.T, program string) (task.Process, onThreads) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	out := procfstest.StartPiped(t, cmd)
	truth := onThreads{map[task.ThreadID]uint64{}, map[string]uint64{}}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
		var kind, place string
		var goroutine, thread uint64
		if _, err := fmt.Sscan(lines.Text(), &kind, &goroutine, &place); err != nil {
			t.Fatal(err)
		}
		if kind == "turns" {
			truth.turns[place] = goroutine
			continue
		}
		if _, err := fmt.Sscan(place, &thread); err != nil {
			t.Fatal(err)
		}
		truth.blocked[task.ThreadID(thread)] = goroutine
	}
	p, err := live.Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, truth
}

// TestGoroutinesOfThreads compares the goroutines of threads in one snapshot with what the program says,
// and with its recording.
func TestGoroutinesOfThreads(t *testing.T) {
	t.Run("plain", func(t *testing.T) { compareThreads(t, buildIn(t, "onthreads", "go", "0"), true) })
	t.Run("cgo", func(t *testing.T) {
		needs.Tools(t, "gcc")
		compareThreads(t, buildIn(t, "onthreads", "go", "1", "-ldflags=-linkmode=external"), true)
	})
	t.Run("stripped", func(t *testing.T) { compareThreads(t, buildIn(t, "onthreads", "go", "0", "-ldflags=-s -w"), true) })
	t.Run("pie", func(t *testing.T) {
		compareThreads(t, buildIn(t, "onthreads", "go", "0", "-buildmode=pie", "-trimpath"), true)
	})
}

// compareThreads compares what is seen of the program's threads with what it says of them.
func compareThreads(t *testing.T, program string, withLabels bool) {
	process, truth := startOnThreads(t, program)
	file, p := wholeShot(t, process)
	again, err := capture.Replay(file, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*profile.Profile{"live": p, "recording": again} {
		seen := 0
		for _, th := range p.Threads {
			want, blocks := truth.blocked[th.ID]
			if !blocks {
				continue
			}
			seen++
			g := &th.Goroutine
			if g.ID != want || withLabels && (len(g.Labels) != 2 || g.Labels[0] != "number") {
				t.Errorf("%s: thread %d runs %+v, want goroutine %d", name, th.ID, g, want)
			}
		}
		if seen != len(truth.blocked) {
			t.Errorf("%s: %d threads are shown, want %d", name, seen, len(truth.blocked))
		}
	}
}

// wholeShot takes a snapshot in which every thread was stopped in time, and returns its recording, too.
func wholeShot(t *testing.T, process task.Process) (file string, p *profile.Profile) {
	t.Helper()
	for {
		file = filepath.Join(t.TempDir(), "it.snap")
		p, err := capture.OneShot(process, capture.Options{Save: file})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(p.Threads, func(th *profile.Thread) bool { return th.Err != "" }) {
			return file, p
		}
	}
}

// TestGoroutinesInTurns samples threads that run one goroutine after another: whose function is on the
// stack, its goroutine is shown, or none.
func TestGoroutinesInTurns(t *testing.T) {
	process, truth := startOnThreads(t, buildIn(t, "onthreads", "go", "0"))
	right, none := 0, 0
	check := func(a *capture.Added) {
		for i := range a.Snapshot.Threads {
			th := &a.Snapshot.Threads[i]
			path, _ := a.Path(th.ID)
			at := slices.IndexFunc(path, func(n *profile.Node) bool { return truth.turns[n.Function] != 0 })
			switch {
			case at < 0:
			case th.Goroutine.ID == 0:
				none++
			case th.Goroutine.ID != truth.turns[path[at].Function]:
				t.Errorf("thread %d is in %s, and runs goroutine %d", th.ID, path[at].Function, th.Goroutine.ID)
			default:
				right++
			}
		}
	}
	if _, err := capture.Record(context.Background(), process, capture.Options{Count: 500, Interval: time.Millisecond, Added: check}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d stacks with their goroutine, %d without", right, none)
	if right == 0 || none > right/10 {
		t.Errorf("%d stacks have their goroutine, %d have none", right, none)
	}
}
