package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/task"
)

// waiter returns a thread of one snapshot.
func waiter(id task.ThreadID, state task.State, w *profile.Wait) *profile.Thread {
	t := &profile.Thread{ID: id, Main: id == 1, State: state, Wait: w, Samples: 1}
	t.States[state] = 1
	return t
}

// sampledIn returns a thread that was in one state in all of 100 samples.
func sampledIn(state task.State, spent profile.Spent) *profile.Thread {
	t := &profile.Thread{ID: 1, Main: true, Samples: 100, Spent: spent}
	t.States[state] = 100
	return t
}

// oneOf returns a snapshot of threads.
func oneOf(threads ...*profile.Thread) *profile.Profile {
	return &profile.Profile{Snapshots: 1, Threads: threads}
}

// aSecondOf returns 100 snapshots of threads.
func aSecondOf(threads ...*profile.Thread) *profile.Profile {
	start := time.Unix(100, 0)
	return &profile.Profile{Snapshots: 100, Interval: 10 * time.Millisecond, Start: start, End: start.Add(time.Second), Threads: threads}
}

// headlined returns a profile with a headline of each kind, by the name of the kind.
func headlined() map[string]*profile.Profile {
	mutex := &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 8}
	crashed, dead := oneOf(waiter(1, task.Sleeping, nil)), oneOf(waiter(1, task.Sleeping, mutex), waiter(2, task.Sleeping, nil))
	crashed.Target.Crash = &task.Crash{Signal: "SIGSEGV", Thread: 1}
	dead.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 1}}}}
	idle := waiter(1, task.Sleeping, &profile.Wait{Call: "epoll_wait"})
	idle.Roots = []*profile.Node{{Location: profile.Location{Function: "event_base_loop"}}}
	stalled := waiter(1, task.Sleeping, &profile.Wait{Call: "epoll_wait", Stalled: &task.Stalled{State: task.Silent, Count: 1, Remote: "10.0.0.1:80", Since: 12 * time.Second}})
	stalled.Roots = idle.Roots
	alike := oneOf(idle)
	for id := range task.ThreadID(100) {
		alike.Threads = append(alike.Threads, waiter(id+2, task.Sleeping, &profile.Wait{Call: "read"}))
	}
	busy := sampledIn(task.Running, profile.Spent{OnCPU: time.Second})
	busy.Roots = []*profile.Node{{Location: profile.Location{Function: "hot", Image: &profile.Image{Path: "/it"}}, Self: 100, Spent: busy.Spent}}
	awake := waiter(1, task.Sleeping, nil)
	awake.Roots = []*profile.Node{{Location: profile.Location{Function: "step"}, Self: 1}}
	parked := oneOf(waiter(1, task.Sleeping, &profile.Wait{Call: "futex"}))
	parked.Tasks = []*profile.Task{{Runtime: "Go 1.26.1", ID: 1, Wait: "chan receive", Count: 1}}
	return map[string]*profile.Profile{
		"None": oneOf(), "Crashed": crashed, "Deadlocked": dead,
		"Stopped":   oneOf(waiter(1, task.Stopped, nil)),
		"Convoy":    oneOf(waiter(2, task.Sleeping, mutex), waiter(3, task.Sleeping, mutex), waiter(4, task.Sleeping, mutex)),
		"Locked":    oneOf(waiter(1, task.Sleeping, mutex)),
		"Running":   oneOf(waiter(1, task.Running, nil)),
		"Computing": aSecondOf(busy),
		"Starved":   aSecondOf(sampledIn(task.Running, profile.Spent{Queued: time.Second})),
		"Stuck":     aSecondOf(sampledIn(task.Uninterruptible, profile.Spent{})),
		"Alike":     alike,
		"Blocked":   oneOf(waiter(1, task.Sleeping, &profile.Wait{Call: "read"})),
		"Stalled":   oneOf(stalled),
		"Idle":      oneOf(idle),
		"Located":   oneOf(awake),
		"Parked":    parked,

		"TasksDeadlocked": tasksInCircle(2),
	}
}

// tasksInCircle returns a profile in which n tasks of asyncio await each other.
func tasksInCircle(n int) *profile.Profile {
	p := oneOf(waiter(1, task.Sleeping, &profile.Wait{Call: "epoll_wait"}))
	d := profile.TaskDeadlock{Runtime: "CPython 3.12.1"}
	for i := range n {
		d.Tasks = append(d.Tasks, profile.TaskInDeadlock{ID: uint64(i + 1), Name: fmt.Sprintf("Task-%d", i+1), Function: "one"})
	}
	p.TaskDeadlocks = append(p.TaskDeadlocks, d)
	return p
}

// TestDeadlocksOfTasks: the headline names the tasks of a circle, up to a number.
func TestDeadlocksOfTasks(t *testing.T) {
	for n, want := range map[int]string{
		1: "deadlock: asyncio task Task-1 (one) waits for itself",
		6: "deadlock of 6 asyncio tasks: Task-1 (one) awaits Task-2 (one) awaits Task-3 (one) awaits Task-4 (one) awaits 2 others in turn, the last of which awaits Task-1 (one)",
	} {
		if got := Headline(tasksInCircle(n)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// asyncioTasks returns a profile of a main thread in asyncio's loop, and n tasks that wait.
func asyncioTasks(n int, wait string) *profile.Profile {
	im := &profile.Image{Path: "CPython 3.12.1", Runtime: true, Symbols: true}
	node := func(function, file string, line int) *profile.Node {
		return &profile.Node{Location: profile.Location{Image: im, Function: function, File: file, Line: line}, Count: 1}
	}
	stack := []*profile.Node{
		node("<module>", "/srv/aio.py", 14), node("BaseEventLoop._run_once", "/usr/lib/python3.12/asyncio/base_events.py", 1933),
		node("EpollSelector.select", "/usr/lib/python3.12/selectors.py", 468),
	}
	stack[0].Children, stack[1].Children, stack[2].Self = stack[1:2], stack[2:], 1
	main := waiter(1, task.Sleeping, &profile.Wait{Call: "epoll_wait"})
	main.Roots = stack[:1]
	p := oneOf(main)
	path := []*profile.Node{node("fetch", "/srv/aio.py", 5), node("Lock.acquire", "/usr/lib/python3.12/asyncio/locks.py", 113)}
	p.Tasks = []*profile.Task{
		{Runtime: im.Path, Wait: wait, Path: path, Count: n},
		{Runtime: im.Path, Wait: "ready", Path: path[:1], Count: 2},
	}
	return p
}

// TestTasksOfAsyncio: where the loop is idle, the headline says what its tasks wait for.
func TestTasksOfAsyncio(t *testing.T) {
	p := asyncioTasks(999, "asyncio.Lock")
	if got, want := Headline(p), "999 of 1,001 asyncio tasks wait for asyncio.Lock, in fetch (aio.py:5); Python does not record who holds it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Threads[0].Roots[0].Children[0].Children[0].File = "/srv/own.py" // in a callback, not in the selector
	if got := Headline(p); strings.Contains(got, "tasks") {
		t.Errorf("while the loop runs a callback: %q", got)
	}
}

// TestEveryKindHasAHeadline: each kind has a profile that leads to it, and a sentence.
func TestEveryKindHasAHeadline(t *testing.T) {
	want := map[string]string{
		"None":       "",
		"Crashed":    "crashed: SIGSEGV in thread 1",
		"Deadlocked": "1 of 2 threads is deadlocked: the main thread",
		"Stopped":    "stopped, by a signal or a debugger: nothing runs until it goes on",
		"Convoy":     "3 of 3 threads wait for mutex 0x8",
		"Locked":     "main thread waits for mutex 0x8",
		"Running":    "busy: main thread",
		"Computing":  "100 % of the CPU time in hot (it); CPU time was 1.000 s in 1.000 s",
		"Starved":    "starved: waiting for a CPU 100 % of the time when runnable",
		"Stuck":      "main thread waits uninterruptibly, as for a disk, in 100 % of its samples",
		"Parked":     "main goroutine waits in chan receive",
		"Alike":      "100 of 101 threads wait in read",
		"Blocked":    "main thread waits in read",
		"Stalled":    "nothing received from 10.0.0.1:80 since the last send to it, 12 s ago; main thread waits in epoll_wait",
		"Idle":       "idle: main thread in epoll_wait",
		"Located":    "main thread in step",

		"TasksDeadlocked": "deadlock of 2 asyncio tasks: Task-1 (one) awaits Task-2 (one) awaits Task-1 (one)",
	}
	kinds, profiles := kindNames(t), headlined()
	if len(kinds) != len(profiles) {
		t.Errorf("%d kinds, %d profiles", len(kinds), len(profiles))
	}
	for kind, name := range kinds {
		p, ok := profiles[name]
		if !ok {
			t.Errorf("no profile leads to %s", name)
			continue
		}
		if got := headline.Of(p).Kind; int(got) != kind {
			t.Errorf("%s: kind %d, want %d", name, got, kind)
		}
		if got := Headline(p); got != want[name] {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
	}
}

// TestHeadlineHasHowLong: what waits in one snapshot says for how long at least, where that is known of
// all threads that it is about; many snapshots have other words for it.
func TestHeadlineHasHowLong(t *testing.T) {
	all := headlined()
	uninterruptible := oneOf(waiter(1, task.Uninterruptible, nil))
	all["Stuck"] = uninterruptible
	for name, want := range map[string]string{
		"Deadlocked": "1 of 2 threads is deadlocked: the main thread, for at least 37 s",
		"Stopped":    "stopped for at least 37 s, by a signal or a debugger: nothing runs until it goes on",
		"Convoy":     "3 of 3 threads have waited at least 37 s for mutex 0x8",
		"Locked":     "main thread has waited at least 37 s for mutex 0x8",
		"Stuck":      "main thread has waited at least 37 s uninterruptibly, as for a disk",
		"Alike":      "100 of 101 threads have waited at least 37 s in read",
		"Blocked":    "main thread has waited at least 37 s in read",
		"Stalled":    "nothing received from 10.0.0.1:80 since the last send to it, 12 s ago; main thread has waited at least 37 s in epoll_wait",
		"Idle":       "idle: main thread in epoll_wait for at least 37 s",
	} {
		p := all[name]
		for i, th := range p.Threads {
			th.NotRun = 37*time.Second + time.Duration(i)*time.Second
		}
		if name == "Alike" {
			p.Threads[0].NotRun, p.Threads[1].NotRun = 0, p.Threads[0].NotRun // the main thread is not one of them
		}
		if got := Headline(p); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if last := p.Threads[len(p.Threads)-1]; len(p.Threads) > 2 {
			last.NotRun = 0
			if got := Headline(p); strings.Contains(got, "at least") {
				t.Errorf("%s, where it is not known of a thread: %q", name, got)
			}
		}
	}
}

// kindNames returns the names of the kinds of headlines, from the source of their package.
func kindNames(t *testing.T) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../profile/headline/headline.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || group.Specs[0].(*ast.ValueSpec).Names[0].Name != "None" {
			continue
		}
		for _, spec := range group.Specs {
			names = append(names, spec.(*ast.ValueSpec).Names[0].Name)
		}
	}
	return names
}

// TestWaitedForCPU has the share of the time in which threads were runnable, from a fifth on.
func TestWaitedForCPU(t *testing.T) {
	const ms = time.Millisecond
	for want, b := range map[string]headline.CPUTime{
		"": {OnCPU: 801 * ms, Queue: 199 * ms},
		", waiting for a CPU 20 % of the time when runnable":  {OnCPU: 800 * ms, Queue: 200 * ms},
		", waiting for a CPU 100 % of the time when runnable": {Queue: 200 * ms},
	} {
		if got := waitedForCPU(&b); got != want {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
	if got := waitedForCPU(&headline.CPUTime{}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestLocated(t *testing.T) {
	inner := &profile.Node{Location: profile.Location{Function: "read", Image: &profile.Image{Path: "/lib/libc.so.6"}}, Count: 3, Self: 3, Spent: profile.Spent{OnCPU: 10 * time.Millisecond}}
	own := &profile.Node{Location: profile.Location{Function: "serve", Image: &profile.Image{Path: "/bin/server"}, File: "/src/server.c", Line: 7}, Count: 3, Children: []*profile.Node{inner}}
	th := &profile.Thread{ID: 1, Main: true, Samples: 3, Roots: []*profile.Node{own}, Spent: inner.Spent}
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{th}}
	if got, want := Headline(p), "main thread in read (libc.so.6), called by serve (server.c:7)"; got != want {
		t.Errorf("one snapshot: %q, want %q", got, want)
	}
	p.Snapshots, p.Start, p.End = 3, time.Unix(100, 0), time.Unix(101, 0)
	want := "main thread in read (libc.so.6) in 100 % of its samples, called by serve (server.c:7); CPU time was 0.010 s in 1.000 s"
	if got := Headline(p); got != want {
		t.Errorf("three: %q, want %q", got, want)
	}
}

// TestBusyThread: the first line of one snapshot names where a thread is, and what it has done
// since it began.
func TestBusyThread(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	chase := &profile.Node{Location: profile.Location{Function: "chase", Image: &profile.Image{Path: "/bin/memory", Main: true}, File: "/src/memory.c", Line: 14}, Count: 1, Self: 1}
	flush := &profile.Wait{Call: "fsync", Object: "fd 3 /var/journal"}
	for want, th := range map[string]profile.Thread{
		"busy: main thread, in chase (memory.c:14)": {State: task.Running, OnCPUState: task.Queued},
		"busy: main thread, in chase (memory.c:14), 93 % of a CPU since its start": {
			State: task.Running, Lifetime: task.Lifetime{Age: s, Ran: 930 * ms}},
		"starved: main thread, in chase (memory.c:14); ready to run 100 % of the time since its start, it got a CPU for 10 %, at nice 19": {
			State: task.Running, Lifetime: task.Lifetime{Age: s, Ran: 100 * ms, Queued: 900 * ms, Nice: 19}},
		"busy: main thread, in chase (memory.c:14); ready to run 100 % of the time since its start, it got a CPU for under 1 %": {
			State: task.Running, Lifetime: task.Lifetime{Age: s, Ran: ms, Queued: 999 * ms}},
		"busy: main thread, in chase (memory.c:14); ready to run 100 % of the time since its start, it got a CPU for 30 %": {
			State: task.Running, Lifetime: task.Lifetime{Age: s, Ran: 300 * ms, Queued: 700 * ms}},
		"paging from disk: main thread, in chase (memory.c:14); 1,100 page faults since its start (1,000 from disk)": {
			State: task.Running, Lifetime: task.Lifetime{Age: s, Ran: 200 * ms, Faults: 1100, DiskFaults: 1000}},
		"busy: main thread, in chase (memory.c:14); 75 % of its CPU time is system time; 5,000 page faults since its start": {
			State: task.Running, User: 50 * ms, System: 150 * ms, Lifetime: task.Lifetime{Age: s, Ran: 200 * ms, Faults: 5000}},
		"busy in the kernel: main thread, in chase (memory.c:14), 90 % of a CPU since its start; 100 % of its CPU time is system time": {
			State: task.Running, System: 900 * ms, Lifetime: task.Lifetime{Age: s, Ran: 900 * ms}},
		"main thread waits uninterruptibly, as for a disk, in chase (memory.c:14); 1,100 page faults since its start (1,000 from disk)": {
			State: task.Uninterruptible, Lifetime: task.Lifetime{Age: s, Faults: 1100, DiskFaults: 1000}},
		"main thread waits in a page fault, in chase (memory.c:14); 1,100 page faults since its start (1,000 from disk)": {
			State: task.Uninterruptible, Wait: &profile.Wait{Call: profile.PageFault}, Lifetime: task.Lifetime{Age: s, Faults: 1100, DiskFaults: 1000}},
		"main thread in fsync: fd 3 /var/journal, in chase (memory.c:14)": {State: task.Running, Wait: flush},
		"busy in the kernel: main thread, in fsync: fd 3 /var/journal, in chase (memory.c:14), 90 % of a CPU since its start; 100 % of its CPU time is system time": {
			State: task.Running, Wait: flush, System: 900 * ms, Lifetime: task.Lifetime{Age: s, Ran: 900 * ms}},
	} {
		th.ID, th.Main, th.Samples, th.Roots = 1, true, 1, []*profile.Node{chase}
		th.States[th.State] = 1
		if got := Headline(oneOf(&th)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBusyThreads names the one with the most CPU time.
func TestBusyThreads(t *testing.T) {
	one, two := waiter(1, task.Running, nil), waiter(2, task.Running, nil)
	two.Name, two.User = "worker", time.Second
	two.Lifetime = task.Lifetime{Age: 2 * time.Second, Ran: time.Second}
	const want = `2 of 3 threads are on a CPU or ready to be, the main thread among them; most CPU time: thread 2 "worker", 50 % of a CPU since its start`
	if got := Headline(oneOf(one, two, waiter(3, task.Sleeping, nil))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRowLock: a backend that waits for a row lock says so, whatever it waits by.
func TestRowLock(t *testing.T) {
	image := &profile.Image{Path: "/usr/lib/postgresql/15/bin/postgres", Main: true}
	var stack *profile.Node
	for _, name := range []string{"WaitEventSetWait", "WaitLatch", "ProcSleep", "LockAcquire", "XactLockTableWait", "heap_update", "PostgresMain", "main"} {
		n := &profile.Node{Location: profile.Location{Function: name, Image: image}, Count: 1}
		if stack == nil {
			n.Self = 1
		} else {
			n.Children = []*profile.Node{stack}
		}
		stack = n
	}
	backend := &profile.Thread{ID: 7, Main: true, Samples: 1, State: task.Sleeping, Roots: []*profile.Node{stack}, Wait: &profile.Wait{Call: "epoll_wait", Object: "fd 4"}}
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{backend}}
	p.Target.Command = task.NewCommand([]string{"postgres: 15/main: ann shop [local] UPDATE waiting"})
	want := `main thread waits for another transaction to end, in epoll_wait, called by XactLockTableWait; its title says "UPDATE waiting"`
	if got := Headline(p); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLookUp: a wait for a DNS server says so, with the function of the C library where no code is
// known to be own.
func TestLookUp(t *testing.T) {
	libc, program := &profile.Image{Path: "/lib/libc.so.6"}, &profile.Image{Path: "/bin/shop", Main: true}
	poll := &profile.Node{Location: profile.Location{Function: "poll", Image: libc}, Count: 1, Self: 1}
	get := &profile.Node{Location: profile.Location{Function: "getaddrinfo", Image: libc}, Count: 1, Children: []*profile.Node{poll}}
	own := &profile.Node{Location: profile.Location{Function: "dial", Image: program, File: "/src/dial.c", Line: 7}, Count: 1, Children: []*profile.Node{get}}
	const dns = "fd 3 udp socket 127.0.0.1:5 to 127.0.0.7:53"
	for want, c := range map[string]struct {
		root   *profile.Node
		object string
	}{
		"main thread waits for an answer from DNS server 127.0.0.7, in poll, called by dial (dial.c:7)":                          {own, dns},
		"main thread waits for an answer from DNS server 127.0.0.7, in poll, called by getaddrinfo":                              {get, dns},
		"main thread waits for a name to be looked up, in poll: fd 3 unix socket to /run/nscd/socket, called by dial (dial.c:7)": {own, "fd 3 unix socket to /run/nscd/socket"},
	} {
		th := waiter(1, task.Sleeping, &profile.Wait{Call: "poll", Object: c.object})
		th.Roots = []*profile.Node{c.root}
		if got := Headline(oneOf(th)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHung: that no thread can wake another comes first, before what they wait for.
func TestHung(t *testing.T) {
	for n, want := range map[int]string{
		0: "main thread waits in futex: condition variable ready",
		1: "hung: the only thread waits, and nothing in the process can wake it; main thread waits in futex: condition variable ready",
		2: "hung: both threads wait, and neither can wake the other; main thread waits in futex: condition variable ready",
		3: "hung: all 3 threads wait, and none can wake another; main thread waits in futex: condition variable ready",
	} {
		th := waiter(1, task.Sleeping, &profile.Wait{Call: "futex", Object: "condition variable (futex 0x10)", Variable: "ready", Hung: n})
		if got := Headline(oneOf(th)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAlsoHung: the other threads that wait for locks are named, too, three with those of the chain.
func TestAlsoHung(t *testing.T) {
	lock := func(name string) *profile.Wait {
		return &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: task.Addr(name[0]), Variable: name, Hung: 6}
	}
	main := waiter(1, task.Sleeping, &profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: 2, Hung: 6})
	ready := waiter(3, task.Sleeping, &profile.Wait{Call: "futex", Object: "condition variable", Hung: 6})
	got := Headline(oneOf(main, waiter(2, task.Sleeping, lock("a")), ready, waiter(4, task.Sleeping, lock("b")), waiter(5, task.Sleeping, lock("c")), waiter(6, task.Sleeping, lock("d"))))
	const want = "hung: all 6 threads wait, and none can wake another; main thread waits for thread 2 to end; thread 2 waits for mutex a; thread 4 waits for mutex b; thread 5 waits for mutex c"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLargestPart: a function that has the largest part of the CPU time, but not half of it, is not said to
// have most of it.
func TestLargestPart(t *testing.T) {
	p := &Printer{Profile: &profile.Profile{Start: time.Unix(100, 0), End: time.Unix(102, 0), Snapshots: 9}}
	got := p.computes(&headline.CPUTime{OnCPU: 240 * time.Millisecond, Share: 0.12, Where: profile.Location{Function: "open"}})
	if want := "busy: CPU time was 0.240 s in 2.000 s, the largest part, 12 %, in open"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
