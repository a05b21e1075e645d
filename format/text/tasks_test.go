package text

import (
	"strings"
	"testing"

	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// TestTasks: the main goroutine comes first, then the others, without the frames in which every goroutine
// is parked; the runtime's own are only counted.
func TestTasks(t *testing.T) {
	im := &profile.Image{Path: "/srv/worker", Main: true, Symbols: true}
	path := func(functions ...string) (path []*profile.Node) {
		for _, f := range functions {
			path = append(path, &profile.Node{Location: profile.Location{Function: f, Raw: f, Image: im, File: "/src/it.go", Line: 31}, PC: 1, Return: true})
		}
		return path
	}
	p := &profile.Profile{Snapshots: 1, Images: []*profile.Image{im}, Tasks: []*profile.Task{
		{
			Runtime: "Go 1.26.1", ID: 7, Wait: "chan receive", Count: 5000,
			Path:    path("runtime.goexit.abi0", "main.worker", "runtime.chanrecv1", "runtime.chanrecv", "runtime.gopark"),
			Created: &profile.Location{Function: "main.start", File: "/src/it.go", Line: 44, Image: im},
		},
		{Runtime: "Go 1.26.1", ID: 2, Wait: "force gc (idle)", System: true, Count: 3, Path: path("runtime.gcBgMarkWorker")},
		{Runtime: "Go 1.26.1", ID: 1, Wait: "sleep", Count: 1, Path: path("runtime.main", "main.main", "time.Sleep", "runtime.gopark")},
	}}
	got := string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{}))
	want := `
5,001 goroutines that no thread runs (Go 1.26.1):

  main goroutine 1 in sleep
    runtime.main + 0 (worker) [0x1]  it.go:31
      main.main + 0 (worker) [0x1]  it.go:31
        time.Sleep + 0 (worker) [0x1]  it.go:31

  5,000 goroutines in chan receive, created by main.start (it.go:44)
    main.worker + 0 (worker) [0x1]  it.go:31
      runtime.chanrecv1 + 0 (worker) [0x1]  it.go:31

  and 3 of the runtime itself
`
	if !strings.Contains(got, want) {
		t.Errorf("want %s in\n%s", want, got)
	}
	p.Snapshots = 2
	got = string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{Addresses: true}))
	want = strings.Replace(want, "runs (Go 1.26.1)", "ran at the end of the sampling (Go 1.26.1)", 1)
	if !strings.Contains(got, want) {
		t.Errorf("of samples want %s in\n%s", want, got)
	}
}

// TestFirstTask: where the first line is about tasks, the first stack is theirs, not that of a thread,
// which waits for any of them. A line follows for each other entry of tasks.
func TestFirstTask(t *testing.T) {
	im := &profile.Image{Path: "/srv/stock", Main: true, Symbols: true}
	path := func(functions ...string) (path []*profile.Node) {
		for i, f := range functions {
			path = append(path, &profile.Node{Location: profile.Location{Function: f, Raw: f, Image: im, File: "/src/main.go", Line: 10 + i}, PC: 1, Return: true, Count: 1})
		}
		return path
	}
	thread := path("runtime.mcall")
	thread[0].Self = 1
	p := &profile.Profile{Snapshots: 1, Images: []*profile.Image{im}, Threads: []*profile.Thread{
		{ID: 1, Main: true, Samples: 1, State: task.Sleeping, Roots: thread},
	}, Tasks: []*profile.Task{
		{Runtime: "Go 1.26.1", ID: 7, Wait: "chan receive", Count: 3, Path: path("runtime.goexit.abi0", "main.worker", "runtime.chanrecv1", "runtime.gopark")},
		{Runtime: "Go 1.26.1", ID: 2, Wait: "force gc (idle)", System: true, Count: 3, Path: path("runtime.gcBgMarkWorker")},
		{Runtime: "Go 1.26.1", ID: 1, Wait: "sync.Mutex.Lock", Count: 1, Path: path("runtime.main", "main.main", "main.reserve", "sync.(*Mutex).Lock", "runtime.gopark")},
	}}
	got := string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{}))
	want := `main goroutine waits in sync.Mutex.Lock, called by main.reserve (main.go:12); Go does not record who holds it

Stack of the main goroutine, innermost first:
  sync.(*Mutex).Lock (stock)  main.go:13
  main.reserve (stock)  main.go:12
  main.main (stock)  main.go:11

3 goroutines in chan receive, in main.worker (main.go:11)

`
	if !strings.HasPrefix(got, want) {
		t.Errorf("want %s at the start of\n%s", want, got)
	}
}

// TestTasksOfOnePlace: tasks that wait at one place but were made at several are one line, and none if
// the first stack is of one of them.
func TestTasksOfOnePlace(t *testing.T) {
	im := &profile.Image{Path: "/srv/stock", Main: true, Symbols: true}
	waiting := func(id uint64, wait, function string, created int) *profile.Task {
		outer := &profile.Node{Location: profile.Location{Function: "main.main", Raw: "main.main", Image: im, File: "/src/main.go", Line: created}, PC: 1, Return: true, Count: 1}
		own := &profile.Node{Location: profile.Location{Function: function, Raw: function, Image: im, File: "/src/main.go", Line: 20}, PC: 1, Return: true, Count: 1}
		return &profile.Task{
			Runtime: "Go 1.26.1", ID: id, Wait: wait, Count: 1, Path: []*profile.Node{outer, own},
			Created: &profile.Location{Function: "main.main", File: "/src/main.go", Line: created, Image: im},
		}
	}
	thread := &profile.Node{Location: profile.Location{Function: "runtime.mcall", Image: im}, Count: 1, Self: 1}
	p := &profile.Profile{Snapshots: 1, Images: []*profile.Image{im}, Threads: []*profile.Thread{
		{ID: 1, Main: true, Samples: 1, State: task.Sleeping, Roots: []*profile.Node{thread}},
	}, Tasks: []*profile.Task{
		waiting(7, "sync.Mutex.Lock", "main.transfer", 29), waiting(8, "sync.Mutex.Lock", "main.transfer", 30),
		waiting(9, "chan receive", "main.worker", 31), waiting(10, "chan receive", "main.worker", 32),
	}}
	got := string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{}))
	want := `2 of 4 goroutines wait in sync.Mutex.Lock, called by main.transfer (main.go:20); Go does not record who holds it

Stack of one of the 2 goroutines, innermost first:
  main.transfer (stock)  main.go:20
  main.main (stock)  main.go:29

2 goroutines in chan receive, in main.worker (main.go:20)

`
	if !strings.HasPrefix(got, want) {
		t.Errorf("want %s at the start of\n%s", want, got)
	}
}
