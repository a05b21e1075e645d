package family

import (
	"context"
	"errors"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/needs"
)

// start runs testdata/workers.c, which ends when the input is closed.
func start(t *testing.T) (*exec.Cmd, io.Closer) {
	t.Helper()
	gcc := needs.Tool(t, "gcc")
	path := filepath.Join(t.TempDir(), "workers")
	if out, err := exec.Command(gcc, "-O1", "-g", "-o", path, "testdata/workers.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(path)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close() // which ends all of them
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, input
}

// after calls done when as many processes as are wanted have been sampled often.
func after(wanted int, done func()) func(*task.Snapshot, *images.Map) error {
	const often = 5
	var mu sync.Mutex
	seen := map[task.ThreadID]int{}
	return func(s *task.Snapshot, _ *images.Map) error {
		mu.Lock()
		defer mu.Unlock()
		for i := range s.Threads {
			if id := s.Threads[i].ID; seen[id] < often {
				if seen[id]++; seen[id] == often {
					wanted--
				}
			}
		}
		if wanted == 0 {
			wanted = math.MaxInt
			done()
		}
		return nil
	}
}

// has reports whether a function is in a profile.
func has(p *profile.Profile, function string) bool {
	for _, th := range p.Threads {
		if slices.ContainsFunc(th.Roots, func(n *profile.Node) bool { return below(n, function) }) {
			return true
		}
	}
	return false
}

func below(n *profile.Node, function string) bool {
	return n.Function == function ||
		slices.ContainsFunc(n.Children, func(c *profile.Node) bool { return below(c, function) })
}

// TestWorkersAreRecorded records a program and its three workers to their end.
func TestWorkersAreRecorded(t *testing.T) {
	cmd, input := start(t)
	profiles, err := Record(context.Background(), cmd.Process.Pid, capture.Options{
		Tool: "test", Interval: 5 * time.Millisecond,
		Each: after(4, func() { _ = input.Close() }),
	})
	if err != nil {
		needs.Ptrace(t, err)
	}
	checkWorkers(t, profiles, cmd.Process.Pid)
}

// checkWorkers wants the program's profile first, and one of each worker.
func checkWorkers(t *testing.T, profiles []*profile.Profile, root int) {
	t.Helper()
	if len(profiles) == 0 || profiles[0].Target.PID != root {
		t.Fatalf("%d profiles, the first not of pid %d", len(profiles), root)
	}
	for _, name := range []string{"first", "second", "third"} {
		var pids []int
		for _, p := range profiles {
			if has(p, name) {
				pids = append(pids, p.Target.PID)
			}
		}
		if len(pids) != 1 || pids[0] == root {
			t.Errorf("%s is in the profiles of %v, want those of one child", name, pids)
		}
	}
	if n := profiles[0].Notes; len(n) == 0 || !strings.HasSuffix(n[len(n)-1], "recorded: 3") {
		t.Errorf("notes %q do not tell of three processes", n)
	}
}

// TestEndOfContext ends a recording from outside: all run on.
func TestEndOfContext(t *testing.T) {
	cmd, _ := start(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	profiles, err := Record(ctx, cmd.Process.Pid, capture.Options{
		Tool: "test", Interval: 5 * time.Millisecond, Each: after(4, stop),
	})
	if err != nil {
		t.Fatal(err)
	}
	checkWorkers(t, profiles, cmd.Process.Pid)
}

// TestNoRoot records what is not there.
func TestNoRoot(t *testing.T) {
	profiles, err := Record(context.Background(), math.MaxInt32, capture.Options{Tool: "test"})
	if len(profiles) != 0 || !errors.As(err, new(*task.NoProcessError)) {
		t.Errorf("%d profiles, %v", len(profiles), err)
	}
}
