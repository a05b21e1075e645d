package hang

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile/hangreport"
	"stacksnap/task"
)

// TestLiveDeadlockOfOthers: that threads besides the watched one are in a deadlock already is reported
// first, while the main thread joins one of them.
func TestLiveDeadlockOfOthers(t *testing.T) {
	p := start(t, "joined:1")
	for waitForMutexes(t, p.Process.Pid) < 2 {
		<-time.After(5 * time.Millisecond) // nothing depends on how long
	}
	enough := errors.New("there was a report")
	o := Options{Threshold: time.Hour, Every: 10 * time.Millisecond, Tool: "test"}
	err := watchLive(t.Context(), t, p, o, func(r *hangreport.Report) error {
		if r.Reason != hangreport.Deadlocked || len(r.Profile.Deadlocks) != 1 || len(r.Profile.Deadlocks[0].Waiters) != 2 {
			t.Fatal(describe(r))
		}
		for _, w := range r.Profile.Deadlocks[0].Waiters {
			if w.ID == task.ThreadID(p.Process.Pid) {
				t.Errorf("the main thread is none of them: %s", describe(r))
			}
		}
		return enough
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
}

// waitForMutexes counts the threads that wait for a mutex of glibc's, by the arguments of their calls.
func waitForMutexes(t *testing.T, pid int) (n int) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d threads: %v", len(files), err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), " 0x80 0x2 ") {
			n++
		}
	}
	return n
}
