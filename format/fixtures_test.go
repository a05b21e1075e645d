package format

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

var zone = time.FixedZone("", 3600)

func moments(p *profile.Profile, stopped time.Duration) *profile.Profile {
	p.Tool = "stacksnap 1.0"
	p.Start = time.Date(2025, 11, 21, 8, 1, 2, 345_000_000, zone)
	p.End = p.Start.Add(stopped)
	p.Target.Start = p.Start.Add(-97 * time.Second)
	p.Snapshots, p.Stops = max(p.Snapshots, 1), max(p.Stops, 1)
	p.Stopped, p.LongestStop = stopped, stopped
	return p
}

func id(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// at makes a node found by CFI, seen once.
func at(im *profile.Image, function string, offset uint64, pc task.Addr) *profile.Node {
	return &profile.Node{
		Location: profile.Location{Image: im, Function: function, Raw: function, Offset: offset},
		PC:       pc, Return: true, By: unwind.ByCFI, Count: 1,
	}
}

// stack links nodes, the outermost first, and ends in the thread's own pc.
func stack(nodes ...*profile.Node) []*profile.Node {
	for i, n := range nodes[1:] {
		nodes[i].Children = []*profile.Node{n}
	}
	last := nodes[len(nodes)-1]
	last.Self, last.Return, last.By = last.Count, false, unwind.ByRegisters
	return nodes[:1]
}

// tally counts what the builder would have counted.
func tally(p *profile.Profile) *profile.Profile {
	for _, t := range p.Threads {
		t.Samples = max(t.Samples, 1)
		p.Walks += t.Samples
		for depth, n := range t.Nodes() {
			p.Frames += n.Count
			if depth == 0 && n.Cut == nil {
				p.Bottoms += n.Count
			}
		}
	}
	return p
}

// linux is a snapshot with one thread of each kind.
func linux() *profile.Profile {
	demo := &profile.Image{Path: "/tmp/demo", Load: 0x55d0c0a00000, End: 0x55d0c0a02000, Arch: task.AMD64, Main: true, Symbols: true, ID: id("5f0e1d2c3b4a59687786a5b4c3d2e1f00f1e2d3c")}
	libc := &profile.Image{Path: "/usr/lib/x86_64-linux-gnu/libc.so.6", Load: 0x7f10a2c00000, End: 0x7f10a2d8a000, Arch: task.AMD64, Symbols: true, ID: id("bd1f8d1e1a9c1f3c")}
	plugin := &profile.Image{Path: "/opt/plug in.so", Load: 0x7f10a3000000, End: 0x7f10a3004000, Arch: task.AMD64, Note: "deleted"}
	broken := &profile.Image{Path: "/opt/broken.so", Load: 0x7f10a4000000, End: 0x7f10a4001000, Err: "section headers: not ended within 64 bytes"}
	start := func() *profile.Node { return at(libc, "__libc_start_call_main", 122, 0x7f10a2c2724a) }
	clone := func() *profile.Node { return at(libc, "start_thread", 755, 0x7f10a2c89134) }
	inlined := at(demo, "lock_guard", 4, 0x55d0c0a01245)
	inlined.Inlined, inlined.File, inlined.Line = true, "/src/demo/lock.h", 31
	caller := at(demo, "take(queue&)", 37, 0x55d0c0a01245)
	caller.File, caller.Line = "/src/demo/main.cc", 204
	cutRoot := at(plugin, "", 0x1a2c, 0x7f10a3001a2c)
	cutRoot.Cut = &profile.Cut{Reason: unwind.NotCaptured, Need: 0x7f10a2bff000}
	scanned := at(broken, "", 0x204, 0x7f10a4000204)
	scanned.By = unwind.ByScan
	made := &profile.Image{Path: "/tmp/perf-4242.map", Arch: task.AMD64, Symbols: true, Generated: true}
	jit := at(nil, "", 0, 0x7f109d1f3c44)
	jit.By, jit.Why = unwind.ByFramePointer, "no image there"

	return tally(moments(&profile.Profile{
		Target: task.Info{PID: 4242, Name: "demo", Path: "/tmp/demo", Arch: task.AMD64, OS: task.Linux,
			OSVersion: "Debian GNU/Linux 12 (Linux 6.1.0)", ParentPID: 4200, ParentName: "bash", Live: true,
			Command:   task.Command{Args: []string{"./demo", "-x=1"}, Cut: true},
			Machine:   task.Machine{Model: "Virtual Machine", CPUs: 64, Active: 2, Memory: 2_079_227_904},
			Footprint: task.Footprint{Now: 3 << 20},
			Folder:    "/srv/demo (deleted)", User: &task.User{}, Group: &task.Group{Manager: "kubernetes", ID: strings.Repeat("0123456789abcdef", 4), Pod: "1a2b3c4d-1111-2222-3333-0123456789ab"}},
		Main: demo, Images: []*profile.Image{made, demo, libc, plugin, broken},
		Notes: []string{"image /opt/broken.so could not be read: section headers: not ended within 64 bytes"},
		Threads: []*profile.Thread{
			{ID: 4242, Name: "demo", Main: true, State: task.Sleeping, User: 120 * time.Millisecond, System: 30 * time.Millisecond,
				Roots: stack(start(), at(demo, "main", 81, 0x55d0c0a01100), caller, inlined, at(libc, "__lll_lock_wait", 29, 0x7f10a2c8607d))},
			{ID: 4243, Name: "busy", State: task.Running, Turn: task.OnCPU, Processor: 1, User: 97 * time.Second,
				Roots: stack(clone(), at(demo, "std::map<std::string, std::vector<int> >::find(std::string const&)", 12, 0x55d0c0a01333), at(made, "JS:*fib /tmp/x.js:1:13", 53, 0x7f109d1f4035))},
			{ID: 4244, Name: "plug", State: task.Uninterruptible,
				Roots: stack(cutRoot, scanned, jit, at(libc, "read", 16, 0x7f10a2cf81ec))},
			{ID: 4245, Name: "gone", State: task.Sleeping, Empty: 1, Err: "registers: input/output error"},
			{ID: 4246, Name: "mute", State: task.Stopped, SuspendCount: 1,
				Roots: stack(at(libc, "pause", 9, 0x7f10a2cd7a09)), Err: "its signal stack could not be copied"},
		},
	}, 212*time.Microsecond))
}

// darwin is a snapshot of an arm64 program, with two threads alike.
func darwin() *profile.Profile {
	tray := &profile.Image{Path: "/Applications/Tray.app/Contents/MacOS/tray", Load: 0x102a50000, End: 0x102dc8000, Arch: task.ARM64, Main: true, ID: id("5b424d44fed233618d7541795da0fef6"),
		Variant: "arm64e", Bundle: object.Bundle{ID: "org.example.tray", Version: "1.2", Build: "34"}}
	dyld := &profile.Image{Path: "/usr/lib/dyld", Load: 0x188298000, End: 0x18834b500, Arch: task.ARM64, Symbols: true, ID: id("df42dd9dad1133a788499ad5df30a274")}
	kernel := &profile.Image{Path: "/usr/lib/system/libsystem_kernel.dylib", Load: 0x18863f000, End: 0x18867c2e8, Arch: task.ARM64, Symbols: true, ID: id("7cfb3a10adb232c499b5922a111b3224")}
	pthread := &profile.Image{Path: "/usr/lib/system/libsystem_pthread.dylib", Load: 0x18867d000, End: 0x188689b3c, Arch: task.ARM64, Symbols: true}
	worker := func() []*profile.Node {
		return stack(at(pthread, "thread_start", 8, 0x18867e0fc), at(pthread, "_pthread_start", 136, 0x188683c08),
			at(tray, "", 0x86d2c, 0x102ad6d2c), at(kernel, "__psynch_cvwait", 8, 0x1886435cc))
	}
	return tally(moments(&profile.Profile{
		Target: task.Info{PID: 43184, Name: "tray", Path: tray.Path, Arch: task.ARM64, OS: task.Darwin,
			OSVersion: "macOS 26.6.1 (25G76)", ParentPID: 1, ParentName: "launchd", Live: true,
			Command:   task.Command{Args: []string{tray.Path, "--icon", "a b", ""}},
			Machine:   task.Machine{Model: "Mac14,2", CPU: "Apple M2", CPUs: 8, Active: 8, Memory: 24 << 30},
			Footprint: task.Footprint{Now: 14_912_512, Peak: 20 << 20},
			Folder:    "/", User: &task.User{ID: 501, Name: "somebody"}},
		Main: tray, Images: []*profile.Image{tray, dyld, kernel, pthread}, Stops: 2,
		Threads: []*profile.Thread{
			{ID: 0x20e2ba, Main: true, Queue: "com.apple.main-thread", QueueSerial: 1, QoS: task.UserInteractive, Priority: task.Priority{Now: 47, Base: 46}, State: task.Sleeping, User: 1234 * time.Millisecond, System: 567 * time.Millisecond,
				Roots: stack(at(dyld, "start", 6992, 0x1882b84e4), at(tray, "", 0x4d7cc, 0x102a9d7cc), at(kernel, "kevent", 8, 0x188645fc4))},
			{ID: 0x20e2c1, Name: "worker-1", QoS: task.Utility, Priority: task.Priority{Now: 20, Base: 20}, State: task.Sleeping, User: 10 * time.Millisecond, Roots: worker()},
			{ID: 0x20e2c2, Name: "worker-2", QoS: task.Utility, Priority: task.Priority{Now: 4, Base: 20}, State: task.Sleeping, User: 20 * time.Millisecond, Roots: worker()},
			{ID: 0x20e2c3, Name: "spinner", State: task.Running, Roots: worker()},
		},
	}, 9800*time.Microsecond))
}

// translatedLive is of a live process, where no register can be read.
func translatedLive() *profile.Profile {
	p := translated()
	p.Frames, p.Bottoms = 0, 0
	th := *p.Threads[0]
	th.Roots, th.Empty, th.Err = nil, 1, "the process is translated by Rosetta: its x86_64 registers cannot be read from outside"
	p.Threads = []*profile.Thread{&th}
	return p
}

func translated() *profile.Profile {
	p := darwin()
	p.Target.Translated = true
	p.Target.Arch = task.AMD64
	p.Threads = p.Threads[:1]
	p.Frames, p.Walks, p.Bottoms = 3, 1, 1
	p.MissedThreads = 3
	return p
}

func noThreads() *profile.Profile {
	return moments(&profile.Profile{Target: task.Info{PID: 7, OS: task.Linux, Arch: task.ARM64}}, 0)
}

// recursion is a stack of n frames of one function above 300 rounds of three
// others, and a few frames on either side.
func recursion(n int) *profile.Profile {
	demo := &profile.Image{Path: "/tmp/demo", Load: 0x400000, End: 0x402000, Arch: task.ARM64, Symbols: true}
	nodes := []*profile.Node{at(demo, "_start", 52, 0x400674), at(demo, "main", 24, 0x400800)}
	for range n {
		nodes = append(nodes, at(demo, "recurse", 36, 0x400900))
	}
	nodes = append(nodes, at(demo, "bridge", 8, 0x400a00))
	for range 300 {
		nodes = append(nodes, at(demo, "expr", 40, 0x400b00), at(demo, "term", 20, 0x400c00), at(demo, "factor", 64, 0x400d00))
	}
	for i := range 3 {
		nodes = append(nodes, at(demo, fmt.Sprintf("step%d", i), 4, 0x400e00+task.Addr(i)*16))
	}
	return tally(moments(&profile.Profile{
		Target:  task.Info{PID: 9, Name: "demo", OS: task.Linux, Arch: task.ARM64},
		Images:  []*profile.Image{demo},
		Threads: []*profile.Thread{{ID: 9, Main: true, State: task.Running, Roots: stack(nodes...)}},
	}, time.Microsecond*3))
}

// staircase is a deep stack without any recursion.
func staircase() *profile.Profile {
	demo := &profile.Image{Path: "/tmp/demo", Load: 0x400000, End: 0x402000, Arch: task.ARM64, Symbols: true}
	var nodes []*profile.Node
	for i := range 70 {
		nodes = append(nodes, at(demo, fmt.Sprintf("f%d", i+1), uint64(i), 0x400000+task.Addr(i)))
	}
	p := recursion(0)
	p.Threads[0].Roots = stack(nodes...)
	p.Frames = 70
	return p
}

// hostile has names made to deceive a terminal and a reader.
func hostile() *profile.Profile {
	evil := &profile.Image{Path: "/tmp/\x1b]0;owned\a/lib\n  main (libc) [0x1].so", Load: 0x400000, End: 0x402000, Note: "\x9b31m"}
	long := at(evil, longName(), 1, 0x400100)
	long.By, long.Why = unwind.ByFramePointer, "\x1b[2J"
	p := tally(moments(&profile.Profile{
		Target: task.Info{PID: 9, Name: "a\rb\x00c", Path: "/x/\xff\xfe", OS: task.Linux, ParentPID: 1, ParentName: "\u202egnp.exe", OSVersion: "L\tx",
			Folder: "/tmp/\n\x1b[2J", User: &task.User{ID: 9, Name: "\x1b[7m"}, Group: &task.Group{Manager: "systemd", ID: "\x1bc.service"},
			Tracer: &task.Tracer{PID: 1, Name: "\x1b[2J"}},
		Images:  []*profile.Image{evil},
		Notes:   []string{"two\nlines"},
		Threads: []*profile.Thread{{ID: 9, Name: "say \"hi\" \\ \U0001f600\u200b", Queue: "q\x7f", State: 99, Roots: stack(long, at(evil, "x;y\u0085 12", 0, 0x400200))}},
	}, time.Millisecond))
	p.Threads[0].Roots[0].Cut = &profile.Cut{Reason: unwind.BadPointer, Detail: "\x1b[1m"}
	return p
}

func longName() string {
	s := "begin<"
	for range 1000 {
		s += "é,"
	}
	return s + ">::end"
}

// sampled is 100 snapshots of two threads: the main one works in a loop and
// waits for a lock, the other sleeps, and for a while there is a third.
func sampled() *profile.Profile {
	p := linux()
	demo, libc := p.Images[1], p.Images[2]
	times := func(n int, node *profile.Node, children ...*profile.Node) *profile.Node {
		node.Count, node.Self, node.Children = n, n, children
		for _, c := range children {
			node.Self -= c.Count
		}
		return node
	}
	hot := func(n int, offset uint64) *profile.Node {
		return times(n, at(demo, "hot(int)", offset, 0x55d0c0a01200+task.Addr(offset)))
	}
	guess := times(4, at(demo, "cold()", 3, 0x55d0c0a01403))
	guess.By = unwind.ByScan
	lost := times(5, at(libc, "__lll_lock_wait", 29, 0x7f10a2c8607d))
	lost.Cut = &profile.Cut{Reason: unwind.NoCaller}
	main := times(90, at(libc, "__libc_start_call_main", 122, 0x7f10a2c2724a),
		times(70, at(demo, "main", 81, 0x55d0c0a01100), hot(30, 12), hot(20, 24), hot(10, 32), times(10, at(demo, "", 0x1500, 0x55d0c0a01500))),
		times(20, at(demo, "main", 95, 0x55d0c0a0110e), times(11, at(libc, "__lll_lock_wait", 29, 0x7f10a2c8607d)), hot(2, 12), guess))
	main.Children[0].Children[0].Spent = profile.Spent{OnCPU: 350 * time.Millisecond, Queued: 30 * time.Millisecond, Blocked: time.Millisecond}
	idle := times(100, at(libc, "start_thread", 755, 0x7f10a2c89134), times(100, at(libc, "futex_wait", 29, 0x7f10a2c86fff)))

	*p = *moments(&profile.Profile{
		Target: p.Target, Main: demo, Images: []*profile.Image{demo, libc}, Snapshots: 100, Stops: 100,
		Interval: 10 * time.Millisecond, MissedTicks: 2,
		Threads: []*profile.Thread{
			{ID: 4242, Name: "demo", Main: true, State: task.Running, User: 120 * time.Millisecond, System: 30 * time.Millisecond, Used: 110 * time.Millisecond,
				Spent:   profile.Spent{OnCPU: 112 * time.Millisecond, Queued: 4 * time.Millisecond, Blocked: 890 * time.Millisecond},
				Samples: 100, Last: 99, States: profile.States{task.Running: 84, task.Sleeping: 16}, Roots: []*profile.Node{main, lost}, Empty: 5, Err: "registers: input/output error"},
			{ID: 4243, Name: "idle", State: task.Sleeping, Spent: profile.Spent{OnCPU: time.Millisecond, Queued: 2 * time.Millisecond, Blocked: 997 * time.Millisecond}, Samples: 100, Last: 99, States: profile.States{task.Sleeping: 100}, Roots: []*profile.Node{idle}},
			{ID: 4250, Name: "brief", Spent: profile.Spent{OnCPU: 20 * time.Millisecond}, State: task.Running, Samples: 3, First: 40, Last: 42, States: profile.States{task.Running: 3},
				Roots: []*profile.Node{times(3, at(libc, "start_thread", 755, 0x7f10a2c89134), hot(3, 12))}},
		},
	}, 2100*time.Microsecond)
	p.End = p.Start.Add(1010 * time.Millisecond)
	p.LongestStop = 31 * time.Microsecond
	return tally(p)
}
