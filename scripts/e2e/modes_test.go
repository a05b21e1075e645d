//go:build linux

package e2e

import (
	"context"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// TestRecordEndsEarlyWithWhatThereIs: a context that is done is no error.
func TestRecordEndsEarlyWithWhatThereIs(t *testing.T) {
	cmd := start(t, compile(t, "shares", "-O1"), "split")
	p, err := live.Open(cmd.Process.Pid)
	needs.Ptrace(t, err)
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	prof, err := capture.Record(ctx, p, capture.Options{
		Interval: time.Millisecond, Duration: time.Hour,
		Progress: func(_ time.Duration, snapshots int) {
			if seen = snapshots; snapshots > 200 {
				cancel()
			}
		},
	})
	if err != nil || prof.Snapshots < seen || prof.Snapshots > seen+200 {
		t.Errorf("%d snapshots after %d, %v", prof.Snapshots, seen, err)
	}
}

// TestOnlyRunningThreads: the others are left alone.
func TestOnlyRunningThreads(t *testing.T) {
	cmd := start(t, compile(t, "churn", "-O1"), "threads")
	p := record(t, cmd, capture.Options{
		Interval: time.Millisecond, Duration: time.Second, Threads: profile.ThreadFilter{Running: true},
	})
	for _, th := range p.Threads {
		if th.States[task.Sleeping] > 0 {
			t.Errorf("thread %d was taken asleep %d times", th.ID, th.States[task.Sleeping])
		}
	}
}

// TestWithoutStop: nothing is stopped, and the samples say so.
func TestWithoutStop(t *testing.T) {
	cmd := start(t, compile(t, "churn", "-O1"), "threads")
	p := record(t, cmd, capture.Options{Interval: time.Millisecond, Duration: time.Second, Suspend: task.SuspendNone})
	if p.Stops != 0 || p.Stopped != 0 {
		t.Errorf("%d stops, %v", p.Stops, p.Stopped)
	}
	marked := 0 // threads that were read while they ran, or say why they were not
	for _, th := range p.Threads {
		if th.Unstopped > 0 || th.Err != "" {
			marked++
		}
	}
	if marked == 0 {
		t.Errorf("none of %d threads is marked", len(p.Threads))
	}
}
