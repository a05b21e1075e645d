package apple

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/images/object"
	"stacksnap/task"
)

func timelineReport(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/timeline.spindump.txt")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestReadSpindump(t *testing.T) {
	all := readAll(t, timelineReport(t))
	if len(all) != 2 {
		t.Fatalf("%d processes", len(all))
	}
	p := all[0]
	want := task.Info{
		PID: 43184, Name: "Tray (1)", Path: "/Applications/*/Tray (1)", Arch: task.AMD64, OS: task.Darwin, OSVersion: "macOS 14.5 (23F79)",
		ParentPID: 1, ParentName: "launchd", User: &task.User{ID: 501}, Machine: task.Machine{Model: "Mac14,2", Active: 8, Memory: 16 << 30},
		Footprint: task.Footprint{Now: 6416 << 10}, Translated: true,
	}
	if diff := cmp.Diff(want, p.Target); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p.Snapshots != 10 || p.Interval != 100*time.Millisecond || p.Duration() != time.Second || p.Tool != "spindump" || p.Cache == nil || p.Cache.Base != 0x188230000 || p.Cache.Slide != 0x8230000 {
		t.Errorf("%+v", p)
	}
	notes := []string{"Event: hang", "Duration Sampled: 0.90s (process was unresponsive for 2 seconds before sampling)", "Unresponsive for 2 seconds before sampling", "5 idle work queue threads omitted"}
	if diff := cmp.Diff(notes, p.Notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if k := all[1].Target; k.Name != "kernel_task" || k.PID != 0 || k.Arch != task.ARM64 || k.Translated || len(all[1].Notes) != 0 {
		t.Errorf("%+v, notes %q", k, all[1].Notes)
	}
}

// Frames of a timeline that come again are one, as in a live profile.
func TestReadSpindumpTimeline(t *testing.T) {
	p := readAll(t, timelineReport(t))[0]
	var got []string
	for _, th := range p.Threads {
		got = append(got, fmt.Sprintf("%#x %q %q(%d) main %t samples %d %d-%d %v used %v", uint64(th.ID), th.Name, th.Queue, th.QueueSerial, th.Main, th.Samples, th.First, th.Last, th.Priority, th.Used))
		for depth, n := range th.Nodes() {
			im := "-"
			if n.Image != nil {
				im = n.Image.Name()
			}
			got = append(got, fmt.Sprintf("%d %d/%d %s+%d %v %s %s:%d,%d return %t", depth, n.Count, n.Self, n.Function, n.Offset, n.PC, im, n.File, n.Line, n.Column, n.Return))
		}
	}
	want := []string{
		`0x2ca9e "" "com.apple.main-thread"(1) main true samples 10 0-9 {0 0} used 91ms`,
		"0 9/0 start+462 0x115b4652e dyld :0,0 return true",
		"1 5/5 step()+12 0x10000100c Tray (1) Step.swift:31,7 return false",
		"1 4/0 main+8 0x100002008 Tray (1) main.swift:0,0 return true",
		"2 4/0 <patched truncated backtrace>+0 0x0 - :0,0 return false",
		"3 4/0 mach_msg2_trap+8 0x18863ff54 libsystem_kernel.dylib :0,0 return true",
		"4 4/4 +194824 0xfffffe0007033908 kernel.release.t8112 :0,0 return false",
		"0 1/1 +0 0x140001000 - :0,0 return false",
		`0x2ca9f "say \"hi\"" "a \"queue\"    (x)"(17) main false samples 1 3-3 {4 0} used 0s`,
		"0 1/1 +16 0x103000010 <12342372-0084-37A5-9EA6-2E4DC940C685> :0,0 return false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What the thread did where it was innermost is counted, and what it waited for.
func TestReadSpindumpStates(t *testing.T) {
	p := readAll(t, timelineReport(t))[0]
	a, b := p.Threads[0], p.Threads[1]
	if a.States[task.Running] != 2 || a.States[task.Sleeping] != 4 || a.States[task.StateUnknown] != 4 || b.States[task.Running] != 1 || b.States[task.StateUnknown] != 0 {
		t.Errorf("%v %v", a.States, b.States)
	}
	wait := profile.Waited{Looks: 4, Wait: profile.Wait{Call: "mach_msg2_trap", Object: "turnstile waiting for Tray (1) [43184] thread 0x2ca9f", Owner: b.ID, OwnerName: b.Name}}
	if diff := cmp.Diff([]profile.Waited{wait}, a.Waits); diff != "" || a.Looks != 10 || a.Wait != nil || len(b.Waits) != 0 {
		t.Errorf("looks %d -want +got:\n%s", a.Looks, diff)
	}
	step := a.Roots[0].Children[0]
	if step.States == nil || step.States[task.Running] != 2 {
		t.Errorf("%+v", step)
	}
}

func TestReadSpindumpImages(t *testing.T) {
	p := readAll(t, timelineReport(t))[0]
	var got []string
	for _, im := range p.Images {
		got = append(got, fmt.Sprintf("%v-%v %x %s %v main %t %s", im.Load, im.End, im.ID, im.Path, im.Bundle, im.Main, im.Note))
	}
	want := []string{
		"0x100000000-0x100002009 5b424d44fed233618d7541795da0fef6 /Applications/*/Tray (1) {org.example.tray 1.2 34} main true " + notation.NoEnd,
		"0x103000000-0x103010000 12342372008437a59ea62e4dc940c685 <12342372-0084-37A5-9EA6-2E4DC940C685> {  } main false ",
		"0x115b41000-0x115bc5000 eea022bba6ab3cd18ac154ce8cfd3333 /usr/lib/dyld {  960} main false ",
		"0x18863f000-0x18867c2e8 7cfb3a10adb232c499b5922a111b3224 /usr/lib/system/libsystem_kernel.dylib {  12377.161.13} main false ",
		"0xfffffe0007004000-0xfffffe0007c00000  /System/Library/Kernels/kernel.release.t8112 {  12377.61.12} main false " + inSegment + "__TEXT_EXEC",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text := spun(t, p)
	for _, want := range []string{"  0x100000000 -                ???  org.example.tray 1.2 (34)             <5B424D44", "  0x103000000 -        0x10300ffff  ???                                   <12342372-0084-37A5-9EA6-2E4DC940C685>\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

func TestSpinLabels(t *testing.T) {
	for text, want := range map[string]spinLabel{
		"f(int) + 8 (Cold (x) + 12) [0x10]":                           {symbol: "f(int)", offset: 8, hasOffset: true, image: "Cold (x)", inImage: 12, hasPlace: true, pc: 16},
		"-[A b:] + 1 (a.m:3,4 in L + 2) [0x3] (running) 1-2":          {symbol: "-[A b:]", offset: 1, hasOffset: true, file: "a.m", line: 3, column: 4, image: "L", inImage: 2, hasPlace: true, pc: 3, state: "running", samples: "1-2"},
		"main + 24 (Google Chrome) [0x70f78]":                         {symbol: "main", offset: 24, hasOffset: true, image: "Google Chrome", pc: 0x70f78},
		"??? (Google Chrome + 3925) [0x70f55] 7":                      {symbol: "???", image: "Google Chrome", inImage: 3925, hasPlace: true, pc: 0x70f55, samples: "7"},
		"??? (odd) + 5) [0x9]":                                        {symbol: "???", image: "odd)", inImage: 5, hasPlace: true, pc: 9},
		"??? [0xfffffff0071a86d4] (blocked by x [1] thread 0x2) 1-49": {symbol: "???", pc: 0xfffffff0071a86d4, state: "blocked by x [1] thread 0x2", samples: "1-49"},
		"g(int) (.cold.1) [0x5]":                                      {symbol: "g(int) (.cold.1)", pc: 5},
		"f(a + 5) [0x1]":                                              {symbol: "f(a + 5)", pc: 1},
		"g(int) [0x5]":                                                {symbol: "g(int)", pc: 5},
		"main (in MyApp) + 128 (main.m:31) [0x102422ffc]":             {symbol: "main", offset: 128, hasOffset: true, image: "MyApp", file: "main.m", line: 31, pc: 0x102422ffc},
		"start (in dyld) + 6 [0x7]":                                   {symbol: "start", offset: 6, hasOffset: true, image: "dyld", pc: 7},
		"<truncated backtrace> 1-49":                                  {symbol: "<truncated backtrace>", bare: true, samples: "1-49"},
		"<executing in user space>":                                   {symbol: "<executing in user space>", bare: true},
		"f + 1 [0x123456789abcdef01]":                                 {symbol: "f + 1 [0x123456789abcdef01]", bare: true},
		"f [0x1] what":                                                {symbol: "f [0x1] what", bare: true},
		"f + 99999999999999999999 (L + 1) [0x1]":                      {symbol: "f + 99999999999999999999", image: "L", inImage: 1, hasPlace: true, pc: 1},
	} {
		got := parseSpinLabel(text)
		if got != want {
			t.Errorf("%s: %+v\nwant %+v", text, got, want)
		}
		got.state, got.samples = "", ""
		if again := parseSpinLabel(got.String()); again != got {
			t.Errorf("%s: %s is read as %+v", text, &got, again)
		}
	}
}

func TestReadSpinProcess(t *testing.T) {
	for text, want := range map[string]string{
		"akd [416]": "akd 416", "Tray (1) [2] [unique pid 9]": "Tray (1) 2", "a [x] [7] (suspended)": "a [x] 7", "??? [3]": " 3", "none": "none 0", "a [99999999999]": "a [99999999999] 0",
	} {
		if name, pid := parseSpinProcess(text); fmt.Sprint(name, " ", pid) != want {
			t.Errorf("%s: %q %d", text, name, pid)
		}
	}
}

func TestParseSpinValues(t *testing.T) {
	for text, want := range map[string]time.Duration{"7.23s": 7230 * time.Millisecond, "<0.001s": 0, "x": 0, "-1s": 0, "1e300s": 0, "0.091s (163.6M cycles)": 91 * time.Millisecond} {
		if got := parseSeconds(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for text, want := range map[string]uint64{"3800 KB": 3800 << 10, "60.25 GB": 60<<30 + 1<<28, "6416 KB -> 11.45 MB (+5312 KB)": 6416 << 10, "5": 0, "5 x": 0, "-1 KB": 0, "1e300 GB": 0, "": 0} {
		if got := parseSpinSize(text); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
	for n, want := range map[uint64]string{0: "", 3800 << 10: "3800 KB", 11<<20 + 1<<19: "11.50 MB", 60<<30 + 1<<28: "60.25 GB"} {
		if got := spinSize(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for text, want := range map[string][2]int{"1-49": {0, 48}, "3": {2, 2}, "1-4, 7-9": {0, 8}, "": {0, -1}, "0-1": {0, -1}, "5-4": {0, -1}, "1-99999999999999999999": {0, -1}} {
		if a, b := parseRange(text); a != want[0] || b != want[1] {
			t.Errorf("%s: %d-%d", text, a, b)
		}
	}
}

// spinHead is the least that a report begins with.
const spinHead = "Report Version:   35.1\nSteps:            3\n\nProcess:          x [1]\n\n"

// A report that is cut short gives what was there, and says so; no process is lost that
// has begun.
func TestReadSpindumpCutShort(t *testing.T) {
	whole := []byte(spun(t, hung(), sampledLinux()))
	first, second := bytes.Index(whole, []byte("\nProcess:")), bytes.LastIndex(whole, []byte("\nProcess:"))
	end := bytes.LastIndex(whole, []byte("  "+notation.BinaryImages))
	for n := bytes.Index(whole, []byte(spinSteps)) + 7; n < len(whole); n += 3 {
		all := readAll(t, whole[:n])
		if want := 1 + min(1, max(0, n-second-len("\nProcess:")+1)); n > first+20 && n != second+len("\nProcess:") && len(all) != want {
			t.Fatalf("%d bytes: %d processes, want %d", n, len(all), want)
		}
		last := all[len(all)-1]
		cut := slices.ContainsFunc(last.Notes, func(note string) bool { return strings.Contains(note, "ends within") })
		if listed := bytes.Contains(whole[:n], []byte("  "+notation.BinaryImages)) && n < second; cut == (n >= end+len("  "+notation.BinaryImages) || listed) && n < second {
			t.Fatalf("%d of %d bytes: notes %q", n, len(whole), last.Notes)
		}
		for _, p := range all {
			for _, th := range p.Threads {
				for _, node := range th.Nodes() {
					if node.Count != node.Self+sum(node.Children) {
						t.Fatalf("%d bytes: %+v", n, node)
					}
				}
			}
		}
	}
}

func TestReadSpindumpOdd(t *testing.T) {
	const thread = "  Thread 0x5    3 samples (1-3)    priority 4\n  3  a + 1 (x + 2) [0x1002]\n"
	for name, c := range map[string]struct {
		text string
		want string // a note
	}{
		"odd indent":    {thread + "     3  b [0x1]\n  Binary Images:\n", "could not be read: 1"},
		"skipped level": {thread + "      3  b [0x1]\n  Binary Images:\n", "could not be read: 1"},
		"no count":      {thread + "    x  b [0x1]\n  Binary Images:\n", "could not be read: 1"},
		"huge count":    {thread + "    9999999999999  b [0x1]\n  Binary Images:\n", "could not be read: 1"},
		"no images":     {thread + "\nProcess:          y [2]\n", "no list of images"},
		"nothing":       {"", "ends within"},
	} {
		p := readAll(t, []byte(spinHead+c.text))[0]
		if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, c.want) }) {
			t.Errorf("%s: notes %q", name, p.Notes)
		}
	}
	p := readAll(t, []byte("Command:          x\nPID:              7\n"+spinHead[:strings.Index(spinHead, spinProcess)]))[0]
	if p.Target.Name != "x" || p.Target.PID != 7 || len(p.Notes) != 1 {
		t.Errorf("%+v %q", p.Target, p.Notes)
	}
}

// Stacks that were taken now and then are those of all threads together.
func TestReadPowerstats(t *testing.T) {
	p := readAll(t, []byte(`Report Version:   29
Event:            cpu usage
Steps:            42

Powerstats for:   Client [516]
Architecture:     arm64
Primary state:    33 samples Frontmost App
  41  ??? (libsystem_pthread.dylib + 47928) [0x1a7fa4b38]
    40  ??? (libdispatch.dylib + 269520) [0x1a7f39cd0]

  Binary Images:
           0x1a7f99000 -        0x1a7fa8fff  libsystem_pthread.dylib <12342372-0084-37A5-9EA6-2E4DC940C685>  /usr/lib/system/libsystem_pthread.dylib
`))[0]
	if p.Target.PID != 516 || len(p.Threads) != 1 || p.Threads[0].Name != allThreads || p.Threads[0].Main || p.Threads[0].Samples != 41 || p.Threads[0].Roots[0].Self != 1 || len(p.Notes) != 0 {
		t.Errorf("%+v %+v %q", p.Target, p.Threads, p.Notes)
	}
	if want := (object.Bundle{}); len(p.Images) != 2 || p.Images[1].Path != "/usr/lib/system/libsystem_pthread.dylib" || p.Images[1].Bundle != want {
		t.Errorf("%+v", p.Images)
	}
}

// One sample has no interval.
func TestReadSpindumpOnce(t *testing.T) {
	for steps, want := range map[string]time.Duration{"1": 0, "2": 10 * time.Millisecond} {
		p := readAll(t, []byte(strings.Replace(spinHead, "3\n", steps+" (10ms sampling interval)\n", 1)))[0]
		if p.Interval != want || p.Sampled() != (want > 0) {
			t.Errorf("%s: %v", steps, p.Interval)
		}
	}
}

// The main thread is the oldest, unless it begins as others do.
func TestSpindumpMainThread(t *testing.T) {
	const other = "  Thread 0x7    3 samples (1-3)\n  3  start + 1 (dyld + 2) [0x1002]\n\n"
	for function, main := range map[string]bool{"_dispatch_sig_thread": true, "???": true, "thread_start": false, "start_wqthread": false} {
		p := readAll(t, []byte(spinHead+other+"  Thread 0x5    3 samples (1-3)\n  3  "+function+" [0x1]\n"))[0]
		if p.Threads[1].Main != main || p.Threads[0].Main {
			t.Errorf("%s: %t", function, p.Threads[1].Main)
		}
	}
}

// A report is bounded, in its nodes over all processes.
func TestSpindumpBounds(t *testing.T) {
	l := newLimits()
	l.nodes = maxBranches - 2
	r := newSpinReader()
	r.limits = l
	for line := range strings.Lines(spinHead + "  Thread 0x5    3 samples\n  3  a [0x1]\n    3  b [0x2]\n      3  c [0x3]\n  Thread 0x6    1 sample\n  1  d [0x4]\n") {
		r.read(strings.TrimRight(line, "\n"))
	}
	p := r.profiles()[0]
	if len(p.Threads) != 1 || len(p.Threads[0].Roots) != 1 || len(p.Threads[0].Roots[0].Children) != 1 {
		t.Errorf("%+v", p.Threads)
	}
	if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "too large") }) {
		t.Errorf("notes %q", p.Notes)
	}
	r = newSpinReader()
	r.limits.images = notation.MaxImages - 1
	image := " 0x%d0000 - 0x%d1000  x <5B424D44-FED2-3361-8D75-41795DA0FEF6>  /x%d\n"
	for line := range strings.Lines(spinHead + "  Binary Images:\n" + fmt.Sprintf(image+image, 1, 1, 1, 2, 2, 2)) {
		r.read(strings.TrimRight(line, "\n"))
	}
	if p := r.profiles()[0]; len(p.Images) != 1 || !r.limits.full {
		t.Errorf("%d images", len(p.Images))
	}
	r = newSpinReader()
	for range maxProcesses + 9 {
		r.begin("", "x [1]")
	}
	if n := len(r.profiles()); n != maxProcesses || !r.limits.full {
		t.Errorf("%d processes", n)
	}
}

// timed writes timelines, where there are any that are no longer than those of tests, and
// reads them again.
func timed(t *testing.T, all []*profile.Profile) {
	long := func(p *profile.Profile) bool { return p.Snapshots > 1<<12 }
	if slices.ContainsFunc(all, long) || timeline.Check(&profile.Group{Profiles: all}) != nil {
		return
	}
	text := timelineOf(t, all...)
	again, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(framesOf(text), framesOf(timelineOf(t, again...))); diff != "" {
		t.Fatalf("-written +again:\n%s", diff)
	}
}

func FuzzReadSpindump(f *testing.F) {
	text := timelineReport(f)
	f.Add(text)
	f.Add(text[:len(text)*2/3])
	f.Add([]byte(spun(f, hung())))
	f.Add([]byte(spun(f, appletest.Linux(), appletest.Linux())))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		again, err := Read(strings.NewReader(spun(t, all...)))
		if err != nil || len(again) != len(all) {
			t.Fatalf("%v: %d processes of %d", err, len(again), len(all))
		}
		spun(t, again...)
		timed(t, again)
	})
}

// The program is known by its UUID, the heavier of siblings come first, and who is waited
// for may be of another process.
func TestReadSpindumpFindings(t *testing.T) {
	p := readAll(t, []byte(strings.Replace(spinHead, "\n\n", "\n", 2)+`UUID:             5B424D44-FED2-3361-8D75-41795DA0FEF6
Path:             UNKNOWN PATH

  Thread 0x5    3 samples (1-3)
  3  a + 1 (x + 2) [0x10002] 1-3
    1  b + 1 (x + 4) [0x10004] (blocked by turnstile waiting for other [9] thread 0x5) 1
    2  c + 1 (x + 6) [0x10006] (blocked by turnstile waiting for x [1] thread 0x5) 2-3

  Binary Images:
             0x10000 -            0x1ffff  x <5B424D44-FED2-3361-8D75-41795DA0FEF6>  /usr/libexec/x
`))[0]
	if p.Main == nil || p.Main.Load != 0x10000 {
		t.Errorf("main %+v", p.Main)
	}
	th := p.Threads[0]
	if below := th.Roots[0].Children; len(below) != 2 || below[0].Function != "c" || below[1].Function != "b" {
		t.Errorf("%+v", below)
	}
	if w := th.Waits; len(w) != 2 || w[0].Looks != 2 || w[0].Owner != 5 || w[1].Owner != 0 || w[0].Call != "c" {
		t.Errorf("%+v", w)
	}
}

// TestReadSpindumpOwner: the owner is a thread of the process that the text names, by its
// number, behind "waiting for".
func TestReadSpindumpOwner(t *testing.T) {
	for object, want := range map[string]task.ThreadID{
		"turnstile waiting for x [1] thread 0x5": 5, "mutex waiting for x y [1] thread 0x5": 5,
		"turnstile waiting for x [2] thread 0x5": 0, "turnstile waiting for x [1] thread 0x6": 0, "turnstile waiting for x [1]": 0,
		"turnstile of x [1] thread 0x5": 0, "x [1] thread 0x5": 0, "turnstile waiting for x [1] thread 0x": 0, "turnstile waiting for x [1] thread 0x5z": 0,
	} {
		r := spinProcessReader{processReader: processReader{profile: &profile.Profile{Target: task.Info{PID: 1}, Threads: []*profile.Thread{{ID: 0, Name: "none"}, {ID: 5, Name: "five"}}}}}
		if w := r.wait(map[string]*profile.Waited{}, object, "__ulock_wait"); w.Owner != want || (w.OwnerName == "five") != (want == 5) || w.OwnerName == "none" || w.Object != object || w.Call != "ulock_wait" {
			t.Errorf("%s: %+v", object, w)
		}
	}
}
