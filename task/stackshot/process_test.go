package stackshot

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"stacksnap/task"
)

func ref(n uint64) *uint64 { return &n }

func named(name string) (b [32]byte) {
	copy(b[:], name)
	return b
}

const intel = "Darwin Kernel Version 16.0.0: Tue Jul 12 10:56:08 PDT 2016; root:xnu-3765/RELEASE_X86_64"

func TestInfo(t *testing.T) {
	shot := &Shot{OSVersion: intel, OSBuild: "16A1", PageSize: ref(4096), Epoch: ref(1468353090_500000)}
	own := &TaskSnapshot{PID: 568, NameOfProcess: named("target"), Start: 1468353083, Footprint: 1777664, Flags: User64}
	shot.Tasks = []Task{{ID: 1568, Snapshot: own}}
	shot.Ending = []Task{{ID: 9, Ending: &EndingTask{PID: 77, NameOfProcess: named("gone")}}}
	all := shot.Processes()
	want := task.Info{
		OS: task.Darwin, PID: 568, Name: "target", OSVersion: "Darwin 16.0.0 (16A1)", Arch: task.AMD64, PageSize: 4096,
		Footprint: task.Footprint{Now: 1777664}, Start: time.Unix(1468353083, 0),
	}
	if got := all[0].Info(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := all[1].Info(); got.PID != 77 || got.Name != "gone" || got.Arch != task.I386 {
		t.Errorf("%+v", got)
	}
	if got := shot.Time(); !got.Equal(time.Unix(1468353090, 5e8)) {
		t.Error(got)
	}
	if got := (&Shot{}).Time(); !got.IsZero() {
		t.Error(got)
	}
}

func TestArch(t *testing.T) {
	const arm = "Darwin Kernel Version 23.5.0: Wed; root:xnu-10063/RELEASE_ARM64_T6000"
	for _, c := range []struct {
		version string
		flags   uint64
		arch    *Architecture
		want    task.Arch
	}{
		{intel, User64, nil, task.AMD64}, {intel, 0, nil, task.I386}, {intel, Kernel64, nil, task.AMD64},
		{arm, User64, nil, task.ARM64}, {arm, 0, nil, task.ARM}, {arm, User64 | TaskTranslated, nil, task.AMD64},
		{"other", User64, nil, task.UnknownArch}, {"", 0, nil, task.UnknownArch},
		{arm, User64, &Architecture{Type: 0x01000007}, task.AMD64}, {"", 0, &Architecture{Type: 0x0100000c}, task.ARM64},
		{intel, User64, &Architecture{Type: 7}, task.I386}, {"", 0, &Architecture{Type: 12}, task.ARM},
	} {
		own := Task{Snapshot: &TaskSnapshot{Flags: c.flags}, Architecture: c.arch}
		if got := own.arch(&Shot{OSVersion: c.version}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestDescribe(t *testing.T) {
	shot := &Shot{Timebase: &Timebase{125, 3}}
	shot.Tasks = []Task{{ID: 5, Threads: []Thread{
		{ID: 11, Name: "worker", Label: "com.example.queue", Snapshot: &ThreadSnapshot{
			State: StateWait, Priority: 31, BasePriority: 20, RequestedQoS: 6, User: 24e6, System: 24, Flags: ThreadHasSerial | ThreadMain, QueueSerial: 9,
		}},
		{ID: 12, CPU: &CPUTimes{User: 7, System: 8}, Snapshot: &ThreadSnapshot{State: StateRun, User: 1 << 60, QueueSerial: 9, RequestedQoS: 7, Flags: ThreadOnCore}},
		{ID: 13},
	}}}
	p := shot.Processes()[0]
	var got task.Thread
	if err := p.Describe(11, &got); err != nil {
		t.Fatal(err)
	}
	want := task.Thread{
		ID: 11, Name: "worker", Queue: "com.example.queue", QueueSerial: 9, State: task.Sleeping, QoS: task.UserInteractive,
		Priority: task.Priority{Now: 31, Base: 20}, User: time.Second, System: time.Microsecond,
	}
	if !reflect.DeepEqual(got, want) || !p.Main(11) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	got = task.Thread{}
	_ = p.Describe(12, &got)
	want = task.Thread{ID: 12, State: task.Running, User: 7 * time.Microsecond, System: 8 * time.Microsecond}
	if !reflect.DeepEqual(got, want) || p.Main(12) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	got = task.Thread{}
	if err := p.Describe(13, &got); err != nil || !reflect.DeepEqual(got, task.Thread{ID: 13}) || p.Main(13) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := p.Describe(14, &got); !errors.Is(err, task.ErrThreadGone) {
		t.Error(err)
	}
}

func TestTimebase(t *testing.T) {
	for _, c := range []struct {
		base Timebase
		n    uint64
		want time.Duration
	}{
		{Timebase{1, 1}, 7, 7}, {Timebase{125, 3}, 24, 1000}, {Timebase{1, 0}, 7, 0}, {Timebase{1 << 31, 1}, 1 << 63, maxDuration}, {Timebase{1, 1}, 1 << 63, maxDuration},
		{Timebase{1 << 31, 1 << 31}, 1 << 40, 1 << 40},
	} {
		if got := c.base.duration(c.n); got != c.want {
			t.Errorf("%d by %+v: %d, want %d", c.n, c.base, got, c.want)
		}
	}
	if got := micros(1 << 63); got < 0 {
		t.Error(got)
	}
}

func TestState(t *testing.T) {
	for bits, want := range map[uint32]task.State{
		0: task.StateUnknown, StateWait: task.Sleeping, StateRun: task.Running, StateWait | StateUnstoppable: task.Uninterruptible,
		StateWait | StateSuspended: task.Stopped, StateRun | StateSuspended: task.Stopped, StateRun | StateIdle: task.Sleeping,
		StateEnding | StateRun: task.Ended, StateEnded | StateWait: task.Ended, StateUnstoppable | StateRun: task.Running,
	} {
		if got := state(bits); got != want {
			t.Errorf("%#x: %v, want %v", bits, got, want)
		}
	}
}

func TestStack(t *testing.T) {
	const kernel = 0xffffff8000001000
	shot := &Shot{Tasks: []Task{{ID: 5, Threads: []Thread{
		{ID: 1, Kernel: []Frame{{LR: kernel}, {LR: kernel + 8}, {}}, User: []Frame{{LR: 0x1000}, {LR: 0x2000}, {LR: 1}}, Async: []Frame{{LR: 7}}},
		{ID: 2, User: []Frame{{LR: 1}, {LR: 0x2000}, {LR: 0xfff}}},
		{ID: 3},
		{ID: 4, User: []Frame{{LR: 0x2000}, {LR: 0x1000}}},
	}}}}
	p := shot.Processes()[0]
	if got, _ := p.Stack(nil, 4); len(got) != 2 {
		t.Errorf("%+v", got)
	}
	got, _ := p.Stack(nil, 1)
	want := []Place{{kernel, true, true}, {kernel + 8, true, true}, {0x1000, false, false}, {0x2000, false, true}}
	if !slices.Equal(got, want) || !p.Async(1) || p.Async(2) || p.Async(9) {
		t.Errorf("%+v", got)
	}
	got, _ = p.Stack(got[:1], 2)
	if !slices.Equal(got, []Place{want[0], {1, false, false}, {0x2000, false, true}}) {
		t.Errorf("%+v", got)
	}
	for _, id := range []task.ThreadID{3, 9} {
		if got, m := p.Stack(nil, id); len(got) != 0 || m != (Missing{}) {
			t.Errorf("%d: %+v, %+v", id, got, m)
		}
	}
	for _, c := range []struct {
		flags uint64
		user  bool
		want  Missing
	}{
		{0, true, Missing{}}, {ThreadCut, true, Missing{User: true}}, {ThreadCut, false, Missing{Kernel: true}},
		{ThreadCut | ThreadKernelCut, true, Missing{Kernel: true}}, {ThreadCut | ThreadUserCut, true, Missing{User: true}},
		{ThreadUserCut | ThreadKernelCut, true, Missing{true, true}}, {ThreadCut | ThreadUserAsyncCut, true, Missing{}},
	} {
		th := Thread{Snapshot: &ThreadSnapshot{Flags: c.flags}}
		if c.user {
			th.User = []Frame{{LR: 1}}
		}
		if got := th.missing(); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestNoProcessIsThere(t *testing.T) {
	p := (&Shot{Tasks: []Task{{ID: 5, Threads: []Thread{{ID: 1}, {ID: 1}}}}}).Processes()[0]
	if n, err := p.Memory().ReadMemory(make([]byte, 1), 1); n != 0 || !errors.Is(err, errNoMemory) {
		t.Error(n, err)
	}
	for range p.Regions() {
		t.Error("a region")
	}
	resume, err := p.Suspend(task.StopOptions{})
	if err := errors.Join(err, resume(), p.Close()); err != nil {
		t.Error(err)
	}
	if err := p.Capture(1, &task.Thread{}); err == nil {
		t.Error("registers")
	}
	if ids, err := p.Threads(); err != nil || !slices.Equal(ids, []task.ThreadID{1}) {
		t.Error(ids, err)
	}
}

// lists are all images of a process, in the order of their addresses.
func lists(p *Process) (all []Image) {
	images := p.Images()
	for _, list := range images {
		for _, im := range list.Images {
			if at, ok := images.At(im.Load + task.Addr(list.Slide)); ok {
				all = append(all, at)
			}
		}
	}
	slices.SortFunc(all, func(a, b Image) int { return cmp.Compare(a.Load, b.Load) })
	return all
}

func TestImages(t *testing.T) {
	const kernel, kext = 0xffffff8000200000, 0xffffff7f80a00000
	kernelTask := Task{ID: 0, Images: []LoadInfo{{kernel, [16]byte{1}}, {kext, [16]byte{2}}}}
	own := &TaskSnapshot{Flags: User64}
	shot := func() *Shot {
		return &Shot{SharedCache: &SharedCache{Slide: 0x1000, UUID: [16]byte{9}, Base: 0x7fff00001000}, Tasks: []Task{kernelTask, {
			ID: 5, Snapshot: own, Images: []LoadInfo{{0x120000000, [16]byte{4}}, {0x100000000, [16]byte{3}}, {0, [16]byte{5}}},
		}}}
	}
	k := []Image{
		{kext, kext + maxImage, [16]byte{2}, "", true, false},
		{kernel, kernel + maxImage, [16]byte{1}, KernelName, true, false},
	}
	if got := lists(shot().Processes()[0]); !slices.Equal(got, k) {
		t.Errorf("kernel: %+v", got)
	}
	want := append([]Image{
		{0x100000000, 0x120000000, [16]byte{3}, "", false, false},
		{0x120000000, 0x160000000, [16]byte{4}, "", false, false},
		{0x7fff00001000, 0x7fff00001000 + maxCache, [16]byte{9}, SharedCacheName, false, false},
	}, k...)
	if got := lists(shot().Processes()[1]); !slices.Equal(got, want) {
		t.Errorf("program: %+v", got)
	}
	s := shot()
	s.Layout = []LoadInfo{{0x7fff00400000, [16]byte{12}}, {0x7fff00000000, [16]byte{11}}}
	want = slices.Replace(want, 2, 3,
		Image{0x7fff00001000, 0x7fff00401000, [16]byte{11}, "", false, false},
		Image{0x7fff00401000, 0x7fff00401000 + maxImage, [16]byte{12}, "", false, false})
	p := s.Processes()[1]
	if got := lists(p); !slices.Equal(got, want) {
		t.Errorf("with a layout: %+v", got)
	}
	if again := p.Images(); &p.Images()[1].Images[0] != &again[1].Images[0] || &s.Processes()[0].Images()[0].Images[0] != &again[0].Images[0] {
		t.Error("sorted again")
	}
	s = shot()
	s.Tasks[1].SharedCache = &SharedCache{UUID: [16]byte{8}, FirstMapping: 0x110000000}
	got := lists(s.Processes()[1])
	if len(got) != 5 || got[0].End != 0x110000000 || got[1] != (Image{0x110000000, 0x120000000, [16]byte{8}, SharedCacheName, false, false}) {
		t.Errorf("with another cache: %+v", got)
	}
}

func TestImageAt(t *testing.T) {
	all := Images{{Images: []Image{{Load: 0x1000}, {Load: 0x3000}}}, {}, {Images: []Image{{Load: 0x2000}, {Load: ^task.Addr(0) - 5}}}}
	for a, want := range map[task.Addr]task.Addr{
		0: 0, 0xfff: 0, 0x1000: 0x1000, 0x1fff: 0x1000, 0x2000: 0x2000, 0x2fff: 0x2000, 0x3000: 0x3000, 0x3000 + maxImage - 1: 0x3000,
		0x3000 + maxImage: 0, ^task.Addr(0) - 6: 0, ^task.Addr(0) - 5: ^task.Addr(0) - 5, ^task.Addr(0) - 1: ^task.Addr(0) - 5,
	} {
		if im, ok := all.At(a); ok != (want != 0) || ok && im.Load != want {
			t.Errorf("%v: %+v, %v", a, im, ok)
		}
	}
}

// TestImagesWithASlide: those that it moves out of the address space are nowhere.
func TestImagesWithASlide(t *testing.T) {
	const high = ^task.Addr(0) - 0xfff
	all := Images{{Images: []Image{{Load: 0x500}}}, {[]Image{{Load: 0x1000}, {Load: 0x3000}, {Load: high}}, 0x10000}}
	for a, want := range map[task.Addr]Image{
		0x4ff: {}, 0x500: {Load: 0x500, End: 0x11000}, 0x10fff: {Load: 0x500, End: 0x11000}, 0x11000: {Load: 0x11000, End: 0x13000},
		0x12fff: {Load: 0x11000, End: 0x13000}, 0x13000: {Load: 0x13000, End: 0x13000 + maxImage}, high: {},
	} {
		if im, ok := all.At(a); ok != (want.Load != 0) || ok && im != want {
			t.Errorf("%v: %+v, %v", a, im, ok)
		}
	}
}

// TestLayoutIsSortedOnce has caches of one layout at several places.
func TestLayoutIsSortedOnce(t *testing.T) {
	s := &Shot{SharedCache: &SharedCache{UUID: [16]byte{9}}, Layout: []LoadInfo{{0x2000, [16]byte{2}}, {0x1000, [16]byte{1}}}}
	const count = 3
	for i := range uint64(count) {
		s.Tasks = append(s.Tasks, Task{ID: i + 1, SharedCache: &SharedCache{UUID: [16]byte{9}, Slide: i << 32}})
	}
	for i, p := range s.Processes() {
		at := task.Addr(i)<<32 + 0x1fff
		if im, ok := p.Images().At(at); !ok || im.UUID[0] != 1 || im.End != at+1 {
			t.Errorf("%v: %+v", at, im)
		}
	}
	if len(s.layouts) != 1 {
		t.Errorf("%d lists of images for %d caches of a layout", len(s.layouts), count)
	}
}

// TestImagesAreLookedForOnce where there are none.
func TestImagesAreLookedForOnce(t *testing.T) {
	s := &Shot{SharedCache: &SharedCache{UUID: [16]byte{9}}, Layout: []LoadInfo{{}}, Tasks: []Task{{ID: 5, Snapshot: &TaskSnapshot{Flags: User64}}}}
	p := s.Processes()[0]
	p.Images()
	s.Tasks = append(s.Tasks, Task{ID: 0, Images: []LoadInfo{{Load: 1 << 40}}})
	s.Layout[0].Load = 1 << 32
	for _, list := range p.Images() {
		if len(list.Images) > 0 {
			t.Errorf("looked again, and found %+v", list)
		}
	}
}

func TestKernelCaches(t *testing.T) {
	shot := &Shot{Tasks: []Task{{ID: 0, KernelCache: &LoadInfo{0xfffffff007004000, [16]byte{1}}}}}
	if got := lists(shot.Processes()[0]); len(got) != 1 || got[0].Name != KernelCacheName || !got[0].Kernel || !got[0].Inside {
		t.Errorf("%+v", got)
	}
	shot = &Shot{Tasks: []Task{{ID: 0, TextExec: []LoadInfo{{0xfffffff007004000, [16]byte{1}}, {0xfffffff008004000, [16]byte{2}}}}}}
	got := lists(shot.Processes()[0])
	if len(got) != 2 || got[0].Name != KernelName || got[1].Name != "" || !got[0].Inside || !got[1].Inside {
		t.Errorf("%+v", got)
	}
}

func TestWhichCache(t *testing.T) {
	system := &SharedCache{UUID: [16]byte{9}}
	shot := &Shot{SharedCache: system, Caches: []Cache{{ID: 3, Info: SharedCache{ID: 3, UUID: [16]byte{3}}, Layout: []LoadInfo{{1, [16]byte{}}}}}}
	for _, c := range []struct {
		name string
		task Task
		want [16]byte
	}{
		{"the system's", Task{ID: 1, Snapshot: &TaskSnapshot{Flags: User64}}, system.UUID},
		{"32 bits", Task{ID: 1, Snapshot: &TaskSnapshot{}}, [16]byte{}},
		{"none", Task{ID: 1, Snapshot: &TaskSnapshot{Flags: User64 | noCache}}, [16]byte{}},
		{"the kernel", Task{ID: 0, Snapshot: &TaskSnapshot{Flags: User64}}, [16]byte{}},
		{"another", Task{ID: 1, CacheID: ref(3), Snapshot: &TaskSnapshot{Flags: User64}}, [16]byte{3}},
		{"unknown", Task{ID: 1, CacheID: ref(4), Snapshot: &TaskSnapshot{Flags: User64}}, [16]byte{}},
	} {
		got, layout := (&Process{Shot: shot, Task: &c.task}).Cache()
		if (got == nil) != (c.want == [16]byte{}) || got != nil && got.UUID != c.want || (len(layout) > 0) != (c.name == "another") {
			t.Errorf("%s: %+v, %v", c.name, got, layout)
		}
	}
	shot.SharedCache.UUID = [16]byte{}
	if got, _ := (&Process{Shot: shot, Task: &Task{ID: 1, Snapshot: &TaskSnapshot{Flags: User64}}}).Cache(); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestWaits(t *testing.T) {
	shot := &Shot{PortLabels: []Label{{ID: 1, Name: "com.example.service", Info: &PortLabel{ID: 1}}, {ID: 2}}}
	any := ^uint64(0)
	for _, c := range []struct {
		name  string
		info  WaitInfo
		stile *Turnstile
		want  Waiting
	}{
		{"mutex", WaitInfo{Owner: 7, Waiter: 5, Context: 9, Kind: uint8(PthreadMutex)}, nil, Waiting{Waiter: 5, Kind: PthreadMutex, Context: 9, Owner: 7, Thread: 7}},
		{"spinning", WaitInfo{Owner: any - 5, Waiter: 5, Kind: uint8(KernelMutex)}, nil, Waiting{Waiter: 5, Kind: KernelMutex, Owner: any - 5}},
		{"suspended", WaitInfo{Owner: OwnerSuspended, Waiter: 5, Kind: uint8(WorkloopSync)}, nil, Waiting{Waiter: 5, Kind: WorkloopSync, Owner: OwnerSuspended}},
		{"send", WaitInfo{Owner: 99, Waiter: 5, Kind: uint8(PortSend), PortLabel: 1}, nil, Waiting{Waiter: 5, Kind: PortSend, Owner: 99, PID: 99, Service: "com.example.service"}},
		{"to the kernel", WaitInfo{Owner: OwnerKernel, Waiter: 5, Kind: uint8(PortSend)}, nil, Waiting{Waiter: 5, Kind: PortSend, Owner: OwnerKernel}},
		{"any child", WaitInfo{Owner: any, Waiter: 5, Kind: uint8(OnProcess)}, nil, Waiting{Waiter: 5, Kind: OnProcess, Owner: any}},
		{"a group", WaitInfo{Owner: any - 99, Waiter: 5, Kind: uint8(OnProcess)}, nil, Waiting{Waiter: 5, Kind: OnProcess, Owner: any - 99}},
		{"a child", WaitInfo{Owner: 99, Waiter: 5, Kind: uint8(OnProcess)}, nil, Waiting{Waiter: 5, Kind: OnProcess, Owner: 99, PID: 99}},
		{"receive", WaitInfo{Owner: 0x103, Waiter: 5, Kind: uint8(PortReceive)}, nil, Waiting{Waiter: 5, Kind: PortReceive, Owner: 0x103}},
		{"reply of a thread", WaitInfo{Owner: 0x103, Waiter: 5, Kind: uint8(PortReceive), Flags: SpecialReply},
			&Turnstile{Waiter: 5, Context: 77, Hops: 2, Flags: TurnstileThread, PortLabel: 1},
			Waiting{Waiter: 5, Kind: PortReceive, Owner: 0x103, Reply: true, Thread: 77, Hops: 2, Service: "com.example.service"}},
		{"reply of a task", WaitInfo{Waiter: 5, Kind: uint8(PortReceive), Flags: SpecialReply},
			&Turnstile{Waiter: 5, Context: 77, Hops: 1, Flags: TurnstileTask}, Waiting{Waiter: 5, Kind: PortReceive, Reply: true, PID: 77, Hops: 1}},
		{"a work queue", WaitInfo{Waiter: 5, Kind: uint8(PortReceive)}, &Turnstile{Waiter: 5, Context: 77, Hops: 1, Flags: 4}, Waiting{Waiter: 5, Kind: PortReceive}},
		{"nobody", WaitInfo{Waiter: 5, Kind: uint8(PortReceive)}, &Turnstile{Waiter: 5, Hops: 1, Flags: TurnstileThread}, Waiting{Waiter: 5, Kind: PortReceive}},
		{"another's turnstile", WaitInfo{Waiter: 5, Kind: uint8(PortReceive)}, &Turnstile{Waiter: 6, Context: 77, Flags: TurnstileThread}, Waiting{Waiter: 5, Kind: PortReceive}},
		{"the owner goes first", WaitInfo{Owner: 7, Waiter: 5, Kind: uint8(UserLock)}, &Turnstile{Waiter: 5, Context: 77, Flags: TurnstileThread, Hops: 3}, Waiting{Waiter: 5, Kind: UserLock, Owner: 7, Thread: 7}},
		{"a condition", WaitInfo{Owner: 7, Waiter: 5, Kind: uint8(PthreadCondition)}, nil, Waiting{Waiter: 5, Kind: PthreadCondition, Owner: 7}},
	} {
		one := Task{ID: 1, Waits: []WaitInfo{c.info}}
		if c.stile != nil {
			one.Turnstiles = []Turnstile{*c.stile}
		}
		shot.Tasks = []Task{one}
		got := shot.Processes()[0].Waits()
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
