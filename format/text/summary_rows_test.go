package text

import (
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// summaryOf is the summary of a profile without what is the same of each.
func summaryOf(t *testing.T, p *profile.Profile) string {
	t.Helper()
	_, text, _ := strings.Cut(string(golden.Written(t, Summary, p)), "+0100\n")
	text, _, _ = strings.Cut(text, "Sure:")
	return text
}

// TestSummaryOwners: one that others wait for is shown, though it waits as those do that
// have nothing to do; and so is the main thread.
func TestSummaryOwners(t *testing.T) {
	p := deadlockedMany()
	p.Deadlocks = nil
	p.Threads = p.Threads[3:]
	p.Threads[0].Wait.Owner = 20
	got := summaryOf(t, p)
	for _, want := range []string{
		"  thread 20 \"w\" waits in futex: ", "Idle: 12 threads, 8 in futex, 4 in epoll_wait\n", "2 threads wait for mutex 0x7f0020, held by thread 2",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	p.Threads[10].Main = true
	if got := summaryOf(t, p); !strings.Contains(got, "Waits:\n  2 threads, the main one among them, wait in futex: futex ← bioProcessBackgroundJobs\n") || !strings.Contains(got, "Idle: 11 threads, 7 in futex") {
		t.Errorf("the main thread is not first in\n%s", got)
	}
	p.Threads[4].Wait.Peer = profile.Peer{PID: 9, Name: "other", Action: profile.Write}
	if got := summaryOf(t, p); !strings.Contains(got, "thread 21 \"w\" waits for other [9] to write") {
		t.Errorf("what waits for another process is missing in\n%s", got)
	}
}

// TestSummaryPeers: threads that wait alike for one process are one row, though each by a descriptor
// of its own.
func TestSummaryPeers(t *testing.T) {
	p := deadlockedMany()
	p.Deadlocks, p.Threads = nil, p.Threads[len(p.Threads)-2:]
	for i, th := range p.Threads {
		th.Roots = []*profile.Node{{Location: profile.Location{Function: "session"}, Count: 1, Self: 1}}
		th.Wait = &profile.Wait{Call: "read", Object: "fd " + string(rune('3'+i)), Peer: profile.Peer{PID: 9, Name: "other", Action: profile.Write}}
	}
	if got, want := summaryOf(t, p), "  2 threads wait for other [9] to write, in read: session"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestSummaryRuns: what runs is shown where that was in a hundredth of the snapshots, and a
// thread that ran in half of its samples does not wait.
func TestSummaryRuns(t *testing.T) {
	node := func(name string, self, ran int) *profile.Node {
		return &profile.Node{Location: profile.Location{Function: name}, Count: self, Self: self, States: &profile.States{task.Running: ran, task.Sleeping: self - ran}}
	}
	for _, c := range []struct {
		ran  int
		want string
	}{
		{0, "Waits:\n  thread 1, sleeping: f\n"},
		{9, "Waits:\n  thread 1, sleeping: f\n"},
		{10, "Runs, innermost function first, in 10 samples of all threads:\n   100 %: f\nWaits:\n  thread 1, sleeping: f\n"},
		{499, "Runs, innermost function first, in 499 samples of all threads:\n   100 %: f\nWaits:\n  thread 1, sleeping: f\n"},
		{500, "Runs, innermost function first, in 500 samples of all threads:\n   100 %: f\n"},
	} {
		p := fixtures.Moments(&profile.Profile{Snapshots: 1000}, 1)
		p.Threads = []*profile.Thread{{ID: 1, Samples: 1000, States: profile.States{task.Running: c.ran, task.Sleeping: 1000 - c.ran}, Roots: []*profile.Node{node("f", 1000, c.ran)}}}
		if got := summaryOf(t, p); got != c.want {
			t.Errorf("%d: %s, want %s", c.ran, got, c.want)
		}
	}
	p := fixtures.Moments(&profile.Profile{Snapshots: 1000}, 1)
	p.Threads = []*profile.Thread{{ID: 1, Samples: 1000, States: profile.States{task.Running: 1000}, Roots: []*profile.Node{node("f", 981, 981), node("_start", 10, 10), node("g", 9, 9)}}}
	const want = "Runs, innermost function first, in 1,000 samples of all threads:\n    98 %: f\n     1 %: _start\n    <1 %: g\n"
	if got := summaryOf(t, p); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSummaryGroupSharesRoom: what one process does not need is for those that do.
func TestSummaryGroupSharesRoom(t *testing.T) {
	small := func() *profile.Profile {
		p := fixtures.NoThreads()
		p.Threads = []*profile.Thread{{ID: 7, Main: true, State: task.Sleeping, Samples: 1, Wait: &profile.Wait{Call: "epoll_wait"}}}
		return p
	}
	big := deadlockedMany()
	var b strings.Builder
	if err := Summary(&b, report.OfGroup(&profile.Group{Profiles: []*profile.Profile{small(), big, small()}}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"in take ← ab\n", "in take ← ba\n", "main thread waits for thread 2", "3 threads wait for mutex", "Idle: 13 threads",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	fitsBrief(t, text, words.SummaryColumns)
	b.Reset()
	if err := Summary(&b, report.OfGroup(&profile.Group{Profiles: []*profile.Profile{big, big, big, big}}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	n, more := strings.Count(b.String(), "\n"), strings.Count(b.String(), "  … 4 more stacks")
	if n < summaryLines-1 || n > summaryLines || more != 4 { // each has more to say, and says so
		t.Errorf("%d lines:\n%s", n, b.String())
	}
}

// TestSummaryObjects: threads that wait in the same call share a row, which names what they wait
// for where that is one and the same; a name is never cut.
func TestSummaryObjects(t *testing.T) {
	const log = "fd 4 /srv/log[1].txt"
	for name, c := range map[string]struct {
		objects []string // of each thread
		main    bool     // the last one is
		want    string
	}{
		"one":       {[]string{log}, false, `thread 20 "w" waits in read: ` + log},
		"the same":  {[]string{log, log}, false, "2 threads wait in read: " + log},
		"others":    {[]string{log, "fd 5 pipe:[8]", log}, false, "3 threads wait in read"},
		"none":      {[]string{"", ""}, false, "2 threads wait in read"},
		"known one": {[]string{"", log}, false, "2 threads wait in read"},
		"main":      {[]string{log, log}, true, "2 threads, the main one among them, wait in read: " + log},
		"main only": {[]string{log, ""}, true, "2 threads, the main one among them, wait in read"},
	} {
		p := fixtures.Moments(&profile.Profile{Snapshots: 1}, 1)
		for i, object := range c.objects {
			p.Threads = append(p.Threads, &profile.Thread{
				ID: task.ThreadID(20 + i), Name: "w", Main: c.main && i == len(c.objects)-1, State: task.Sleeping, Samples: 1,
				Wait:  &profile.Wait{Call: "read", Object: object},
				Roots: []*profile.Node{{Location: profile.Location{Function: "f"}, Count: 1, Self: 1}},
			})
		}
		if got, want := summaryOf(t, p), "Waits:\n  "+c.want+": f\n"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
