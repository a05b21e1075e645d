package across_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/live/livetest"
)

// startLinked runs testdata/linked.c, and returns its pid.
func startLinked(t *testing.T) int {
	t.Helper()
	pid := start(t, "linked")
	awaitNames(t, pid)
	return pid
}

// start runs a program of testdata with the arguments, and a file of its own.
func start(t *testing.T, name string, args ...string) int {
	t.Helper()
	return livetest.Start(t, livetest.Build(t, name), append(args, filepath.Join(t.TempDir(), "lock"))...)
}

// awaitNames waits until all children have names of their own.
func awaitNames(t *testing.T, root int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if !slices.ContainsFunc(below(t, root), func(pid int) bool { return live.Name(pid) == "linked" }) {
			return
		}
	}
	t.Fatal("the children have no names")
}

func below(t *testing.T, root int) []int {
	t.Helper()
	var kin live.Kin
	all, err := kin.Descendants(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// family captures a process and what it has started.
func family(t *testing.T, root int) *profile.Group {
	t.Helper()
	var all []task.Process
	for _, pid := range append([]int{root}, below(t, root)...) {
		p, err := live.Open(pid)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = p.Close() }()
		all = append(all, p)
	}
	shots := capture.OneShots(all, capture.Options{Tool: "test"})
	g := &profile.Group{Deadlocks: shots.Deadlocks}
	for _, s := range shots.All {
		if s.Err != nil {
			t.Fatal(s.Err)
		}
		g.Profiles = append(g.Profiles, s.Profile)
	}
	return g
}

// TestPeers captures processes that wait for each other until all is told that is
// to be: on a busy machine a thread may be back in its call late. Whatever is told
// is right each time.
func TestPeers(t *testing.T) {
	root := startLinked(t)
	want := map[string]profile.Peer{
		"reader": {PID: root, Action: profile.Write}, "writer": {PID: root, Action: profile.Read},
		"fifo reader": {PID: root, Action: profile.Write}, "fifo writer": {PID: root, Action: profile.Read},
		"pair": {PID: root, Action: profile.Write}, "unix": {PID: root, Action: profile.Write},
		"tcp": {PID: root, Action: profile.Write}, "tcp6": {PID: root, Action: profile.Write},
		"poller": {PID: root, Action: profile.Write}, "brother": {Name: "giver", Action: profile.Write},
		"mutex":  {PID: root, Action: profile.Release, ThreadName: "holder"},
		"robust": {PID: root, Action: profile.Release, ThreadName: "holder"},
		"rwlock": {PID: root, Action: profile.Release, ThreadName: "holder"},
		"flock":  {PID: root, Action: profile.Release}, "range": {PID: root, Action: profile.Release},
		"left": {PID: root, Action: profile.Release}, "ofd": {PID: root, Action: profile.Release},
		"linked": {Name: "reader", Action: profile.End},
	}
	told := map[string]bool{}
	for end := time.Now().Add(2 * time.Minute); len(told) < len(want); {
		g := family(t, root)
		for _, p := range g.Profiles {
			name := p.Target.Name
			if w := p.MainThread().Wait; w != nil && w.Peer.PID != 0 {
				check(t, g, name, w.Peer, want[name])
				told[name] = true
			}
		}
		if time.Now().After(end) {
			t.Fatalf("told of %v only", told)
		}
	}
}

// check compares what is told with what is wanted of it.
func check(t *testing.T, g *profile.Group, name string, got, want profile.Peer) {
	t.Helper()
	p := g.Find(got.PID)
	if want.Action == profile.NoAction || p == nil || got.Action != want.Action || got.Name != p.Target.Name ||
		want.PID != 0 && got.PID != want.PID || want.Name != "" && got.Name != want.Name {
		t.Errorf("%s waits for %+v, want %+v", name, got, want)
		return
	}
	switch th := p.Find(got.Thread); {
	case want.ThreadName == "holder":
		if th == nil || th.Name != "holder" || got.ThreadName != "holder" || th.Main {
			t.Errorf("%s waits for %+v, want the holder", name, got)
		}
	case (len(p.Threads) == 1) != (th != nil):
		t.Errorf("%s waits for %+v, which has %d threads", name, got, len(p.Threads))
	}
}

// TestEachOnce takes many groups: each process is in each once, in its order, and
// nothing stands afterwards.
func TestEachOnce(t *testing.T) {
	root := startLinked(t)
	first := family(t, root)
	for range 20 {
		g := family(t, root)
		if len(g.Profiles) != len(first.Profiles) {
			t.Fatalf("%d processes, and then %d", len(first.Profiles), len(g.Profiles))
		}
		for i, p := range g.Profiles {
			if p.Target.PID != first.Profiles[i].Target.PID || len(p.Threads) == 0 || len(p.Threads[0].Roots) == 0 {
				t.Errorf("report %d is on %d with %d threads", i, p.Target.PID, len(p.Threads))
			}
		}
		if _, ok := g.Spread(); !ok {
			t.Error("no spread")
		}
	}
}
