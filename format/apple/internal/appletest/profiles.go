package appletest

import (
	"encoding/hex"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

var Zone = time.FixedZone("", 3600)

func ID(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// Call makes a node of a function that called others. It has as many samples as they
// have together.
func Call(im *profile.Image, function string, offset uint64, pc task.Addr, below ...*profile.Node) *profile.Node {
	n := &profile.Node{
		Location: profile.Location{Image: im, Function: function, Offset: offset},
		PC:       pc, Return: true, By: unwind.ByCFI, Children: below,
	}
	for _, c := range below {
		n.Count += c.Count
	}
	return n
}

// Top makes a node of a function that was innermost in some samples.
func Top(im *profile.Image, function string, offset uint64, pc task.Addr, samples int) *profile.Node {
	n := Call(im, function, offset, pc)
	n.Return, n.By, n.Count, n.Self = false, unwind.ByRegisters, samples, samples
	return n
}

func Source(n *profile.Node, file string, line int) *profile.Node {
	n.File, n.Line = file, line
	return n
}

// Darwin returns a sampled program with five threads. Three of them are workers.
func Darwin() *profile.Profile {
	tray := &profile.Image{Path: "/Applications/Tray (1).app/Contents/MacOS/tray", Load: 0x102a50000, End: 0x102dc8000, Arch: task.ARM64, Main: true,
		ID: ID("5b424d44fed233618d7541795da0fef6"), Bundle: object.Bundle{ID: "org.example.tray", Version: "1.2", Build: "34"}}
	dyld := &profile.Image{Path: "/usr/lib/dyld", Load: 0x188298000, End: 0x18834b500, ID: ID("df42dd9dad1133a788499ad5df30a274"), Bundle: object.Bundle{Version: "1.0.0", Build: "1387"}}
	kernel := &profile.Image{Path: "/usr/lib/system/libsystem_kernel.dylib", Load: 0x18863f000, End: 0x18867c2e8, ID: ID("7cfb3a10adb232c499b5922a111b3224"), Bundle: object.Bundle{Version: "12377.161.13"}}
	pthread := &profile.Image{Path: "/usr/lib/system/libsystem_pthread.dylib", Load: 0x18867d000, End: 0x188689b3c, ID: ID("12342372008437a59ea62e4dc940c685")}
	cold := &profile.Image{Path: "/Applications/Tray (1).app/Contents/Frameworks/Cold (x).framework/Cold (x)", Load: 0x103000000, End: 0x103010000}
	worker := func(n, first int) *profile.Node {
		return Call(pthread, "thread_start", 8, 0x18867e0fc, Call(pthread, "_pthread_start", 136, 0x188683c08,
			Call(tray, "", 0x86d2c, 0x102ad6d2c, Top(kernel, "__psynch_cvwait", 8, 0x1886435cc, first), Top(kernel, "__psynch_cvwait", 0, 0x1886435c4, n-first))))
	}
	loop := Call(tray, "Loop.run(_:)", 64, 0x102a60040,
		Source(Top(tray, "step()", 12, 0x102a6100c, 6), "/src/tray/Step.swift", 31),
		Source(Top(tray, "step()", 16, 0x102a61010, 2), "/src/tray/Step.swift", 31),
		Source(Top(tray, "step()", 40, 0x102a61028, 4), "/src/tray/Step.swift", 33),
		Call(tray, "step()", 20, 0x102a61014, Top(cold, "cold", 4, 0x103000104, 1), Top(nil, "", 0, 0x1_4000_1000, 1)),
		Call(tray, "", 0x12000, 0x102a62000, Call(nil, "", 0, 0x1_4000_1000, Top(kernel, "swtch_pri", 8, 0x188645000, 3))),
		Top(tray, "", 0x12000, 0x102a62000, 2))
	main := Call(dyld, "start", 6992, 0x1882b84e4, Source(Call(tray, "main", 96, 0x102a508bc,
		Source(loop, "/<compiler-generated>", 0), Top(kernel, "kevent", 8, 0x188645fc4, 80)), "/src/tray/main.swift", 204))
	three := Top(kernel, "mach_msg", 8, 0x188640008, 40)
	three.Also, three.More = []profile.Address{{PC: 0x188640004, Offset: 4}}, true
	p := &profile.Profile{
		Tool:   "stacksnap 1.0",
		Start:  time.Date(2025, 11, 21, 8, 1, 2, 345_000_000, Zone),
		Target: task.Info{PID: 43184, Name: "tray", Path: tray.Path, Arch: task.ARM64, OS: task.Darwin, OSVersion: "macOS 26.6.1 (25G76)", ParentPID: 1, ParentName: "launchd", Live: true, Footprint: task.Footprint{Now: 3 << 20, Peak: 31 << 19}},
		Main:   tray, Images: []*profile.Image{tray, cold, dyld, kernel, pthread},
		Snapshots: 100, Interval: time.Millisecond,
		Threads: []*profile.Thread{
			{ID: 2155218, Main: true, Queue: "com.apple.main-thread", QueueSerial: 1, Samples: 99, Roots: []*profile.Node{main}},
			{ID: 2155300, Name: "reader", Samples: 100, Roots: []*profile.Node{Call(pthread, "thread_start", 8, 0x18867e0fc, three), Top(pthread, "start_wqthread", 0, 0x18867e0d4, 60)}},
			{ID: 2155219, Samples: 100, Queue: "com.apple.root.utility-qos", QueueSerial: 17, Roots: []*profile.Node{worker(100, 97)}},
			{ID: 2155221, Samples: 100, Queue: "org.example.work", QueueSerial: 90, QueueKind: "serial", Roots: []*profile.Node{worker(100, 2)}},
			{ID: 2155220, Name: "late", Samples: 3, Roots: []*profile.Node{worker(3, 3)}},
		},
	}
	p.Target.Start = p.Start.Add(-97 * time.Second)
	return p
}

// Linux returns one snapshot with facts that sample's report has no form for.
func Linux() *profile.Profile {
	demo := &profile.Image{Path: "/tmp/demo", Load: 0x55d0c0a00000, End: 0x55d0c0a02000, Arch: task.AMD64, Main: true, ID: ID("5f0e1d2c3b4a59687786a5b4c3d2e1f00f1e2d3c")}
	libc := &profile.Image{Path: "/usr/lib/x86_64-linux-gnu/libc.so.6", Load: 0x7f10a2c00000, End: 0x7f10a2d8a000, Arch: task.AMD64}
	jit := &profile.Image{Path: "/tmp/perf-4242.map", Generated: true}
	inlined := Top(demo, "lock_guard", 0, 0x55d0c0a01245, 1)
	inlined.Inlined = true
	cut := Call(demo, "f(int)", 4, 0x55d0c0a01300, Top(jit, "JS:*fib /tmp/x.js:1:13", 53, 0x7f109d1f4035, 1))
	cut.Cut = &profile.Cut{Reason: unwind.NotCaptured, Need: 0x7f10a2bff000}
	cut.Children[0].By = unwind.ByScan
	return &profile.Profile{
		Tool: "stacksnap 1.0", Start: time.Date(2025, 11, 21, 8, 1, 2, 345_000_000, Zone), Snapshots: 1,
		Target: task.Info{PID: 4242, Name: "demo", Path: "/tmp/demo", Arch: task.AMD64, OS: task.Linux, OSVersion: "Debian GNU/Linux 12 (Linux 6.1.0)", ParentPID: 7, Live: true},
		Main:   demo, Images: []*profile.Image{demo, libc}, Notes: []string{"one thing"}, MissedThreads: 2, MissedTicks: 1,
		Threads: []*profile.Thread{
			{ID: 4242, Name: "demo", Main: true, Samples: 1, Roots: []*profile.Node{Call(demo, "take(queue&)", 37, 0x55d0c0a01245, inlined)}},
			{ID: 4243, Name: "busy", Samples: 1, Roots: []*profile.Node{cut}},
			{ID: 4244, Samples: 1, Empty: 1, Unstopped: 1},
			{ID: 4245, Samples: 1, Roots: []*profile.Node{Call(libc, profile.Trampoline, 0x3000, 0x7f10a2c03000, Top(nil, "", 0, 0, 1))}},
		},
	}
}

// Hostile returns a profile whose names try to deceive a terminal and a reader of
// reports.
func Hostile() *profile.Profile {
	evil := &profile.Image{Path: "/tmp/\x1b]0;owned\a/lib)  + 1  [0x1]\n  9 main (in libc).so", Load: 0x400000, End: 0x402000, Bundle: object.Bundle{ID: "\x1b[1m", Version: "\n(1)", Build: ">\xff"}}
	return &profile.Profile{
		Tool: "a\nb", Start: time.Date(2025, 11, 21, 8, 1, 2, 0, Zone), Snapshots: 1,
		Target: task.Info{PID: 9, Name: "a\rb\x00c (pid 1) every", Path: "/x/\xff\xfe", OS: task.Linux, ParentPID: 1, ParentName: "\u202egnp.exe", OSVersion: "L\tx\nCall graph:"},
		Main:   evil, Images: []*profile.Image{evil}, Notes: []string{"two\nlines", "\x1b[2J"},
		Threads: []*profile.Thread{{ID: 9, Name: "say \"hi\"   DispatchQueue_1: com.apple.main-thread  (serial)\n    5 Thread_1", Queue: "q\x7f  (serial)\u2028", Samples: 2, Roots: []*profile.Node{
			Call(evil, "x  (in libc) + 1  [0x10]\n    9 y", 1, 0x400100, Source(Top(evil, strings.Repeat("é<,", 4000)+"\u0085 12", 0, 0x400200, 2), "/\x1b[3m:1\n/z:9", 7)),
		}}},
	}
}
