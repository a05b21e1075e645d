package top

import (
	"testing"
	"time"

	"stacksnap/format/profile"
)

// TestTasks: the line on waiting tasks is there from the first sample on, and is read again when its
// time has come.
func TestTasks(t *testing.T) {
	s := newScript()
	program := &profile.Image{Path: "/srv/program", Main: true}
	path := []*profile.Node{{Location: profile.Location{Function: "main.worker", Image: program, File: "/src/worker.go", Line: 31}}}
	reads, waiting := 0, 5000
	s.tasks = func() []*profile.Task {
		reads++
		return []*profile.Task{
			{Runtime: "Go 1.26.1", ID: 7, Wait: "chan receive", Count: waiting, Path: path},
			{Runtime: "Go 1.26.1", ID: 1, Wait: "select", Count: 1, Path: path},
		}
	}
	want := func(line string, n int) {
		t.Helper()
		got := ""
		for _, l := range tasksLine(s.data(), 200) {
			got += l.spans[0].text
		}
		if got != line || reads != n {
			t.Errorf("after %d readings, not %d: %q, not %q", reads, n, got, line)
		}
	}
	s.sample(1)
	want("5,000 of 5,001 goroutines wait in chan receive, in main.worker (worker.go:31)", 1)
	waiting = 6000
	s.sample(int(tasksEvery/tick) - 1)
	want("5,000 of 5,001 goroutines wait in chan receive, in main.worker (worker.go:31)", 1)
	s.now = s.now.Add(time.Hour) // however long the reading took
	s.sample(1)
	want("6,000 of 6,001 goroutines wait in chan receive, in main.worker (worker.go:31)", 2)
	waiting = 2
	s.now = s.now.Add(time.Hour)
	s.sample(1)
	want("", 3)
}
