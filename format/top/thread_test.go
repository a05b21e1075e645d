package top

import (
	"testing"

	"stacksnap/task"
)

// TestNameOfAThread: it is that of the runtime where the system's is that of the process alone.
func TestNameOfAThread(t *testing.T) {
	var own thread
	for _, tt := range []struct {
		seen task.Thread
		want string
	}{
		{task.Thread{Name: "python3"}, "python3"},
		{task.Thread{Name: "python3", RuntimeName: "worker"}, "worker"},
		{task.Thread{}, "worker"},
		{task.Thread{RuntimeName: "other"}, "other"},
		{task.Thread{Queue: "queue"}, "queue"},
	} {
		if own.see(&tt.seen, "python3"); own.name != tt.want {
			t.Errorf("%q, want %q", own.name, tt.want)
		}
	}
}

// TestGoroutineOfAThread: it is that of the last sample, beside the name.
func TestGoroutineOfAThread(t *testing.T) {
	var own thread
	for _, g := range []struct {
		id   uint64
		want string
	}{{7, "app goroutine 7"}, {8, "app goroutine 8"}, {0, "app"}} {
		own.see(&task.Thread{Name: "app", Goroutine: task.Goroutine{ID: g.id}}, "app")
		row := threadRow{seen: seen{name: own.name, runs: own.goroutine}}
		if got := row.called(); got != g.want {
			t.Errorf("%q, want %q", got, g.want)
		}
	}
}
