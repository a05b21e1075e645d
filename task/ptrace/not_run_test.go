//go:build linux

package ptrace

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// TestStopsAreNoRuns: for how long threads have not run is known although a stop has woken them, but not
// if there was another stop.
func TestStopsAreNoRuns(t *testing.T) {
	_, err := os.Stat("/proc/self/sched")
	needs.Feature(t, "/proc/PID/sched", err, unix.ENOENT)
	const n = 4
	started := time.Now()
	g := startThreads(t, n, "sleep", 50)
	sleep := func() bool { return strings.Count(states(g.pid), "S") == n }
	p := attach(t, g.pid)
	note := p.Capabilities().NoteBlocked
	var s task.Snapshot
	eventually(t, "all threads sleep", sleep)
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	all := map[task.ThreadID]int{}
	for _, id := range ids {
		all[id] = 1
	}
	notRun := note(ids)
	most := time.Since(started)
	take(t, p, &s)
	eventually(t, "all threads sleep again", sleep)
	got := notRun(all)
	for _, id := range ids {
		if d, ok := got[id]; !ok || d > most {
			t.Errorf("thread %d: %v, %v; most %v", id, d, ok, most)
		}
	}
	take(t, p, &s)
	eventually(t, "all threads sleep again", sleep)
	if got := notRun(all); len(got) != 0 {
		t.Errorf("after another stop: %v", got)
	}
}
