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

// TestGoroutinesOfThreads: titles and sentences for people name the goroutine that a thread runs.
func TestGoroutinesOfThreads(t *testing.T) {
	th := &profile.Thread{ID: 7, Name: "app", Goroutine: task.Goroutine{ID: 21, Labels: []string{"handler", "/login", "user", "a\nb"}}}
	p := &profile.Profile{Target: task.Info{PID: 1, Name: "app", OS: task.Linux}, Threads: []*profile.Thread{th}}
	if got, want := NewPrinter(io.Discard, p, Options{}).ThreadName(7, "app"), `thread 7 "app" (goroutine 21)`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ThreadTitle(p, th), `Thread 7 app, goroutine 21 {"handler": "/login", "user": "a\nb"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ThreadLabel(p, th), "Thread 7 app"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for n := range 5 {
		th.Same = append(th.Same, profile.ThreadName{ID: 8, Goroutine: uint64(22 + n)})
	}
	if got, want := Goroutines(th), "goroutines 21, 22, 23, 24 and 2 more"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Goroutines(&profile.Thread{}); got != "" {
		t.Error(got)
	}
}
