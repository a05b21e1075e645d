package words

import (
	"io"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestNamesOfTheRuntime: sentences and titles for people have them, labels of other formats do not.
func TestNamesOfTheRuntime(t *testing.T) {
	th := &profile.Thread{
		ID: 7, Name: "python3", RuntimeName: "worker-3", Samples: 1,
		Same: []profile.ThreadName{{ID: 8, Name: "python3", RuntimeName: "worker-4"}, {ID: 9, Name: "python3"}},
	}
	p := &profile.Profile{Target: task.Info{PID: 1, Name: "python3", OS: task.Linux}, Threads: []*profile.Thread{th}}
	printer := NewPrinter(io.Discard, p, Options{})
	for id, want := range map[task.ThreadID]string{7: `thread 7 "worker-3"`, 8: `thread 8 "worker-4"`, 9: `thread 9 "python3"`, 10: `thread 10 "python3"`} {
		if got := printer.ThreadName(id, "python3"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	th.Same = nil
	if got := ThreadTitle(p, th); got != "Thread 7 worker-3" {
		t.Error(got)
	}
	if got := ThreadLabel(p, th); got != "Thread 7 python3" {
		t.Error(got)
	}
}
