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
	"stacksnap/unwind"
)

// sorters is a profile of a main thread that sleeps, and of threads that sort.
func sorters(threads int) *profile.Profile {
	im := &profile.Image{Path: "/bin/sorters", Load: 0x1000, End: 0x9000, Main: true, Symbols: true}
	lib := &profile.Image{Path: "/lib/libc.so.6", Load: 0x10000, End: 0x20000, Symbols: true}
	call := func(in *profile.Image, name string, count, self int, children ...*profile.Node) *profile.Node {
		pc := in.Load + task.Addr(len(name))*16
		return &profile.Node{Location: profile.Location{Image: in, Function: name, Offset: 8}, PC: pc, Count: count, Self: self, Children: children}
	}
	p := &profile.Profile{Snapshots: 1000, Images: []*profile.Image{im, lib}}
	p.Target.OS = task.Linux
	p.Threads = []*profile.Thread{{ID: 1, Main: true, Samples: 1000, Last: 999, States: profile.States{task.Sleeping: 1000},
		Roots: []*profile.Node{call(lib, "__libc_start_call_main", 1000, 0, call(im, "main", 1000, 0, call(lib, "pause", 1000, 1000)))}}}
	for i := range threads {
		sort := call(lib, "msort", 990, 0, call(lib, "msort", 990, 400, call(lib, "msort", 570, 550, call(im, "cmp", 20, 20)), call(im, "cmp", 20, 20)))
		sort.Inlined = true
		worker := call(im, "worker", 999, 0, call(lib, "qsort", 990, 0, sort), call(lib, "usleep", 9, 9))
		p.Threads = append(p.Threads, &profile.Thread{ID: task.ThreadID(2 + i), Name: "sorter", Samples: 1000, Last: 999, States: profile.States{task.Running: 1000 - i, task.Sleeping: i},
			Roots: []*profile.Node{call(lib, "start_thread", 1000, 1, worker)}})
	}
	return p
}

// peopleWant are the options for a person at a terminal.
func peopleWant(width int) words.Options { return words.Options{Width: width, Least: 1, Alike: 4} }

// treeOf returns the trees of threads.
func treeOf(t *testing.T, p *profile.Profile, o words.Options) string {
	t.Helper()
	text := string(golden.WrittenReport(t, Tree, report.Of(p), o))
	if _, after, ok := strings.Cut(text, "threads of "); ok {
		text = "threads of " + after
	}
	before, _, _ := strings.Cut(text, "\nSelf time")
	return before
}

// TestAlikeSampled are in one tree, with the sums of their samples; the main thread is not.
func TestAlikeSampled(t *testing.T) {
	want := `threads of worker: 3, 4, 5, 6  "sorter"  4,000 samples  runnable 3,990, sleeping 10
   4,000 100.0 %  start_thread (libc.so.6)  self 4
   3,996  99.9 %    worker (sorters)
   3,960  99.0 %      qsort (libc.so.6)
   3,960  99.0 %        msort (libc.so.6) (recursive, up to 3 deep)  self 3,800
     160   4.0 %          cmp (sorters)

Thread 1 (main)  1,000 samples  sleeping 1,000
   1,000 100.0 %  __libc_start_call_main (libc.so.6)
   1,000 100.0 %    main (sorters)
   1,000 100.0 %      pause (libc.so.6)

2 calls under 1 % of their thread's samples are left out: --min 0 shows them
`
	p := sorters(5)
	p.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 2}}}} // it stands by itself
	_, got, _ := strings.Cut(string(golden.WrittenReport(t, Tree, report.Of(p), peopleWant(0))), "4 threads of ")
	if got, _, _ = strings.Cut("threads of "+got, "\nSelf time"); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, c := range []struct{ alike, threads int }{{0, 5}, {4, 3}, {6, 5}} {
		o := peopleWant(0)
		o.Alike = c.alike
		if got := treeOf(t, sorters(c.threads), o); strings.Contains(got, "threads of worker") || !strings.Contains(got, "Thread 4 ") {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestIdleAndBusyAreNotAlike: a pool in which one works is not one that works.
func TestIdleAndBusyAreNotAlike(t *testing.T) {
	p := sorters(8)
	for _, th := range p.Threads[5:] {
		th.States = profile.States{task.Sleeping: 1000}
	}
	if got := treeOf(t, p, peopleWant(0)); !strings.Contains(got, "threads of worker: 2, 3, 4, 5") || strings.Count(got, "threads of worker") != 2 {
		t.Error(got)
	}
}

// TestManyThreads fit on a few screens, and into the terminal's width.
func TestManyThreads(t *testing.T) {
	for _, width := range []int{80, 100, 132} {
		text := string(golden.WrittenReport(t, Tree, report.Of(sorters(1000)), peopleWant(width)))
		lines := strings.Split(text, "\n")
		if len(lines) > 80 {
			t.Errorf("%d lines:\n%s", len(lines), text)
		}
		for _, line := range lines {
			if words.Columns(line) > width {
				t.Errorf("%d columns: %s", words.Columns(line), line)
			}
		}
	}
}

// TestLeftOutIsCounted: what --min 0 shows are as many lines more as were said to be left out.
func TestLeftOutIsCounted(t *testing.T) {
	p := sorters(1)
	worker := p.Threads[1].Roots[0].Children[0]
	for i := range 30 { // together they are worth a line
		worker.Children = append(worker.Children, &profile.Node{Location: profile.Location{Function: fmt.Sprintf("rare%d", i)}, PC: task.Addr(i + 1), Count: 3, Self: 3})
	}
	few := treeOf(t, p, peopleWant(0))
	if !strings.Contains(few, "… 31 more frames in 31 branches") || strings.Contains(few, "left out") {
		t.Error(few)
	}
	worker.Children = append(worker.Children[:1], worker.Children[2:5]...)
	few = treeOf(t, p, peopleWant(0))
	all := peopleWant(0)
	all.Least = 0
	if !strings.Contains(few, "\n3 calls under 1 % of their thread's samples are left out: --min 0 shows them") {
		t.Error(few)
	}
	if n := strings.Count(treeOf(t, p, all), "\n") - (strings.Count(few, "\n") - 2); n != 3 {
		t.Errorf("%d lines more with --min 0", n)
	}
}

// TestAskedMin says in the header what is left out, and in the tree where; a recursion is as deep
// as before.
func TestAskedMin(t *testing.T) {
	p := sorters(1).ByFunction().Prune(10, 5)
	text := string(golden.WrittenReport(t, Tree, report.Of(p), peopleWant(0)))
	for _, want := range []string{
		"Left Out:        2 frames below 10 % or deeper than 5 frames, with the ends of 49 of 2,000 samples\n",
		"msort (libc.so.6) (recursive, up to 3 deep)  self 950\n      40   4.0 %          … 1 more frame\n",
		"       9   0.9 %      … 1 more frame\n",
	} {
		if !strings.Contains(text, want) || strings.Contains(text, "left out:") {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// TestSelfCalls has each call of a function by itself, if asked.
func TestSelfCalls(t *testing.T) {
	o := peopleWant(0)
	o.SelfCalls = true
	if got := treeOf(t, sorters(1), o); strings.Count(got, "msort") < 3 || strings.Contains(got, "recursive, up to") {
		t.Error(got)
	}
}

// TestAddresses prints where frames are, and the images.
func TestAddresses(t *testing.T) {
	for addresses, want := range map[bool]bool{false: false, true: true} {
		o := peopleWant(0)
		o.Addresses = addresses
		text := string(golden.WrittenReport(t, Tree, report.Of(sorters(1)), o))
		if strings.Contains(text, "main + 8 (sorters) [0x1040]") != want || strings.Contains(text, "Binary Images:") != want || strings.Contains(text, "[0x") != want {
			t.Errorf("addresses %t:\n%s", addresses, text)
		}
	}
}

// TestPassing has functions of libraries that only call the next in one line, as far as it fits, and
// never one that there is more to say about.
func TestPassing(t *testing.T) {
	for _, c := range []struct {
		width  int
		change func(frames []*profile.Node)
		want   string
	}{
		{0, nil, "start → begin → enter_the_library (libc.so.6) | worker (sorters) | qsort (libc.so.6) → wait (libm.so.6)"},
		{60, nil, "start … enter_the_library (libc.so.6), 3 frames | worker (sorters) | qsort (libc.so.6) → wait (libm.so.6)"},
		{0, func(f []*profile.Node) { f[1].By = unwind.ByScan }, "start (libc.so.6) | begin (libc.so.6)  (guess) | enter_the_library (libc.so.6) | worker (sorters) | qsort (libc.so.6) → wait (libm.so.6)"},
		{0, func(f []*profile.Node) { f[4].Self, f[5].Count, f[5].Self = 3, 7, 7 }, "start → begin → enter_the_library (libc.so.6) | worker (sorters) | qsort (libc.so.6)  self 3 | wait (libm.so.6)"},
	} {
		own := &profile.Image{Path: "/bin/sorters", Load: 0x1000, End: 0x9000, Main: true, Symbols: true}
		libc, libm := &profile.Image{Path: "/lib/libc.so.6", Load: 0x10000, Symbols: true}, &profile.Image{Path: "/lib/libm.so.6", Load: 0x20000, Symbols: true}
		var frames []*profile.Node
		for i, name := range []string{"start", "begin", "enter_the_library", "worker", "qsort", "wait"} {
			in := []*profile.Image{libc, libc, libc, own, libc, libm}[i]
			frames = append(frames, &profile.Node{Location: profile.Location{Image: in, Function: name}, PC: in.Load + 8, Count: 10})
			if i > 0 {
				frames[i-1].Children = frames[i:]
			}
		}
		frames[5].Self = 10
		if c.change != nil {
			c.change(frames)
		}
		p := &profile.Profile{Snapshots: 10, Threads: []*profile.Thread{{ID: 7, Samples: 10, Roots: frames[:1]}}}
		_, tree, _ := strings.Cut(treeOf(t, p, peopleWant(c.width)), "\nThread 7  10 samples\n")
		var got []string
		for line := range strings.Lines(tree) {
			_, name, _ := strings.Cut(line, " %")
			got = append(got, strings.TrimSpace(name))
		}
		if got := strings.Join(got, " | "); got != c.want {
			t.Errorf("%d columns: %s\nwant %s", c.width, got, c.want)
		}
	}
}

// TestVeryDeepRecursion: more than a node can count is said to be more.
func TestVeryDeepRecursion(t *testing.T) {
	p := sorters(1)
	deep := p.Threads[1].Roots[0]
	for range 300 {
		n := *deep
		n.Location, n.Children, n.Self = profile.Location{Function: "descend", Image: deep.Image}, []*profile.Node{deep}, 0
		deep = &n
	}
	p.Threads[1].Roots = []*profile.Node{deep}
	if got := treeOf(t, p, peopleWant(0)); !strings.Contains(got, "(recursive, up to 255 deep or more)") {
		t.Error(got)
	}
}
