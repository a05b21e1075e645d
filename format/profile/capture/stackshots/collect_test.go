package stackshots

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/stackshottest"
	"stacksnap/unwind"
)

func ref(n uint64) *uint64 { return &n }

func shotName(name string) (b [32]byte) {
	copy(b[:], name)
	return b
}

const (
	kernelAt = 0xffffff8000200000
	clientAt = 0x100000000
)

// shotOf is a stackshot of the kernel and of two programs, which wait for each other:
// the client for a reply of the server, and that for a mutex which the client holds.
func shotOf() *stackshot.Shot {
	wide := uint64(stackshot.User64 | stackshot.Kernel64)
	thread := func(id uint64, name string, flags uint64, frames ...uint64) stackshot.Thread {
		t := stackshot.Thread{ID: id, Name: name, Snapshot: &stackshot.ThreadSnapshot{ID: id, State: stackshot.StateWait, Flags: wide | flags}}
		for _, f := range frames {
			if f>>63 != 0 {
				t.Kernel = append(t.Kernel, stackshot.Frame{LR: f})
			} else {
				t.User = append(t.User, stackshot.Frame{LR: f})
			}
		}
		return t
	}
	return &stackshot.Shot{
		OSVersion: "Darwin Kernel Version 16.0.0: today; x/RELEASE_X86_64", AbsoluteTime: ref(100), Epoch: ref(1e15), Timebase: &stackshot.Timebase{Numer: 1, Denom: 1},
		Tasks: []stackshot.Task{
			{ID: 0, Snapshot: &stackshot.TaskSnapshot{NameOfProcess: shotName("kernel_task"), Flags: wide}, Images: []stackshot.LoadInfo{{Load: kernelAt, UUID: [16]byte{1}}},
				Threads: []stackshot.Thread{thread(0x64, "idle", 0, kernelAt+0x100, kernelAt+0x200)}},
			{ID: 11, Snapshot: &stackshot.TaskSnapshot{PID: 101, NameOfProcess: shotName("client"), Flags: wide}, Images: []stackshot.LoadInfo{{Load: clientAt, UUID: [16]byte{2}}},
				Threads: []stackshot.Thread{
					thread(0x70, "helper", 0),
					thread(0x71, "", stackshot.ThreadMain, kernelAt+0x300, clientAt+0x10, clientAt+0x20),
				},
				Waits:      []stackshot.WaitInfo{{Waiter: 0x71, Kind: uint8(stackshot.PortReceive), Flags: stackshot.SpecialReply}},
				Turnstiles: []stackshot.Turnstile{{Waiter: 0x71, Context: 0x81, Hops: 2, Flags: stackshot.TurnstileThread}}},
			{ID: 12, Snapshot: &stackshot.TaskSnapshot{PID: 102, NameOfProcess: shotName("server"), Flags: wide},
				Threads: []stackshot.Thread{thread(0x81, "worker", stackshot.ThreadMain|stackshot.ThreadUserCut, 0x7fff00000010)},
				Waits:   []stackshot.WaitInfo{{Waiter: 0x81, Kind: uint8(stackshot.PthreadMutex), Context: 0x5000, Owner: 0x71}}},
		},
	}
}

func profilesOf(t *testing.T, threads profile.ThreadFilter, from *binaries.Index, shots ...*stackshot.Shot) []*profile.Profile {
	t.Helper()
	list, err := Read(shots, nil, threads, from)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// stackText is the stacks of a profile, a line for each.
func stackText(p *profile.Profile) (lines []string) {
	for _, t := range p.Threads {
		line := fmt.Sprintf("%#x main=%t:", uint64(t.ID), t.Main)
		for _, n := range t.Nodes() {
			image := "-"
			if n.Image != nil {
				image = n.Image.Name()
				if image == "" {
					image = n.Image.Load.String()
				}
			}
			line += fmt.Sprintf(" %s%s+%#x/%d", map[bool]string{true: "k:"}[n.Kernel], image, n.Offset, n.Count)
			if n.Cut != nil {
				line += " cut"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestStackshotStacks(t *testing.T) {
	list := profilesOf(t, profile.ThreadFilter{}, nil, shotOf())
	var got []string
	for _, p := range list {
		got = append(got, p.Target.Name)
		got = append(got, stackText(p)...)
	}
	want := []string{
		"kernel_task", "0x64 main=false: k:kernel+0x200/1 k:kernel+0x100/1",
		"client", "0x71 main=true: 0x100000000+0x20/1 0x100000000+0x10/1 k:kernel+0x300/1", "0x70 main=false:",
		"server", "0x81 main=true: -+0x0/1 cut",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	client := list[1]
	if im := client.Images[0]; im.Load != clientAt || im.End != clientAt+0x21 || im.ID[0] != 2 || im.Arch != task.AMD64 {
		t.Errorf("%+v", im)
	}
	if helper := client.Threads[1]; helper.Err == "" || helper.Empty != 1 {
		t.Errorf("%+v", helper)
	}
	for i, n := range []unwind.Method{unwind.ByFramePointer, unwind.ByRegisters, unwind.ByFramePointer} {
		for depth, node := range client.Threads[0].Nodes() {
			if depth == i && (node.By != n || node.Return != (i != 1)) {
				t.Errorf("frame %d by %v, return %t", i, node.By, node.Return)
			}
		}
	}
	if client.Tool != stackshotTool || client.Start.IsZero() || client.Stops != 0 || client.Target.PID != 101 {
		t.Errorf("%+v", client)
	}
}

// TestStackshotReturnsBehindAnImage: a call that does not return may be an image's last
// instruction.
// TestStackshotStacksOfThreads has each thread's frames alone, and none of those before.
func TestStackshotStacksOfThreads(t *testing.T) {
	s := shotOf()
	s.Tasks[1].Threads[0].User = []stackshot.Frame{{LR: clientAt + 0x30}}
	s.Tasks[1].Threads[1].Kernel = nil
	got := stackText(profilesOf(t, profile.ThreadFilter{}, nil, s)[1])
	if want := []string{"0x71 main=true: 0x100000000+0x20/1 0x100000000+0x10/1", "0x70 main=false: 0x100000000+0x30/1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStackshotReturnsBehindAnImage(t *testing.T) {
	s := shotOf()
	c := &s.Tasks[1]
	c.Images = append(c.Images, stackshot.LoadInfo{Load: clientAt + 0x20, UUID: [16]byte{3}})
	p := profilesOf(t, profile.ThreadFilter{}, nil, s)[1]
	if len(p.Images) != 2 || p.Images[0].Load != clientAt {
		t.Errorf("%+v", p.Images)
	}
	c.Threads[1].User = []stackshot.Frame{{LR: clientAt + 0x30}, {LR: clientAt + 0x20}}
	p = profilesOf(t, profile.ThreadFilter{}, nil, s)[1]
	if got := stackText(p)[0]; got != "0x71 main=true: 0x100000000+0x20/1 0x100000020+0x10/1 k:kernel+0x300/1" {
		t.Error(got)
	}
}

// TestStackshotOfOneFrame is of a thread that has no more, and is a stack all the same.
func TestStackshotOfOneFrame(t *testing.T) {
	s := shotOf()
	s.Tasks[1].Threads[0].User = []stackshot.Frame{{LR: clientAt + 0x30}}
	for _, th := range profilesOf(t, profile.ThreadFilter{}, nil, s)[1].Threads {
		if th.Err != "" || th.Empty != 0 || len(th.Roots) != 1 {
			t.Errorf("thread %#x: error %q, %d samples without a frame", uint64(th.ID), th.Err, th.Empty)
		}
	}
}

// TestStackshotWithoutThreads is of a process that has none, and is one all the same.
func TestStackshotWithoutThreads(t *testing.T) {
	s := shotOf()
	s.Tasks[1].Threads = nil
	if list := profilesOf(t, profile.ThreadFilter{}, nil, s); len(list) != 3 || len(list[1].Threads) != 0 {
		t.Errorf("%d processes", len(list))
	}
}

// TestStackshotCache: a shared cache is told of where it is known at what address it begins.
func TestStackshotCache(t *testing.T) {
	id := [16]byte{7}
	for _, tt := range []struct {
		cache *stackshot.SharedCache
		want  *images.SharedCache
	}{
		{nil, nil},
		{&stackshot.SharedCache{UUID: id, Slide: 0x4000}, nil},
		{&stackshot.SharedCache{UUID: id, Slide: 0x4000, Base: 0x180000000}, &images.SharedCache{UUID: id, Slide: 0x4000, Base: 0x180000000}},
		{&stackshot.SharedCache{UUID: id, Slide: 0x4000, Base: 0x180000000, FirstMapping: 0x180004000}, &images.SharedCache{UUID: id, Slide: 0x4000, Base: 0x180004000}},
	} {
		s := shotOf()
		s.Tasks[1].SharedCache = tt.cache
		if diff := cmp.Diff(tt.want, profilesOf(t, profile.ThreadFilter{}, nil, s)[1].Cache); diff != "" {
			t.Errorf("%+v: %s", tt.cache, diff)
		}
	}
}

// TestStackshotCircle follows waits over processes.
func TestStackshotCircle(t *testing.T) {
	list := profilesOf(t, profile.ThreadFilter{}, nil, shotOf())
	w := list[1].MainThread().Wait
	want := &profile.Wait{Call: "mach_msg", Object: "a reply", Peer: profile.Peer{PID: 102, Name: "server", Thread: 0x81, ThreadName: "worker", Action: profile.Reply}}
	if w == nil || *w != *want {
		t.Errorf("%+v, want %+v", w, want)
	}
	w = list[2].MainThread().Wait
	want = &profile.Wait{Call: "psynch_mutexwait", Lock: profile.Mutex, Addr: 0x5000, Peer: profile.Peer{PID: 101, Name: "client", Thread: 0x71, Action: profile.Release}}
	if w == nil || *w != *want {
		t.Errorf("%+v, want %+v", w, want)
	}
	g := &profile.Group{Profiles: list}
	g.Deadlocks = profile.Circles(g.Waiters())
	a := headline.OfGroup(g)
	if a.Kind != headline.Circle || len(a.Links) != 2 {
		t.Errorf("%+v", a)
	}
}

func TestStackshotDeadlock(t *testing.T) {
	s := shotOf()
	s.Tasks[1].Turnstiles = nil
	s.Tasks[1].Waits = []stackshot.WaitInfo{
		{Waiter: 0x70, Owner: 0x71, Kind: uint8(stackshot.PthreadMutex), Context: 1},
		{Waiter: 0x71, Owner: 0x70, Kind: uint8(stackshot.UserLock), Context: 2},
	}
	p := profilesOf(t, profile.ThreadFilter{}, nil, s)[1]
	if len(p.Deadlocks) != 1 || len(p.Deadlocks[0].Waiters) != 2 || p.Deadlocks[0].Waiters[0].Wait.Owner != 0x71 {
		t.Errorf("%+v", p.Deadlocks)
	}
}

// TestStackshotSamples has a delta behind a stackshot.
func TestStackshotSamples(t *testing.T) {
	later := &stackshot.Shot{Delta: true, AbsoluteTime: ref(200), Since: ref(100), Epoch: ref(1e15 + 1e6), Tasks: []stackshot.Task{{
		ID: 11, Delta: &stackshot.TaskDelta{UniquePID: 11},
		Deltas:  []stackshot.ThreadDelta{{ID: 0x71, State: stackshot.StateWait}},
		Threads: []stackshot.Thread{{ID: 0x72, Snapshot: &stackshot.ThreadSnapshot{ID: 0x72, State: stackshot.StateRun}, User: []stackshot.Frame{{LR: clientAt + 0x40}}}},
	}}}
	list := profilesOf(t, profile.ThreadFilter{}, nil, shotOf(), later)
	client := list[1]
	got := stackText(client)
	want := []string{
		"0x71 main=true: 0x100000000+0x20/2 0x100000000+0x10/2 k:kernel+0x300/2", "0x70 main=false:", "0x72 main=false: 0x100000000+0x40/1",
	}
	if !slices.Equal(got, want) || client.Snapshots != 2 || client.Duration() != 1e9 || len(list) != 3 || list[0].Snapshots != 1 {
		t.Errorf("%d snapshots in %v\n%s", client.Snapshots, client.Duration(), strings.Join(got, "\n"))
	}
	alone := profilesOf(t, profile.ThreadFilter{}, nil, later)
	if len(alone) != 1 || alone[0].Target.Name != "task 11" || alone[0].MainThread() != nil || len(alone[0].Notes) == 0 {
		t.Errorf("%+v", alone[0])
	}
	later.Tasks = append(later.Tasks, stackshot.Task{ID: 13})
	if n := len(profilesOf(t, profile.ThreadFilter{}, nil, later)); n != 1 {
		t.Errorf("%d processes, one without threads", n)
	}
}

func TestStackshotChoice(t *testing.T) {
	list, err := Read([]*stackshot.Shot{shotOf()}, func(i task.Info) bool { return i.PID == 102 }, profile.ThreadFilter{}, nil)
	if err != nil || len(list) != 1 || list[0].Target.Name != "server" {
		t.Errorf("%+v, %v", list, err)
	}
	list = profilesOf(t, profile.ThreadFilter{Names: []string{"help*"}}, nil, shotOf())
	if len(list) != 3 || len(list[1].Threads) != 1 || list[1].Threads[0].Name != "helper" || len(list[2].Threads) != 0 {
		t.Errorf("%+v", list)
	}
	if _, err := Read(nil, nil, profile.ThreadFilter{Names: []string{"["}}, nil); err == nil {
		t.Error("a bad pattern")
	}
}

// TestStackshotMainThread has a thread that is older than the main one.
func TestStackshotMainThread(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stackshot.Shot)
		want   string
	}{
		"told":           {func(*stackshot.Shot) {}, "kernel_task[] client[0x71] server[0x81]"},
		"not told":       {func(s *stackshot.Shot) { s.Tasks[1].Threads[1].Snapshot.Flags &^= stackshot.ThreadMain }, "kernel_task[] client[0x70] server[0x81]"},
		"of what it has": {func(s *stackshot.Shot) { s.Delta, s.Tasks[1].Threads = true, s.Tasks[1].Threads[:1] }, "kernel_task[] client[] server[0x81]"},
	} {
		s := shotOf()
		c.change(s)
		var got []string
		for _, p := range profilesOf(t, profile.ThreadFilter{Main: true}, nil, s) {
			var ids []string
			for _, th := range p.Threads {
				ids = append(ids, fmt.Sprintf("%#x", uint64(th.ID)))
			}
			got = append(got, fmt.Sprintf("%s%v", p.Target.Name, ids))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestStackshotNames takes the names of an image that is at hand.
func TestStackshotNames(t *testing.T) {
	index, err := binaries.NewIndex(binaries.Places{Symbols: []string{"../../../../images/macho/testdata/mapped"}})
	if err != nil {
		t.Fatal(err)
	}
	uuid, err := hex.DecodeString("34f3dcd36fd039de9ff55cb98b5451f8")
	if err != nil {
		t.Fatal(err)
	}
	s := shotOf()
	s.Tasks[1].Images = []stackshot.LoadInfo{{Load: 0x10a000000, UUID: [16]byte(uuid)}}
	s.Tasks[1].Threads[1].User = []stackshot.Frame{{LR: 0x10a0004c4}, {LR: 0x10a000540}}
	p := profilesOf(t, profile.ThreadFilter{}, index, s)[1]
	var got []string
	for _, n := range p.MainThread().Nodes() {
		if !n.Kernel && !n.Inlined {
			got = append(got, n.Function)
		}
	}
	// The call in main returns to the first byte of _far: the one before it is main's.
	if len(got) != 2 || got[0] != "main" || got[1] == "" || p.Images[0].Name() != "mapped" {
		t.Errorf("%q in %q", got, p.Images[0].Path)
	}
}

func TestStackshotNotes(t *testing.T) {
	s := shotOf()
	s.Bad, s.Unknown, s.Cut = 1, 2, fmt.Errorf("torn")
	s.Durations = &stackshot.Durations{Outer: 7000}
	c := &s.Tasks[1]
	c.Ending = &stackshot.EndingTask{}
	c.Threads[1].Snapshot.Flags |= stackshot.ThreadKernelCut
	c.Threads[1].Async = []stackshot.Frame{{LR: 1}}
	notes := strings.Join(profilesOf(t, profile.ThreadFilter{}, nil, s)[1].Notes, "\n")
	for _, want := range []string{"not whole: torn", "1 item of", "2 items of", "about to end", "the kernel's part of 1 stack", "1 thread in asynchronous", "where an image begins", "ran meanwhile, for 7µs at most"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "changed since") {
		t.Error(notes)
	}
	if next := strings.Join(profilesOf(t, profile.ThreadFilter{}, nil, s)[2].Notes, "\n"); strings.Contains(next, "the kernel's part of") || strings.Contains(next, "asynchronous") {
		t.Errorf("told of another process, too:\n%s", next)
	}
}

// TestTakenBegins has what a stackshot tells of itself.
func TestTakenBegins(t *testing.T) {
	var v taken
	if v.begin(&stackshot.Shot{Missed: 3, Epoch: ref(1e15)}); v.snapshot.MissedTicks != 3 || v.snapshot.Time.IsZero() {
		t.Errorf("%+v", v.snapshot)
	}
}

func TestStackshotStops(t *testing.T) {
	user, kernel := stackshot.Place{Addr: 1}, stackshot.Place{Addr: 2, Kernel: true, Return: true}
	for _, c := range []struct {
		places   []stackshot.Place
		missing  stackshot.Missing
		isKernel bool
		want     unwind.Reason
	}{
		{nil, stackshot.Missing{}, false, unwind.NoRegisters},
		{[]stackshot.Place{kernel, user}, stackshot.Missing{}, false, unwind.Bottom},
		{[]stackshot.Place{kernel, user}, stackshot.Missing{Kernel: true}, false, unwind.Bottom},
		{[]stackshot.Place{kernel, user}, stackshot.Missing{User: true}, false, unwind.NotCaptured},
		{[]stackshot.Place{kernel}, stackshot.Missing{}, false, unwind.NotCaptured},
		{[]stackshot.Place{kernel}, stackshot.Missing{}, true, unwind.Bottom},
		{[]stackshot.Place{kernel}, stackshot.Missing{Kernel: true}, true, unwind.NotCaptured},
	} {
		if got := (&taken{places: c.places}).stackOf(c.missing, c.isKernel).Stop.Reason; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestStackshotTooDeep keeps as many frames as of other stacks, the innermost ones.
func TestStackshotTooDeep(t *testing.T) {
	for _, c := range []struct {
		frames int
		kept   int
		want   unwind.Reason
	}{{unwind.MaxFrames, unwind.MaxFrames, unwind.Bottom}, {unwind.MaxFrames + 1, unwind.MaxFrames, unwind.TooDeep}, {3 * unwind.MaxFrames, unwind.MaxFrames, unwind.TooDeep}} {
		s := shotOf()
		th := &s.Tasks[1].Threads[1]
		th.Kernel, th.User = nil, slices.Repeat([]stackshot.Frame{{LR: clientAt}}, c.frames)
		th.User[0].LR++
		shots, err := stackshot.Read(bytes.NewReader(stackshottest.Bytes(s)))
		if err != nil {
			t.Fatal(err)
		}
		places, missing := shots[0].Processes()[1].Stack(nil, 0x71)
		got := (&taken{places: places}).stackOf(missing, false)
		if len(got.Frames) != c.kept || got.Stop.Reason != c.want || got.Frames[0].PC != clientAt+1 {
			t.Errorf("%d frames: %d, %v", c.frames, len(got.Frames), got.Stop.Reason)
		}
	}
}

func TestStackshotWaits(t *testing.T) {
	s := shotOf()
	s.PortLabels = []stackshot.Label{{ID: 1, Name: "com.example.service", Info: &stackshot.PortLabel{ID: 1}}}
	wait := func(kind stackshot.WaitKind, owner, context uint64) stackshot.WaitInfo {
		return stackshot.WaitInfo{Waiter: 0x71, Kind: uint8(kind), Owner: owner, Context: context}
	}
	labelled := wait(stackshot.PortSend, 102, 9)
	labelled.PortLabel = 1
	minus := ^uint64(0)
	for name, c := range map[string]struct {
		from stackshot.WaitInfo
		want *profile.Wait
	}{
		"kernel mutex":    {wait(stackshot.KernelMutex, 0x70, 7), &profile.Wait{Lock: profile.KernelMutex, Addr: 7, Owner: 0x70, OwnerName: "helper"}},
		"of the kernel":   {wait(stackshot.KernelRWLockWrite, 0x64, 7), &profile.Wait{Lock: profile.KernelReadWrite, Addr: 7, Object: "held by thread 0x64 of kernel_task"}},
		"of nobody known": {wait(stackshot.KernelRWLockRead, 0x99, 7), &profile.Wait{Lock: profile.KernelReadWrite, Addr: 7, Object: "held by thread 0x99, which the stackshot does not have"}},
		"itself":          {wait(stackshot.PthreadMutex, 0x71, 7), &profile.Wait{Call: "psynch_mutexwait", Lock: profile.Mutex, Addr: 7, Owner: 0x71}},
		"a word":          {wait(stackshot.UserLock, 0, 7), &profile.Wait{Call: "ulock_wait", Object: "word 0x7"}},
		"unfair lock":     {wait(stackshot.UserLock, 0x81, 7), &profile.Wait{Call: "ulock_wait", Lock: profile.UnfairLock, Addr: 7, Peer: profile.Peer{PID: 102, Name: "server", Thread: 0x81, ThreadName: "worker", Action: profile.Release}}},
		"condition":       {wait(stackshot.PthreadCondition, 0, 7), &profile.Wait{Call: "psynch_cvwait", Object: "condition variable 0x7"}},
		"semaphore":       {wait(stackshot.Semaphore, 102, 0), &profile.Wait{Call: "semaphore_wait", Object: "semaphore of server [102]"}},
		"a child":         {wait(stackshot.OnProcess, 102, 0), &profile.Wait{Call: "wait4", Object: "process 102 to end", Peer: profile.Peer{PID: 102, Name: "server", Action: profile.End}}},
		"any child":       {wait(stackshot.OnProcess, minus, 0), &profile.Wait{Call: "wait4", Object: "a child process to end"}},
		"a group":         {wait(stackshot.OnProcess, minus-99, 0), &profile.Wait{Call: "wait4", Object: "a process of group 100 to end"}},
		"send":            {labelled, &profile.Wait{Call: "mach_msg", Object: "to send to a port that is full of com.example.service", Peer: profile.Peer{PID: 102, Name: "server", Action: profile.Read}}},
		"to the kernel":   {wait(stackshot.PortSend, stackshot.OwnerKernel, 9), &profile.Wait{Call: "mach_msg", Object: "to send to a port that is full, from which the kernel reads"}},
		"receive":         {wait(stackshot.PortReceive, 0x103, 9), &profile.Wait{Call: "mach_msg", Object: "a message on a port"}},
		"work loop":       {wait(stackshot.WorkloopSync, 0x70, 9), &profile.Wait{Call: "kevent_id", Lock: profile.Queue, Addr: 9, Owner: 0x70, OwnerName: "helper"}},
		"no thread yet":   {wait(stackshot.WorkloopSync, stackshot.OwnerRequested, 9), &profile.Wait{Call: "kevent_id", Lock: profile.Queue, Addr: 9, Object: "for which there is no thread yet"}},
		"event link":      {wait(stackshot.EventLink, 0x81, 0), &profile.Wait{Call: "mach_eventlink_wait_until", Object: "a signal from thread 0x81 of server [102]"}},
		"own event link":  {wait(stackshot.EventLink, 0x70, 0), &profile.Wait{Call: "mach_eventlink_wait_until", Object: "a signal from thread 0x70"}},
		"compressor":      {wait(stackshot.Compressor, 0x70, 3), &profile.Wait{Lock: profile.KernelLock, Addr: 3, Object: "of compressed memory", Owner: 0x70, OwnerName: "helper"}},
		"page":            {wait(stackshot.PageBusy, 0, 3), &profile.Wait{Call: profile.PageFault, Object: "a page that is busy"}},
		"unknown":         {wait(99, 0x70, 3), nil},
	} {
		s.Tasks[1].Waits, s.Tasks[1].Turnstiles = []stackshot.WaitInfo{c.from}, nil
		got := profilesOf(t, profile.ThreadFilter{}, nil, s)[1].MainThread().Wait
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
