package text

import (
	"strings"
	"testing"
	"time"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// TestBusiest has the heaviest stack of the thread that ran most, where that is not the
// main one and it ran at all.
func TestBusiest(t *testing.T) {
	for _, c := range []struct {
		runs  int // of 100 samples of the second thread
		same  int
		title string
	}{
		{0, 0, ""},
		{49, 0, ""},
		{100, 0, "Heaviest stack of thread 4243 \"idle\", which ran most, innermost first:\n     100 100.0 %  futex_wait (libc.so.6)\n\n"},
		{100, 2, "Heaviest stack of the 3 threads that ran most, innermost first:"},
		{84, 0, ""}, // as the main one
	} {
		p := fixtures.Sampled()
		p.Threads[1].States = profile.States{task.Running: c.runs, task.Sleeping: 100 - c.runs}
		for i := range c.same {
			p.Threads[1].Same = append(p.Threads[1].Same, profile.ThreadName{ID: task.ThreadID(i + 5000)})
		}
		text := string(golden.Written(t, Tree, p))
		if !strings.Contains(text, c.title) || strings.Contains(text, "ran most") != (c.title != "") {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}

// TestHeaviestOfAView: the heaviest stack begins with the innermost frame, whichever way the trees are turned.
func TestHeaviestOfAView(t *testing.T) {
	const main = "Heaviest stack of the main thread, innermost first:\n      62  62.0 %  hot(int) (demo)\n      90  90.0 %  main (demo)  self 3\n\n"
	const hung = "Heaviest stack of the thread, innermost first:\n     100 100.0 %  futex_wait (libc.so.6)\n\n"
	for _, p := range []*profile.Profile{fixtures.Sampled(), fixtures.Sampled().Invert(), fixtures.Sampled().GroupBy(profile.ByProcess), fixtures.Sampled().Invert().Prune(50, 1)} {
		if text := string(golden.Written(t, Tree, p)); !strings.Contains(text, main) {
			t.Errorf("no heaviest stack:\n%s", text)
		}
		var b strings.Builder
		if err := Tree(&b, report.OfHang(&hangreport.Report{Thread: 4243, Profile: p, Ended: true}), words.Options{}); err != nil || !strings.Contains(b.String(), hung) {
			t.Errorf("%v: no heaviest stack of the thread:\n%s", err, b.String())
		}
	}
}

// TestHoldersComeFirst: the thread that the main one waits for in all checks has its stack, and its wait,
// above that of the main one, also in the report of a hang.
func TestHoldersComeFirst(t *testing.T) {
	thread := func(id task.ThreadID, function string, w profile.Wait) *profile.Thread {
		n := &profile.Node{Location: profile.Location{Function: function}, Count: 10, Self: 10}
		th := &profile.Thread{ID: id, Main: id == 1, Samples: 10, Looks: 4, Waits: []profile.Waited{{Wait: w, Looks: 4}}, Roots: []*profile.Node{n}}
		th.States[task.Sleeping] = 10
		return th
	}
	mutex := func(owner task.ThreadID) profile.Wait {
		return profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 8 * task.Addr(owner), Owner: owner}
	}
	const second = "Heaviest stack of thread 2, which holds it, innermost first:\n  waits in read: in all 4 checks\n      10 100.0 %  load\n\n"
	const main = "Heaviest stack of the main thread, innermost first:\n      10 100.0 %  serve\n"
	for name, c := range map[string]struct {
		change func(p *profile.Profile)
		want   string
	}{
		"one": {func(*profile.Profile) {}, second + main},
		"two": {func(p *profile.Profile) {
			p.Threads[0].Waits[0].Wait, p.Threads = mutex(3), append(p.Threads, thread(3, "log", mutex(2)))
		}, "Heaviest stack of thread 3, which holds it, innermost first:\n  waits for mutex 0x10, held by thread 2: in all 4 checks\n      10 100.0 %  log\n\n" + second + main},
		"its end":    {func(p *profile.Profile) { p.Threads[0].Waits[0].Lock = profile.ThreadEnd }, strings.Replace(second, "holds it", "has to end", 1) + main},
		"not always": {func(p *profile.Profile) { p.Threads[0].Looks = 9 }, main},
		"a deadlock": {func(p *profile.Profile) { p.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 7}}}} }, main},
	} {
		p := &profile.Profile{Snapshots: 10, Threads: []*profile.Thread{thread(1, "serve", mutex(2)), thread(2, "load", profile.Wait{Call: "read"})}}
		c.change(p)
		var b strings.Builder
		if err := Tree(&b, report.OfHang(&hangreport.Report{Thread: 1, Profile: p, Ended: true}), words.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(golden.Written(t, Tree, p)), b.String()} {
			if strings.Count(text, "Heaviest") != strings.Count(c.want, "Heaviest") || !strings.Contains(text, c.want) {
				t.Errorf("%s:\n%s\nlacks\n%s", name, text, c.want)
			}
		}
	}
}

// TestSelfTimes are by CPU time, and those of blocked threads apart.
func TestSelfTimes(t *testing.T) {
	leaf := func(name string, s profile.Spent, states profile.States) *profile.Node {
		n := &profile.Node{Location: profile.Location{Function: name}, PC: 1, Count: 10, Self: 10, Spent: s, States: &states}
		if states == (profile.States{}) {
			n.States = nil
		}
		return n
	}
	ran, slept := profile.States{task.Running: 10}, profile.States{task.Running: 1, task.Sleeping: 9}
	cpu, wait := profile.Spent{OnCPU: 3 * time.Second, Queued: time.Second}, profile.Spent{OnCPU: time.Second, Blocked: 9 * time.Second}
	for _, c := range []struct {
		a, b *profile.Node
		want string
	}{
		{leaf("burn", cpu, ran), leaf("nap", wait, slept), `
Self time: 4.000 s on a CPU, by the innermost function (and 1.000 s waiting for a CPU):
 3.000 s  75.0 %  burn
 1.000 s  25.0 %  nap

Blocked: 9.000 s of all threads, by the innermost function:
 9.000 s 100.0 %  nap
`},
		{leaf("burn", profile.Spent{}, ran), leaf("nap", profile.Spent{}, slept), `
Self time: the innermost function, in samples of threads that could run:
      10  90.9 %  burn
       1   9.1 %  nap

Blocked: the innermost function, in samples of threads that could not run:
       9 100.0 %  nap
`},
		{leaf("burn", profile.Spent{}, ran), leaf("nap", profile.Spent{}, profile.States{}), `
Self time: the innermost function, in 20 samples of all threads:
      10  50.0 %  burn
      10  50.0 %  nap
`},
	} {
		p := &profile.Profile{Snapshots: 20, Threads: []*profile.Thread{{ID: 1, Samples: 20, Roots: []*profile.Node{c.a, c.b}}}}
		if got := string(golden.Written(t, Tree, p)); !strings.Contains(got, c.want) {
			t.Errorf("no %s in:\n%s", c.want, got)
		}
	}
}

// TestSelfTimesOfAPage: code of a file without symbols and function starts is one row, not one for each
// 4 KB, and one node of the tree.
func TestSelfTimesOfAPage(t *testing.T) {
	im := &profile.Image{Path: "/bin/stripped", Load: 0x40_0000, End: 0x50_0000, Symbols: true}
	p := &profile.Profile{Snapshots: 3, Images: []*profile.Image{im}, Threads: []*profile.Thread{{ID: 1, Samples: 3}}}
	for i, start := range []task.Addr{0, 0, 0x40_b800} {
		at := im.Load + 0x8000 + task.Addr(i)*0x2000
		l := profile.Location{Image: im, Offset: uint64(at - im.Load), Start: start}
		p.Threads[0].Roots = append(p.Threads[0].Roots, &profile.Node{Location: l, PC: at, Count: 1, Self: 1})
	}
	got := string(golden.Written(t, Tree, p))
	if !strings.Contains(got, "\n       2  66.7 %  ??? (stripped)\n       1  33.3 %  ??? (stripped + 0xc000)\n") {
		t.Error(got)
	}
	if !strings.Contains(got, "Thread 1  3 samples\n       2  66.7 %  ??? (stripped)\n       1  33.3 %  ??? (stripped + 0xc000)\n") {
		t.Errorf("no such tree: %s", got)
	}
}
