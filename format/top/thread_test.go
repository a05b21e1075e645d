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
