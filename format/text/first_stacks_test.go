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
	"stacksnap/unwind"
)

// The images of waiting.
var (
	waitingProgram = &profile.Image{Path: "/srv/ledger", Load: 0x1000, End: 0x9000, Main: true, Symbols: true}
	waitingLibrary = &profile.Image{Path: "/lib/libc.so.6", Load: 0x10000, End: 0x20000, Symbols: true}
)

// chainOfCalls makes a stack, outermost first. A name that ends in .c is of the
// program's own, in a line of its own; "?" has no name.
func chainOfCalls(names ...string) []*profile.Node {
	var nodes []*profile.Node
	for i, name := range names {
		n := &profile.Node{Location: profile.Location{Image: waitingLibrary, Function: name}, PC: waitingLibrary.Load + task.Addr(i), Count: 1}
		if function, own := strings.CutSuffix(name, ".c"); own {
			n.Location = profile.Location{Image: waitingProgram, Function: function, File: "/src/ledger.c", Line: 10 + i}
		}
		if name == "?" {
			n.Function = ""
		}
		nodes = append(nodes, n)
	}
	return fixtures.Stack(nodes...)
}

// waiting is a snapshot of a thread that holds a lock, four that wait for it in the same place, and the
// main thread.
func waiting() *profile.Profile {
	p := &profile.Profile{Snapshots: 1, Images: []*profile.Image{waitingProgram, waitingLibrary}}
	p.Target = task.Info{PID: 7, Name: "ledger", OS: task.Linux}
	begin := []string{"__clone3", "start_thread", "serve.c", "post.c"}
	p.Threads = []*profile.Thread{
		{ID: 7, Main: true, Samples: 1, State: task.Sleeping, Roots: chainOfCalls("_start", "__libc_start_main", "__libc_start_call_main", "main.c", "pause"), Wait: &profile.Wait{Call: "pause"}},
		{ID: 8, Name: "owner", Samples: 1, State: task.Running, Roots: chainOfCalls(append(begin, "write_all.c", "fwrite", "_IO_file_write", "?", "?", "?", "write")...)},
	}
	for id := range task.ThreadID(4) {
		p.Threads = append(p.Threads, &profile.Thread{ID: 9 + id, Name: "worker", Samples: 1, State: task.Sleeping,
			Roots: chainOfCalls(append(begin, "pthread_mutex_lock", "lll_lock_wait", "futex_wait")...), Wait: &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 0x40, Variable: "totals", Owner: 8, OwnerName: "owner"}})
	}
	return p
}

// TestFirstStacks: below the headline is the stack that it is about, innermost frame first, and then where
// the other threads are.
func TestFirstStacks(t *testing.T) {
	const owner = `

Stack of thread 8 "owner", which holds it, innermost first:
  write (libc.so.6)
  … 3 frames without names (libc.so.6)
  _IO_file_write ← fwrite (libc.so.6)
  write_all (ledger)  ledger.c:14
  post (ledger)  ledger.c:13
  serve (ledger)  ledger.c:12

Waits:
  main thread waits in pause: pause ← main (ledger.c:13)
  4 threads wait for mutex totals, held by thread 8 "owner":
      | futex_wait ← … ← post (ledger.c:13) ← serve

Process:         ledger [7]
`
	const main = `

Stack of the main thread, innermost first:
  pause (libc.so.6)
  main (ledger)  ledger.c:13

`
	const alike = `

Stack of the 4 threads alike, innermost first:
  futex_wait … pthread_mutex_lock (libc.so.6), 3 frames
  post (ledger)  ledger.c:13
  serve (ledger)  ledger.c:12

`
	for _, c := range []struct {
		name   string
		change func(p *profile.Profile)
		want   string
	}{
		{"a lock with an owner", func(*profile.Profile) {}, owner},
		{"a lock whose owner is not known", func(p *profile.Profile) {
			for _, t := range p.Threads[2:] {
				t.Wait.Owner = 0
			}
		}, alike},
		{"a long wait has two lines", func(p *profile.Profile) {
			p.Threads[0].Wait = &profile.Wait{Call: "recvfrom", Object: "fd 4 tcp socket 127.0.0.1:58450 to 127.0.0.1:42413"}
		}, "\n  main thread waits in recvfrom: fd 4 tcp socket 127.0.0.1:58450 to\n      | 127.0.0.1:42413:\n      | pause"},
		{"the main thread alone", func(p *profile.Profile) { p.Threads = p.Threads[:1] }, main + "Process:         ledger [7]\n"},
	} {
		p := waiting()
		c.change(p)
		if got := string(golden.WrittenReport(t, Tree, report.Of(p), peopleWant(80))); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %s\nin %s", c.name, c.want, got)
		}
	}
}

// TestNoFirstStacks: a deadlock has a table instead; in a group of processes each has its trees alone.
func TestNoFirstStacks(t *testing.T) {
	dead := waiting()
	dead.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 9}, {ID: 10}}}}
	group := report.OfGroup(&profile.Group{Profiles: []*profile.Profile{waiting(), waiting()}})
	for _, r := range []*report.Report{report.Of(dead), group} {
		if got := string(golden.WrittenReport(t, Tree, r, peopleWant(80))); strings.Contains(got, "innermost first") {
			t.Error(got)
		}
	}
}

// TestLongStack: a stack has no more lines than fit on a first screen, the innermost ones, and says where
// the others are.
func TestLongStack(t *testing.T) {
	p := waiting()
	p.Threads = p.Threads[:1]
	p.Threads[0].Roots = chainOfCalls("main.c", "a.c", "b.c", "c.c", "d.c", "e.c", "f.c", "g.c", "h.c", "i.c")
	want := "innermost first:\n  i (ledger)  ledger.c:19\n"
	got := string(golden.WrittenReport(t, Tree, report.Of(p), peopleWant(80)))
	if !strings.Contains(got, want) || !strings.Contains(got, "\n  b (ledger)  ledger.c:12\n  … 2 more callers, see the tree\n\n") {
		t.Error(got)
	}
	p.Threads[0].Roots[0].Cut = &profile.Cut{Reason: unwind.NoCaller}
	got = string(golden.WrittenReport(t, Tree, report.Of(p), peopleWant(80)))
	if !strings.Contains(got, "\n  c (ledger)  ledger.c:13\n  … 3 more callers, see the tree\n  <stack cut here: no caller found>\n\n") {
		t.Error(got)
	}
}

// TestStartup: the frames before main share a line in the trees, if they are two or more, unless every
// frame is asked for.
func TestStartup(t *testing.T) {
	for _, c := range []struct {
		options words.Options
		change  func(frames []*profile.Node)
		want    string
	}{
		{peopleWant(80), nil, "\n  _start … __libc_start_call_main (libc.so.6), 3 frames\n    main + 0 (ledger)"},
		{words.Options{Width: 80, Addresses: true}, nil, "\n  _start + 0 (libc.so.6) [0x10000]\n    __libc_start_main + 0"},
		{peopleWant(80), func(f []*profile.Node) { f[1].By = unwind.ByScan }, "\n  _start + 0 (libc.so.6) [0x10000]\n    __libc_start_main + 0 (libc.so.6) [0x10001]  (guess)\n"},
		{peopleWant(80), func(f []*profile.Node) { f[0].Location = profile.Location{Image: waitingProgram, Function: "_start"} }, "\n  _start (ledger) … __libc_start_call_main (libc.so.6), 3 frames\n"},
		{peopleWant(80), func(f []*profile.Node) { f[0].Location = profile.Location{Image: waitingProgram} }, "\n  ??? (ledger) … __libc_start_call_main (libc.so.6), 3 frames\n"},
		{peopleWant(80), func(f []*profile.Node) { f[3].Function, f[4].Function = "main", "std::rt::lang_start" }, "\n  _start (libc.so.6) … main (ledger), 4 frames\n    std::rt::lang_start + 0"},
		{peopleWant(80), func(f []*profile.Node) {
			f[3].Location = profile.Location{Image: &profile.Image{Path: "/usr/lib/libpython3.11.so", Symbols: true}, Function: "Py_BytesMain"}
			f[4].Location = profile.Location{Image: &profile.Image{Path: "CPython 3.11.7", Runtime: true, Symbols: true}, Function: "serve", File: "/srv/app.py", Line: 5}
		}, "\n  _start … Py_BytesMain (libpython3.11.so), 4 frames\n    serve"},
	} {
		p := waiting()
		frames := p.Threads[0].Heaviest()
		if c.change != nil {
			c.change(frames)
		}
		if got := string(golden.WrittenReport(t, Tree, report.Of(p), c.options)); !strings.Contains(got, c.want) {
			t.Errorf("no %s\nin %s", c.want, got)
		}
	}
}
