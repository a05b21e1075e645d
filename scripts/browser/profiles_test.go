//go:build browser

package browser

import (
	"fmt"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// hostile is a name that would be a program if anything took it for markup.
const hostile = `</script><script>window.taken = 1</script><img src=x onerror="window.taken=1">&lt;`

var (
	demo = &profile.Image{Path: "/opt/demo/bin/demo", Load: 0x1000, End: 0x2000, Main: true, Symbols: true}
	libc = &profile.Image{Path: "/usr/lib/libc.so.6", Load: 0x8000, End: 0x9000, Symbols: true}
)

// frame makes a node with samples of its own and those of what it calls.
func frame(im *profile.Image, function string, self int, callees ...*profile.Node) *profile.Node {
	n := &profile.Node{Location: profile.Location{Image: im, Function: function}, PC: im.Load + 0x10, By: unwind.ByCFI, Self: self, Count: self, Children: callees}
	n.Spent = profile.Spent{OnCPU: time.Duration(self) * time.Millisecond}
	if im == libc {
		n.Spent = profile.Spent{Blocked: time.Duration(self) * time.Millisecond}
	}
	for _, c := range callees {
		n.Count += c.Count
	}
	return n
}

func thread(id task.ThreadID, name string, state task.State, roots ...*profile.Node) *profile.Thread {
	t := &profile.Thread{ID: id, Name: name, State: state, Roots: roots, Main: id == 1}
	for _, n := range roots {
		t.Samples += n.Count
	}
	t.States[state] = t.Samples
	for _, n := range t.Nodes() {
		t.Spent.OnCPU += n.Spent.OnCPU
		t.Spent.Blocked += n.Spent.Blocked
	}
	return t
}

func process(threads ...*profile.Thread) *profile.Profile {
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	p := &profile.Profile{
		Target: task.Info{PID: 77, Name: "demo", Path: demo.Path, Arch: task.AMD64, OS: task.Linux, Live: true},
		Tool:   "stacksnap test", Start: start, End: start.Add(time.Second), Interval: time.Millisecond, Snapshots: 1000,
		Main: demo, Images: []*profile.Image{demo, libc}, Threads: threads,
	}
	for _, t := range threads {
		p.Walks += t.Samples
	}
	return p
}

// worked is a sampled program, of whose 1,000 samples parse has 600 and lex in it 400,
// 100 of them called by itself, and render 300 of which a hostile name has 100; another
// thread waits.
func worked() *profile.Profile {
	guessed := frame(demo, "found_by_scan", 100)
	guessed.By, guessed.Why = unwind.ByScan, "no unwind information"
	main := frame(demo, "main", 0,
		frame(demo, "parse", 200, frame(demo, "lex", 300, frame(demo, "lex", 100))),
		frame(demo, "render", 200, frame(demo, hostile, 100)),
		guessed)
	cut := frame(demo, "orphan", 0, frame(libc, "memcpy", 0))
	cut.Cut = &profile.Cut{Reason: unwind.NotCaptured, Need: 0x7000}
	idle := thread(2, "waiter", task.Sleeping, frame(libc, "start_thread", 0, frame(libc, "epoll_wait", 1000)))
	idle.Looks = 10
	idle.Waits = []profile.Waited{{Wait: profile.Wait{Call: "epoll_wait", Object: "fd 4 anon_inode:[eventpoll]"}, Looks: 10}}
	p := process(thread(1, "demo", task.Running, main), idle)
	p.Notes = []string{"a note on " + hostile}
	return p
}

// locked is one snapshot of two threads that wait for each other, and one beside.
func locked() *profile.Profile {
	waits := func(addr task.Addr, owner task.ThreadID, name string) profile.Wait {
		return profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: addr, Owner: owner, OwnerName: name}
	}
	stack := func(who string) *profile.Node {
		return frame(libc, "start_thread", 0, frame(demo, who, 0, frame(demo, "lock_both", 0, frame(libc, "__lll_lock_wait", 1))))
	}
	first, second := waits(0x55d0c0a04060, 3, "journal"), waits(0x55d0c0a04090, 2, "accounts"+hostile)
	a, b := thread(2, "accounts"+hostile, task.Sleeping, stack("pay")), thread(3, "journal", task.Sleeping, stack("audit"))
	a.Wait, b.Wait = &first, &second
	p := process(thread(1, "demo", task.Sleeping, frame(demo, "main", 0, frame(libc, "pause", 1))), a, b)
	p.Snapshots, p.Interval, p.End = 1, 0, p.Start.Add(80*time.Microsecond)
	p.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 2, Name: a.Name, Wait: first}, {ID: 3, Name: b.Name, Wait: second}}, Looks: 1}}
	return p
}

// lockedTogether is two processes, of each of which a thread waits for one of the other.
func lockedTogether() *profile.Group {
	client, server := locked(), locked()
	client.Deadlocks, server.Deadlocks = nil, nil
	server.Target.PID, server.Target.Name = 78, "server"
	w := thread(5, "worker", task.Sleeping, frame(libc, "flock", 1))
	client.Threads[2].Wait = &profile.Wait{Call: "read", Object: "fd 3 pipe:[1]", Peer: profile.Peer{PID: 78, Name: "server", Thread: 5, ThreadName: "worker", Action: profile.Write}}
	w.Wait = &profile.Wait{Call: "flock", Lock: profile.FileLock, Object: "fd 4 /l", Peer: profile.Peer{
		PID: client.Target.PID, Name: client.Target.Name, Thread: 3, ThreadName: "journal", Action: profile.Release}}
	server.Threads = append(server.Threads, w)
	g := &profile.Group{Profiles: []*profile.Profile{client, server}}
	g.Deadlocks = profile.Circles(g.Waiters())
	return g
}

// large has at least so many nodes, in ten threads, of trees as deep and wide as those
// of real programs.
func large(nodes int) *profile.Profile {
	var threads []*profile.Thread
	made := 0
	for id := 1; id <= 10; id++ {
		var grow func(depth, seed int) *profile.Node
		grow = func(depth, seed int) *profile.Node {
			made++
			var below []*profile.Node
			for k := 0; depth < 40 && k < 1+(seed+k)%2+depth%3/2 && made < id*nodes/10; k++ {
				below = append(below, grow(depth+1, seed*7+k*13+1))
			}
			return frame(demo, fmt.Sprintf("module_%d::function_number_%d(int, char const*)", seed%50, seed%4000), 1+seed%5, below...)
		}
		var roots []*profile.Node
		for made < id*nodes/10 {
			roots = append(roots, grow(0, made))
		}
		threads = append(threads, thread(task.ThreadID(id), fmt.Sprint("worker-", id), task.Running, roots...))
	}
	return process(threads...)
}
