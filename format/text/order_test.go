package text

import (
	"slices"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// inState is a thread that was always in one state.
func inState(id task.ThreadID, state task.State) *profile.Thread {
	t := &profile.Thread{ID: id, Main: id == 1, State: state, Samples: 1}
	t.States[state] = 1
	return t
}

// someThreads are of one snapshot: 3 runs, and 4 waits for itself.
func someThreads() *profile.Profile {
	lock := profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 8, Owner: 4}
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{
		inState(1, task.Sleeping), inState(2, task.Sleeping), inState(3, task.Running), inState(4, task.Sleeping), inState(5, task.Sleeping),
	}}
	p.Target = task.Info{PID: 1, Name: "it", OS: task.Linux, Arch: task.AMD64}
	p.Threads[3].Wait = &lock
	p.Threads[3].Roots = fixtures.Stack(fixtures.At(&profile.Image{Path: "/it", Main: true, Load: 1, End: 100}, "transfer", 1, 2))
	p.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 4, Wait: lock}}}}
	return p
}

// TestOrder: threads of a deadlock come first, then those that run, then the main one.
func TestOrder(t *testing.T) {
	order := func(change func(*profile.Profile)) (ids []task.ThreadID) {
		p := someThreads()
		change(p)
		for _, t := range inOrder(p).Threads {
			ids = append(ids, t.ID)
		}
		return ids
	}
	asTheyAre := []task.ThreadID{1, 2, 3, 4, 5}
	for name, c := range map[string]struct {
		change func(*profile.Profile)
		want   []task.ThreadID
	}{
		"one snapshot":      {func(*profile.Profile) {}, []task.ThreadID{4, 3, 1, 2, 5}},
		"ended":             {func(p *profile.Profile) { p.Deadlocks[0].Ended = true }, []task.ThreadID{3, 1, 2, 4, 5}},
		"another process's": {func(p *profile.Profile) { p.Deadlocks[0].Waiters[0].PID = 9 }, []task.ThreadID{3, 1, 2, 4, 5}},
		"crashed":           {func(p *profile.Profile) { p.Target.Crash = &task.Crash{} }, asTheyAre},
		"grouped":           {func(p *profile.Profile) { p.View = &profile.View{By: profile.ByState} }, asTheyAre},
		"busier first": {func(p *profile.Profile) {
			p.Threads[4].Samples, p.Threads[4].States[task.Running] = 5, 4
		}, []task.ThreadID{4, 5, 3, 1, 2}},
		"half of the samples": {func(p *profile.Profile) {
			p.Threads[4].Samples, p.Threads[4].States[task.Running] = 10, 5
		}, []task.ThreadID{4, 5, 3, 1, 2}},
		"less than half": {func(p *profile.Profile) {
			p.Threads[4].Samples, p.Threads[4].States[task.Running] = 11, 5
		}, []task.ThreadID{4, 3, 1, 2, 5}},
	} {
		if got := order(c.change); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestFirstScreen has what is wrong, and where, before any fact that does not say so.
func TestFirstScreen(t *testing.T) {
	text := func(o words.Options) string {
		return string(golden.WrittenReport(t, Tree, report.Of(someThreads()), o))
	}
	const first = "1 of 5 threads is deadlocked\n\nProcess:         it [1]\nCaptured:        5 threads, 0 frames\n" +
		"Deadlock:        a thread waits for itself\n  thread 4  waits for mutex 0x8  held by itself  in transfer\n\nThread 4"
	if got := text(words.Options{}); !strings.HasPrefix(got, first) {
		t.Errorf("not at first:\n%s", got)
	}
	for header, want := range map[bool]bool{false: false, true: true} {
		got := text(words.Options{Header: header})
		if before := strings.Index(got, "Architecture:") < strings.Index(got, "Thread 4"); before != want || strings.Count(got, "Architecture:") != 1 || strings.Count(got, "Process:") != 1 {
			t.Errorf("--header=%t:\n%s", header, got)
		}
	}
}

// TestNextIsSaidAtATerminal, of a process that may run on.
func TestNextIsSaidAtATerminal(t *testing.T) {
	for _, c := range []struct {
		width      int
		live, want bool
	}{{0, true, false}, {80, false, false}, {80, true, true}} {
		p := someThreads()
		p.Target.Live = c.live
		if got := string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{Width: c.width})); strings.Contains(got, "\nNext: ") != c.want {
			t.Errorf("%+v:\n%s", c, got)
		}
	}
}

// TestImagesAtATerminal: one snapshot has all images in a file, and at a terminal where all is asked for;
// else there are those with something odd alone, below all other facts.
func TestImagesAtATerminal(t *testing.T) {
	for _, c := range []struct {
		o   words.Options
		all bool
	}{
		{words.Options{}, true}, {words.Options{Width: 80}, false}, {words.Options{Width: 80, Header: true}, true}, {words.Options{Width: 80, Addresses: true}, true},
	} {
		got := string(golden.WrittenReport(t, Tree, report.Of(fixtures.Linux()), c.o))
		odd, facts := strings.Index(got, "\nImages with something missing or odd:\n"), strings.Index(got, "\nWalks that reached the bottom:")
		if strings.Contains(got, "\nBinary Images:\n") != c.all || odd >= 0 == c.all || odd >= 0 && odd < facts {
			t.Errorf("%+v:\n%s", c.o, got)
		}
	}
}

// TestAlikeThreads are one entry where there are as many as asked for; the main one never is.
func TestAlikeThreads(t *testing.T) {
	for _, c := range []struct {
		alike int
		group bool
		want  string
	}{{0, false, ""}, {3, false, ""}, {2, false, "2 threads alike: 2, 5"}, {2, true, ""}} {
		p := someThreads()
		if c.group {
			p = p.GroupBy(profile.ByState)
		}
		got := string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{Alike: c.alike}))
		if strings.Contains(got, "alike") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v:\n%s", c, got)
		}
	}
}

// TestHalfRunning: a thread that was runnable in half of its samples is a busy one in every
// part of a report.
func TestHalfRunning(t *testing.T) {
	for ran, want := range map[int]bool{4: false, 5: true, 6: true} {
		th := inState(1, task.Sleeping)
		th.Samples, th.States[task.Running] = 10, ran
		p := &profile.Profile{Snapshots: 10, Threads: []*profile.Thread{th}}
		s := newSummary(p, words.Options{})
		if got := busiest(p) == th; got != want || rankOf(th, nil) == busyRank != want || s.waits(th) == want {
			t.Errorf("%d of 10: busiest %v, rank %d, waits %v", ran, got, rankOf(th, nil), s.waits(th))
		}
	}
	if new(profile.Thread).MostlyRan() {
		t.Error("a thread without samples")
	}
}

// TestBusyThreads lists those that ran, the busiest first, and counts the others.
func TestBusyThreads(t *testing.T) {
	p := fixtures.Sampled()
	got := string(golden.Written(t, Tree, p))
	_, list, ok := strings.Cut(got, "\nBusiest threads, with the part of the time that they were on a CPU:\n")
	if list, _, _ = strings.Cut(list, "\n\n"); !ok || !strings.HasPrefix(list, "    11 %  Thread 4242 demo: hot(int) ← main\n     2 %  Thread 4250 brief: hot(int)") || !strings.HasSuffix(list, "\n          … 1 more thread") {
		t.Errorf("%t:\n%s", ok, list)
	}
	for _, th := range p.Threads { // macOS does not report it
		th.Spent = profile.Spent{}
	}
	if got := string(golden.Written(t, Tree, p)); !strings.Contains(got, "that they ran or were ready to:\n    84 %  Thread 4242 demo") {
		t.Errorf("by states:\n%s", got)
	}
	p.Threads = p.Threads[:1]
	if got := string(golden.Written(t, Tree, p)); strings.Contains(got, "Busiest") {
		t.Errorf("of one thread:\n%s", got)
	}
}
