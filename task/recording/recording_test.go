package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stacksnap/task"
)

var zone = time.FixedZone("CEST", 2*3600)

var header = Header{
	Target: task.Info{
		PID: 4711, Name: "target", Path: "/usr/bin/target", Arch: task.ARM64, OS: task.Darwin,
		OSVersion: "macOS 14.5 (23F79)", ParentPID: 1, ParentName: "launchd",
		Start: time.Date(2025, 6, 1, 12, 0, 0, 5, zone), PageSize: 16384, CodeMask: 1<<47 - 1,
		LoaderInfo: 0x1fff, LoaderPointerSize: 8, Translated: true, Live: true,
		Command:   task.Command{Args: []string{"target", "", "-x y"}, Cut: true},
		Machine:   task.Machine{Model: "Mac14,2", CPU: "Apple M2", CPUs: 8, Active: 7, Memory: 16 << 30},
		Footprint: task.Footprint{Now: 5 << 20, Peak: 1 << 40},
		Folder:    "/srv/a b", User: &task.User{ID: 1<<32 - 1, Name: "somebody"}, Group: &task.Group{Manager: "kubernetes", ID: "0123", Pod: "4567"},
		Tracer: &task.Tracer{PID: 812, Name: "gdb"},
		Crash:  &task.Crash{Signal: "SIGSEGV", Detail: "address 0x10 not mapped", Thread: 4711},
	},
	Tool:     "stacksnap 0.1",
	Interval: time.Millisecond,
}

// alike compares what a recording keeps.
var alike = cmp.Options{
	cmpopts.IgnoreUnexported(task.Snapshot{}, task.Thread{}),
	cmpopts.IgnoreFields(task.Snapshot{}, "Want"),
	cmpopts.IgnoreFields(Sample{}, "Still", "Same", "Changed"), // only told when it is read
	cmpopts.EquateEmpty(),
	// Compared as a whole, for speed.
	cmp.Comparer(func(a, b task.Registers) bool { return a == b }),
	cmp.Comparer(func(a, b task.Stack) bool {
		return a.Base == b.Base && a.Top == b.Top && bytes.Equal(a.Bytes, b.Bytes)
	}),
	cmp.Comparer(func(a, b error) bool { return errorText(a) == errorText(b) }),
	cmp.Comparer(func(a, b time.Time) bool {
		const layout = time.RFC3339Nano + " MST"
		return a.Format(layout) == b.Format(layout)
	}),
}

// random makes snapshots that follow each other like those of a process: most
// threads stay as they are, some move their stack pointer and change words, some
// come and go.
type random struct {
	*rand.Rand
	at      time.Time
	threads []task.Thread
	next    task.ThreadID
}

func newRandom(seed uint64) *random {
	return &random{Rand: rand.New(rand.NewPCG(seed, 1)), at: time.Date(2025, 11, 21, 8, 0, 0, 123, zone)}
}

func (r *random) sample() *Sample {
	r.at = r.at.Add(time.Duration(r.IntN(3e6) - 1e5))
	s := &Sample{
		Snapshot: &task.Snapshot{Time: r.at, Stopped: time.Duration(r.IntN(1e5)), Missed: r.IntN(8) / 7, Limit: 1 << (17 + r.IntN(2))},
	}
	s.MissedTicks, s.Stops, s.LongestStop = r.IntN(5)/3, 1, s.Stopped
	if r.IntN(3) == 0 {
		s.Stops, s.LongestStop = 2, s.Stopped/2
	}
	if r.IntN(5) == 0 {
		s.OtherStops = []time.Duration{1, time.Duration(r.IntN(1e6))}
		s.Notes = []string{fmt.Sprint("note ", r.IntN(9))}
	}
	if r.IntN(4) == 0 || len(r.threads) == 0 {
		r.threads = append(r.threads, r.thread())
	}
	if len(r.threads) > 0 && r.IntN(9) == 0 {
		i := r.IntN(len(r.threads))
		r.threads = append(r.threads[:i:i], r.threads[i+1:]...)
	}
	for i := range r.threads {
		if r.IntN(3) == 0 {
			r.threads[i] = r.change(r.threads[i])
		}
		if r.IntN(3) > 0 {
			s.Looks = append(s.Looks, Look{r.threads[i].ID, r.wait()})
		}
	}
	s.Whole = r.IntN(4) == 0
	s.Threads = append([]task.Thread(nil), r.threads...)
	return s
}

func (r *random) wait() *Wait {
	if r.IntN(2) == 0 {
		return nil
	}
	return &Wait{Call: "futex", Object: "fd 3", Lock: 1, Addr: 0x5000, Owner: task.ThreadID(r.IntN(3)), OwnerName: "other", OwnerPID: -1, Readers: 2, Receives: r.IntN(2) == 0, GoneOwner: task.ThreadID(r.IntN(2)), Gone: task.Outsider{Ended: r.IntN(2) == 0, Parent: r.IntN(2), ParentName: "parent"}, Variable: []string{"", "bank+8"}[r.IntN(2)], Peer: randomPeer(r), Stalled: randomStalled(r), Hung: r.IntN(2)}
}

func randomPeer(r *random) Peer {
	return []Peer{{}, {PID: 7, Action: 1, Self: true}, {PID: 12, Name: "cc1", Thread: 13, ThreadName: "worker", Action: 4, Others: true, AlsoSelf: true}}[r.IntN(3)]
}

func randomStalled(r *random) *task.Stalled {
	return []*task.Stalled{nil, {State: 4, Count: 2, Remote: "127.0.0.1:80", Since: 12e9, PID: 7, Name: "up", Others: 3}, {State: 3, Count: 1, Remote: "/run/up", Unread: 98}}[r.IntN(3)]
}

func (r *random) thread() task.Thread {
	r.next++
	return r.change(task.Thread{ID: r.next, Name: fmt.Sprint("thread ", r.next)})
}

func (r *random) change(t task.Thread) task.Thread {
	t.State = task.State(r.IntN(6))
	t.User += time.Duration(r.IntN(1e7))
	t.System = time.Duration(r.IntN(1e7))
	t.SuspendCount = r.IntN(5) - 2
	t.Same, t.Unstopped, t.Sure = r.IntN(2) == 0, r.IntN(5) == 0, max(0, r.IntN(9)-6)
	t.Kernel = nil
	for i := range r.IntN(4) {
		t.Kernel = append(t.Kernel, task.KernelFrame{Name: fmt.Sprint("function", i), Module: []string{"", "fuse"}[r.IntN(2)], Offset: uint64(r.IntN(3)), Size: 1 << 40})
	}
	t.Managed = slices.Concat(r.managed(), t.Managed[min(len(t.Managed), r.IntN(3)):])
	t.Queue = []string{"", "com.apple.main-thread"}[r.IntN(2)]
	t.RuntimeName = []string{"", "worker-3"}[r.IntN(2)]
	t.Goroutine = []task.Goroutine{{}, {ID: 7}, {ID: 7, Labels: []string{"handler", "/login"}}, {ID: 8}}[r.IntN(4)]
	t.QueueSerial = []uint64{0, 1, 1 << 63}[r.IntN(3)]
	t.Priority = task.Priority{Now: r.IntN(128) - r.IntN(2), Base: r.IntN(3)}
	t.QoS = task.QoS(r.IntN(int(task.UserInteractive) + 1))
	t.OnCPUState, t.Processor = task.OnCPUState(r.IntN(int(task.Queued)+1)), r.IntN(3)
	for _, d := range counted(&t.Schedule) {
		*d = max(0, *d+time.Duration(r.IntN(1e6)-1e5)*scheduleUnit)
	}
	t.NotRun = scheduleUnit * time.Duration(r.IntN(1e9)*r.IntN(2))
	if t.Lifetime = nil; r.IntN(3) == 0 {
		t.Lifetime = &task.Lifetime{Age: scheduleUnit * time.Duration(r.IntN(1e9)), Faults: r.Uint64(), DiskFaults: 1, Nice: r.IntN(40) - 20}
	}
	if t.Err = nil; r.IntN(5) == 0 {
		t.Err = &task.FaultError{Addr: task.Addr(r.Uint64()), Err: io.ErrNoProgress}
	}
	t.Registers.Arch = task.ARM64
	for range r.IntN(4) {
		t.Registers.Set(task.Reg(r.IntN(33)), r.Uint64())
	}
	t.Registers.Forget(task.Reg(r.IntN(33)))
	stacks := make([]task.Stack, r.IntN(3))
	for i := range stacks {
		stacks[i] = r.stack(t.Stacks)
	}
	t.Stacks = stacks
	return t
}

func (r *random) managed() (frames []task.ManagedFrame) {
	for i := range r.IntN(3) {
		frames = append(frames, task.ManagedFrame{Runtime: "CPython 3.12.1", Function: fmt.Sprint("function", i), File: []string{"", "app.py"}[r.IntN(2)], Line: r.IntN(9), Entry: r.IntN(2) == 0, Shim: task.Addr(r.IntN(2)) << 40})
	}
	return frames
}

func (r *random) stack(before []task.Stack) task.Stack {
	base := task.Addr(0x7fff0000 - r.IntN(300))
	s := task.Stack{Base: base, Bytes: make([]byte, r.IntN(400)), Top: 0x80000000}
	predict(s.Bytes, base, before)
	for i := range s.Bytes {
		if r.IntN(30) == 0 {
			s.Bytes[i] = byte(r.Uint32())
		}
	}
	return s
}

// ended is the end of every recording.
var ended = End{
	MissedTicks: 3, Notes: []string{"ended"},
	Tasks: []Task{
		{Runtime: "Go 1.26.1", ID: 7, Wait: "chan receive", Since: 5e9, Count: 5000, Creator: 0x10011, Frames: []TaskFrame{
			{PC: 0x10010, Why: "why"}, {PC: 0x10020, Return: true, By: 3},
		}, Stop: 2, Need: 0x7000, Detail: "detail", Objects: 1, On: &TaskObject{"chan", 0xc000100, 1, 2, 3, 4, 7}},
		{Runtime: "Go 1.26.1", ID: 2, System: true, Count: 1},
		{Runtime: "CPython 3.12.1", ID: 1 << 63, Name: "Task-1", Count: 1, Frames: []TaskFrame{
			{Managed: &task.ManagedFrame{Runtime: "CPython 3.12.1", Function: "fetch", File: "/srv/app.py", Line: 31, Entry: true, Shim: 0x5000}},
			{Managed: &task.ManagedFrame{}},
		}},
	},
	TaskCircles: []TaskCircle{{Runtime: "CPython 3.12.1", Tasks: []TaskInCircle{{1, "Task-1", "a"}, {2, "Task-2", ""}}}, {}},
}

// write makes a recording, and returns where each snapshot ended in it.
func write(t testing.TB, samples []*Sample) (file []byte, ends []int) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, header)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		if i == 0 {
			addFacts(w)
		}
		if err := w.AddSnapshot(s); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, b.Len())
	}
	if err := w.Close(ended); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), ends
}

var image = Image{
	Path: "/usr/lib/libc.so", Load: 0x7f0000, Slide: 0x7e0000, Main: true, Note: "deleted", Error: "half of it",
	Read: true, Arch: task.AMD64, ID: []byte{1, 2, 3}, Symbols: true, Generated: true,
	Variant: "x86_64h", BundleID: "org.example", BundleVersion: "1.2", BundleBuild: "3",
	Segments: []Segment{{Name: "__TEXT", VMAddr: 0x10000, Size: 0x2000, Offset: 0x1000, InFile: 0x1800, Prot: task.Read | task.Execute}},
}

var region = task.Region{Start: 0x1000, End: 0x3000, Prot: task.Execute, Shared: true, Path: "[jit]", Offset: 5, Dev: 6, Inode: 7, PathDeleted: true}

// addFacts tells a little of everything that is not a snapshot.
// places are the answer to one address.
var places = []Place{
	{Function: "inner", File: "/src/a.h", Line: 3, Column: 7},
	{Function: "outer", File: "/src/a.c", Line: 41, Low: 0x10000, High: 0x10020},
}

func addFacts(w *Writer) {
	n := w.AddImage(&image)
	w.SetMap(&Map{Images: []int{n}, Regions: []task.Region{region}})
	w.AddSymbol(&Answer{Image: n, Asked: 0x10010, Found: true, VMAddr: 0x10000, Size: 32, Name: "__read", Public: "read"})
	w.AddSymbol(&Answer{Image: n, Asked: 0x10110})
	w.AddSource(&Source{Image: n, Asked: 0x10010, Places: places})
	w.AddSource(&Source{Image: n, Asked: 0x10020, Places: make([]Place, maxPlaces+1)}) // left out
	w.AddStart(&Answer{Image: n, Asked: 0x10010, Found: true, VMAddr: 0x10000})
	w.AddData(&Answer{Image: n, Asked: 0x10010, Found: true, VMAddr: 0x10018, Size: 8})
	w.AddThumb(&Answer{Image: n, Asked: 0x10010, Found: true, Thumb: true})
	w.AddThumb(&Answer{Image: n, Asked: 0x10020, Found: true})
	w.AddSection(&Section{Image: n, Name: "eh_frame", VMAddr: 0x9000, Data: []byte("wrong")})
	w.AddSection(&Section{Image: n, Name: "eh_frame", VMAddr: 0x9000, Data: []byte("call frame ????"), Restart: true})
	w.AddSection(&Section{Image: n, Name: "eh_frame", VMAddr: 0x9000, Offset: 11, Data: []byte("info")})
	w.AddSection(&Section{Image: n, Name: "eh_frame", VMAddr: 0x9000, Offset: 15, Data: []byte("rmation")})
	w.AddSection(&Section{Image: n, Name: "eh_frame", VMAddr: 0x9000, Data: []byte("call")})
	w.AddSection(&Section{Image: n, Name: "unwind_info", Error: "cannot be read"})
	reads := NewReads(memory{})
	for _, a := range []task.Addr{0x1000, 0x103c, 0x2ffe} {
		_, _ = reads.ReadMemory(make([]byte, 9), a)
	}
	w.AddReads(reads)
}

// memory is readable up to 0x3000.
type memory struct{}

func (memory) ReadMemory(p []byte, a task.Addr) (int, error) {
	for i := range p {
		if a+task.Addr(i) >= 0x3000 {
			return i, &task.FaultError{Addr: a + task.Addr(i), Err: errors.New("bad address")}
		}
		p[i] = byte(a) + byte(i)
	}
	return len(p), nil
}

func open(t testing.TB, file []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// all gives the snapshots of a recording, and the error that ends them.
func all(r *Reader) iter.Seq2[*Sample, error] {
	return func(yield func(*Sample, error) bool) {
		for {
			s, err := r.Next()
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

func samples(seed uint64, n int) []*Sample {
	r := newRandom(seed)
	out := make([]*Sample, n)
	for i := range out {
		out[i] = r.sample()
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(10) {
		want := samples(seed, 40)
		file, _ := write(t, want)
		r := open(t, file)
		if d := cmp.Diff(header, r.Header(), alike); d != "" {
			t.Fatal(d)
		}
		if r.Snapshots() != len(want) || r.Cut() != nil {
			t.Fatalf("%d snapshots, cut: %v", r.Snapshots(), r.Cut())
		}
		if d := cmp.Diff(ended, r.End()); d != "" {
			t.Error(d)
		}
		n := 0
		for s, err := range all(r) {
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want[n], s, alike); d != "" {
				t.Fatalf("seed %d, snapshot %d: %s", seed, n, d)
			}
			checkFacts(t, r)
			n++
		}
		if n != len(want) {
			t.Errorf("%d snapshots of %d", n, len(want))
		}
	}
}

// checkFacts wants what addFacts told.
func checkFacts(t *testing.T, r *Reader) {
	t.Helper()
	files := r.Files()
	if r.Generation() != 1 || len(files) != 1 {
		t.Fatalf("generation %d with %d images", r.Generation(), len(files))
	}
	f := files[0]
	if d := cmp.Diff(image, f.Image); d != "" {
		t.Fatal(d)
	}
	if a := f.Symbol(0x10010); !a.Found || a.Name != "__read" || a.Public != "read" || a.VMAddr != 0x10000 || a.Size != 32 {
		t.Errorf("symbol %+v", a)
	}
	if f.Symbol(0x10110).Found || f.Symbol(0x10011).Found || f.FunctionStart(0x10011).Found {
		t.Error("there are answers to what was not asked or not found")
	}
	if got := f.Source(0x10010); !slices.Equal(got, places) || f.Source(0x10011) != nil || f.Source(0x10020) != nil {
		t.Errorf("source %+v", got)
	}
	if a := f.FunctionStart(0x10010); !a.Found || a.VMAddr != 0x10000 {
		t.Errorf("start %+v", a)
	}
	if a := f.DataInCode(0x10010); a != (Answer{Asked: 0x10010, Found: true, VMAddr: 0x10018, Size: 8}) || f.DataInCode(0x10011).Found {
		t.Errorf("data %+v", a)
	}
	if a, b := f.Thumb(0x10010), f.Thumb(0x10020); !a.Found || !a.Thumb || !b.Found || b.Thumb || f.Thumb(0x10011).Found {
		t.Errorf("Thumb %+v, %+v", a, b)
	}
	if s, ok := f.Section("eh_frame"); !ok || string(s.Data) != "call frame information" || s.VMAddr != 0x9000 {
		t.Errorf("section %+v", s)
	}
	if s, ok := f.Section("unwind_info"); !ok || s.Error != "cannot be read" {
		t.Errorf("section %+v", s)
	}
	for got, err := range r.Regions() {
		if d := cmp.Diff(region, got); d != "" || err != nil {
			t.Error(d, err)
		}
	}
	checkMemory(t, r.Memory())
}

func checkMemory(t *testing.T, m task.Memory) {
	t.Helper()
	var b [9]byte
	if n, err := m.ReadMemory(b[:], 0x103c); n != 9 || err != nil || b[8] != 0x44 {
		t.Errorf("%d bytes %x, %v", n, b, err)
	}
	n, err := m.ReadMemory(b[:], 0x2ffe)
	want := &task.FaultError{Addr: 0x3000, Err: errors.New("bad address")}
	if n != 2 || errorText(err) != want.Error() {
		t.Errorf("%d bytes, %v, want %v", n, err, want)
	}
	var fault *task.FaultError
	if n, err = m.ReadMemory(b[:], 0x5000); n != 0 || !errors.As(err, &fault) || fault.Addr != 0x5000 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// wantPrefix wants a damaged recording to give the first snapshots and no other.
// It returns how many.
func wantPrefix(t *testing.T, file []byte, want []*Sample) int {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return 0
	}
	n := 0
	for s, err := range all(r) {
		if err != nil {
			var cut *CutError
			if err != io.EOF && (!errors.As(err, &cut) || cut.Snapshots != n) || err == io.EOF && n != len(want) {
				t.Fatalf("after %d snapshots: %v", n, err)
			}
			break
		}
		if n == len(want) || !cmp.Equal(want[n], s, alike) {
			t.Fatalf("snapshot %d is not what was written", n)
		}
		n++
	}
	return n
}

// flushed is how many bytes deflate's flush may put behind the data: the end of a
// block, and an empty one.
const flushed = 8

func TestCutAnywhere(t *testing.T) {
	want := samples(7, 6)
	file, ends := write(t, want)
	for cut := range file {
		whole := 0
		for whole < len(ends) && ends[whole] <= cut {
			whole++
		}
		n := wantPrefix(t, file[:cut], want)
		if n == whole+1 && ends[whole]-cut <= flushed {
			continue // all of the snapshot is there
		}
		if n != whole {
			t.Fatalf("cut at %d of %d bytes: %d snapshots, want %d", cut, len(file), n, whole)
		}
	}
}

func TestCutIsTold(t *testing.T) {
	want := samples(7, 12)
	file, ends := write(t, want)
	r := open(t, file[:ends[4]+1])
	var cut *CutError
	if !errors.As(r.Cut(), &cut) || cut.Snapshots != 5 || !cut.Cut() {
		t.Errorf("cut: %v", r.Cut())
	}
	file[ends[4]+9] ^= 0x40
	r = open(t, file)
	if !errors.As(r.Cut(), &cut) || cut.Snapshots != 5 || cut.Cut() {
		t.Errorf("cut: %v", r.Cut())
	}
}

func TestFlippedBits(t *testing.T) {
	want := samples(3, 4)
	file, _ := write(t, want)
	const step = 3 // some bits of every byte
	for bit := 0; bit < 8*len(file); bit += step {
		file[bit/8] ^= 1 << (bit % 8)
		wantPrefix(t, file, want)
		file[bit/8] ^= 1 << (bit % 8)
	}
}
