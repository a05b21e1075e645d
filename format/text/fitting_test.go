package text

import (
	"fmt"
	"strings"
	"testing"

	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// server is a profile of a thread that calls many functions, each in 1.5 % of its samples, and of
// others that wait for work.
func server(functions, waiting int) *profile.Profile {
	p := sorters(0)
	im, lib := p.Images[0], p.Images[1]
	work := &profile.Node{Location: profile.Location{Image: im, Function: "work"}, PC: 0x1100, Count: 1000}
	for i := range functions {
		work.Children = append(work.Children, &profile.Node{Location: profile.Location{Image: im, Function: fmt.Sprintf("job%d", i)}, PC: 0x1200 + task.Addr(i), Count: 15, Self: 15})
	}
	work.Self = 1000 - 15*functions
	p.Threads = append(p.Threads, &profile.Thread{ID: 2, Name: "server", Samples: 1000, Last: 999, States: profile.States{task.Running: 1000}, Roots: []*profile.Node{work}})
	for i := range waiting {
		wait := &profile.Node{Location: profile.Location{Image: lib, Function: "pthread_cond_wait"}, PC: 0x10100, Count: 1000, Self: 1000}
		serve := &profile.Node{Location: profile.Location{Image: im, Function: fmt.Sprintf("await%d", i)}, PC: 0x1300 + task.Addr(i), Count: 1000, Children: []*profile.Node{wait}}
		p.Threads = append(p.Threads, &profile.Thread{ID: task.ThreadID(3 + i), Name: "pool", Samples: 1000, Last: 999, States: profile.States{task.Sleeping: 1000}, Roots: []*profile.Node{serve}})
	}
	return p
}

// TestFitting: more is left out of a report that would be too long, which says so, unless all was asked
// for.
func TestFitting(t *testing.T) {
	for _, c := range []struct {
		functions int
		least     float64
		want      string
	}{
		{10, 1, "job9 (sorters)"},
		{50, 1, "… 50 more frames in 50 branches"},
		{50, 0, "job49 (sorters)"},
	} {
		o := peopleWant(80)
		o.Least = c.least
		got := string(golden.WrittenReport(t, Tree, report.Of(server(c.functions, 0)), o))
		_, tree, _ := strings.Cut(got, "Thread 2 ")
		if tree, _, _ = strings.Cut(tree, "Self time"); !strings.Contains(tree, c.want) {
			t.Errorf("%+v: no %s in:\n%s", c, c.want, got)
		}
		if n := strings.Count(got, "\n"); c.least > 0 && n > maxLines {
			t.Errorf("%d lines", n)
		}
	}
}

// TestAsleep: threads that were asleep in one place have a line each, and others have trees.
func TestAsleep(t *testing.T) {
	const rows = `
Asleep in one place, in 99 % of their samples or more (--min 0 shows the trees):
  Thread 3 "pool": pthread_cond_wait ← await0
  Thread 4 "pool": pthread_cond_wait ← await1

`
	for _, c := range []struct {
		name   string
		change func(p *profile.Profile, o *words.Options)
		want   bool
	}{
		{"two that wait for work", func(*profile.Profile, *words.Options) {}, true},
		{"--min 0", func(_ *profile.Profile, o *words.Options) { o.Least = 0 }, false},
		{"--addresses", func(_ *profile.Profile, o *words.Options) { o.Addresses = true }, false},
		{"few threads", func(p *profile.Profile, _ *words.Options) { p.Threads = p.Threads[1:] }, false},
		{"one that ran now and then", func(p *profile.Profile, _ *words.Options) {
			p.Threads[3].States = profile.States{task.Running: 11, task.Sleeping: 989}
		}, false},
		{"one that waits for a lock", func(p *profile.Profile, _ *words.Options) {
			p.Threads[3].Looks = 5
			p.Threads[3].Waits = []profile.Waited{{Wait: profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 8}, Looks: 5}}
		}, false},
	} {
		p, o := server(1, 2), peopleWant(80)
		c.change(p, &o)
		if got := string(golden.WrittenReport(t, Tree, report.Of(p), o)); strings.Contains(got, rows) != c.want || strings.Contains(got, "\nThread 4  ") == c.want {
			t.Errorf("%s:\n%s", c.name, got)
		}
	}
}

// TestFactsOfSamples: a report on samples has few facts, unless they are asked for.
func TestFactsOfSamples(t *testing.T) {
	p := server(1, 0)
	p.Target.OSVersion = "Linux 6.1"
	for header, want := range map[bool]bool{false: false, true: true} {
		o := peopleWant(80)
		o.Header = header
		got := string(golden.WrittenReport(t, Tree, report.Of(p), o))
		if strings.Contains(got, "OS Version:") != want || strings.Contains(got, "--header adds the facts") == want {
			t.Errorf("header %t:\n%s", header, got)
		}
	}
}
