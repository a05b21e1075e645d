package across_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hangreport"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/live/livetest"
	"stacksnap/task/needs"
)

// followed captures one process with those that it waits for.
func followed(t *testing.T, pid int) (*profile.Profile, capture.Shots) {
	t.Helper()
	p, err := live.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	shots := capture.OneShots([]task.Process{p}, capture.Options{Tool: "test", Follow: true})
	if len(shots.All) != 1 || shots.All[0].Err != nil {
		t.Fatalf("%+v", shots.All)
	}
	return shots.All[0].Profile, shots
}

// pidsOf lists processes.
func pidsOf(all []*profile.Profile) (pids []int) {
	for _, p := range all {
		pids = append(pids, p.Target.PID)
	}
	return pids
}

// comesTo repeats a look until it shows what is to be: on a busy machine a thread may
// be back in its call late.
func comesTo(t *testing.T, look func() (shown any, ok bool)) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		shown, ok := look()
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%+v", shown)
		}
	}
}

// TestFollow captures the one that is waited for, with its stack, and no others.
func TestFollow(t *testing.T) {
	root := startLinked(t)
	for name, c := range map[string]struct {
		peer, function string
		all            int // that are followed
	}{
		"brother": {"giver", "sleeps", 1}, // by a pipe
		"mutex":   {"linked", "holds", 1}, // whose thread waits for nobody
		"range":   {"linked", "main", 2},  // which waits for the reader
		"unix":    {"linked", "main", 2},
		"two":     {}, // which would do with either of two
		"shared":  {}, // two have the other end
	} {
		pid := childNamed(t, root, name)
		comesTo(t, func() (any, bool) {
			p, shots := followed(t, pid)
			if c.peer == "" {
				return shots, len(shots.Followed) == 0 && p.MainThread().Wait != nil
			}
			ok := len(shots.Followed) == c.all && shots.Followed[0].Target.Name == c.peer && has(shots.Followed[0], c.function)
			return shots, ok
		})
	}
}

func childNamed(t *testing.T, root int, name string) int {
	t.Helper()
	for _, pid := range below(t, root) {
		if live.Name(pid) == name {
			return pid
		}
	}
	t.Fatalf("no child %q", name)
	return 0
}

// has reports whether a function is on any stack.
func has(p *profile.Profile, function string) bool {
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Function == function {
				return true
			}
		}
	}
	return false
}

// TestFollowSamples captures, when a process was sampled, the one that it waits for by then,
// and says so of its wait.
func TestFollowSamples(t *testing.T) {
	root := startLinked(t)
	for name, how := range map[string]task.Suspension{"brother": task.SuspendDefault, "two": task.SuspendDefault, "fifo reader": task.SuspendNone} {
		pid := childNamed(t, root, name)
		comesTo(t, func() (any, bool) {
			p, err := live.Open(pid)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close() }()
			var all []hangreport.Followed
			o := capture.Options{Tool: "test", Interval: time.Millisecond, Count: 20, Suspend: how}
			o.Followed = func(f hangreport.Followed) { all = append(all, f) }
			sampled, err := capture.Record(t.Context(), p, o)
			if err != nil || len(all) != 1 || len(all[0].Missing) > 0 {
				t.Fatalf("%v, %+v", err, all)
			}
			w, others := sampled.MainThread().UsualWaits(), all[0].Profiles
			if name == "two" {
				return w, len(w) == 1 && w[0].Peer.PID == 0 && len(others) == 0
			}
			ok := len(w) == 1 && len(others) > 0 && w[0].Peer.PID == others[0].Target.PID && w[0].Looks == sampled.MainThread().Looks
			return w, ok && has(others[0], map[string]string{"brother": "sleeps", "fifo reader": "main"}[name])
		})
	}
}

// inOrder returns the children of a process in the order in which it made them, which is that
// of their numbers until these begin anew.
func inOrder(t *testing.T, root int) (pids []int) {
	t.Helper()
	list, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", root))
	needs.Feature(t, "/proc/PID/task/TID/children", err, fs.ErrNotExist)
	for _, field := range strings.Fields(string(list)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// TestFollowFar follows a chain as far as is allowed, each process once, in its order.
func TestFollowFar(t *testing.T) {
	root := start(t, "chain", "11")
	want := inOrder(t, root)[:8] // made in the order of the chain
	comesTo(t, func() (any, bool) {
		_, shots := followed(t, root)
		told := len(shots.Missing) == 1 && strings.HasPrefix(shots.Missing[0].Why, "1 more processes are waited for")
		return shots.Missing, slices.Equal(pidsOf(shots.Followed), want) && told
	})
}

// TestFollowCircle ends where it began.
func TestFollowCircle(t *testing.T) {
	root := start(t, "circle", "mutexes")
	want := below(t, root)
	comesTo(t, func() (any, bool) {
		_, shots := followed(t, root)
		return shots.Followed, slices.Equal(pidsOf(shots.Followed), want) && len(shots.Deadlocks) == 1 && len(shots.Missing) == 0
	})
}

// TestFollowRefused names one that cannot be captured: this process itself.
func TestFollowRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	held, err := os.Create(file + ".1")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	root := livetest.Start(t, livetest.Build(t, "chain"), "1", file)
	comesTo(t, func() (any, bool) {
		p, shots := followed(t, root)
		w := p.MainThread().Wait
		ok := len(shots.Missing) == 1 && shots.Missing[0].PID == os.Getpid() && w != nil && w.Peer.PID == os.Getpid()
		return shots, ok && len(shots.Followed) == 0
	})
}
