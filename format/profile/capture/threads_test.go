package capture

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// listed is a process of which only the threads' ids are known.
type listed struct {
	info task.Info
	ids  []task.ThreadID
}

func (p *listed) Info() task.Info                 { return p.info }
func (p *listed) Capabilities() task.Capabilities { return task.Capabilities{} }
func (p *listed) Memory() task.Memory             { return nil }
func (p *listed) Regions() iter.Seq2[task.Region, error] {
	return func(func(task.Region, error) bool) {}
}
func (p *listed) Threads() ([]task.ThreadID, error)          { return p.ids, nil }
func (p *listed) Describe(task.ThreadID, *task.Thread) error { return nil }
func (p *listed) Suspend(task.StopOptions) (func() error, error) {
	return func() error { return nil }, nil
}
func (p *listed) Capture(task.ThreadID, *task.Thread) error { return nil }
func (p *listed) Close() error                              { return nil }

// TestMainThread is the oldest where it has not the process's id: none where there are no
// threads, and an error where they cannot be listed, even if some are.
func TestMainThread(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name string
		os   task.OS
		ids  []task.ThreadID
		err  error
		want task.ThreadID
	}{
		{"Linux", task.Linux, nil, refused, 7},
		{"a Mac", task.Darwin, []task.ThreadID{30, 20, 40}, nil, 20},
		{"of no thread", task.Darwin, nil, nil, 0},
		{"that tells none", task.Darwin, nil, refused, 0},
		{"that tells some", task.Darwin, []task.ThreadID{30}, refused, 0},
	} {
		p := &refusing{listed{info: task.Info{OS: c.os, PID: 7}, ids: c.ids}, c.err}
		id, err := mainThread(&profile.ThreadFilter{Main: true}, p)
		if id != c.want || c.os == task.Darwin && !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v", c.name, id, err)
		}
	}
}

// refusing lists its threads with an error.
type refusing struct {
	listed
	err error
}

func (p *refusing) Threads() ([]task.ThreadID, error) { return p.ids, p.err }

func TestThreadsWanted(t *testing.T) {
	linux := &listed{info: task.Info{OS: task.Linux, PID: 7}}
	mac := &listed{info: task.Info{OS: task.Darwin, PID: 7}, ids: []task.ThreadID{30, 20, 40}}
	main := task.Thread{ID: 7, Name: "main", State: task.Sleeping}
	worker := task.Thread{ID: 20, Name: "worker-1", State: task.Running}
	stuck := task.Thread{ID: 30, Name: "worker-2", State: task.Uninterruptible}
	for _, c := range []struct {
		name                string
		p                   *listed
		w                   profile.ThreadFilter
		main, worker, stuck bool
	}{
		{"all", linux, profile.ThreadFilter{}, true, true, true},
		{"by id", linux, profile.ThreadFilter{IDs: []task.ThreadID{7, 30}}, true, false, true},
		{"by name", linux, profile.ThreadFilter{Names: []string{"worker-*"}}, false, true, true},
		{"main", linux, profile.ThreadFilter{Main: true}, true, false, false},
		{"main of a Mac", mac, profile.ThreadFilter{Main: true}, false, true, false},
		{"running", linux, profile.ThreadFilter{Running: true}, false, true, false},
		{"blocked", linux, profile.ThreadFilter{Blocked: true}, true, false, true},
		{"either", linux, profile.ThreadFilter{Running: true, Blocked: true}, true, true, true},
		{"name and state", linux, profile.ThreadFilter{Names: []string{"worker-?"}, Running: true}, false, true, false},
	} {
		f, err := wantedThreads(&c.w, c.p)
		if err != nil {
			t.Fatal(err)
		}
		if f == nil {
			f = func(*task.Thread) bool { return true }
		}
		if got := [3]bool{f(&main), f(&worker), f(&stuck)}; got != [3]bool{c.main, c.worker, c.stuck} {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if _, err := wantedThreads(&profile.ThreadFilter{Names: []string{"[a"}}, linux); err == nil {
		t.Error("a pattern that is none was taken")
	}
}

func TestThreadsOfProfile(t *testing.T) {
	p := &profile.Profile{Threads: []*profile.Thread{{ID: 1, Name: "main", Main: true}, {ID: 2, Name: "worker-1"}, {ID: 3, Name: "worker-2"}}}
	for want, w := range map[string]profile.ThreadFilter{
		"[1 2 3]": {Running: true}, "[1]": {Main: true}, "[2 3]": {Names: []string{"worker-*"}}, "[3]": {IDs: []task.ThreadID{1, 3}, Names: []string{"*-2"}}, "[]": {Main: true, IDs: []task.ThreadID{2}},
	} {
		some, err := w.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		ids := []task.ThreadID{}
		for _, th := range some.Threads {
			ids = append(ids, th.ID)
		}
		if got := fmt.Sprint(ids); got != want || len(p.Threads) != 3 {
			t.Errorf("%+v: %s, want %s", w, got, want)
		}
	}
	if _, err := (&profile.ThreadFilter{Names: []string{"["}}).Of(p); err == nil {
		t.Error("a bad pattern is no error")
	}
}
