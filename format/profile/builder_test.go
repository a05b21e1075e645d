package profile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// file has a function of 0x100 bytes for each name, from vmaddr 0x1000 on.
type file struct {
	names   []string
	lookups int
}

func (f *file) Symbol(v uint64) (object.Symbol, bool) {
	f.lookups++
	i := int(v-0x1000) / 0x100
	if v < 0x1000 || i >= len(f.names) {
		return object.Symbol{}, false
	}
	return object.Symbol{Name: f.names[i], VMAddr: 0x1000 + uint64(i)*0x100, Size: 0x100}, true
}

func (f *file) Segments() []object.Segment {
	return []object.Segment{
		{VMAddr: 0x1000, Size: 0x1000, Prot: task.Read | task.Execute},
		{VMAddr: 0x9000, Size: 0x1000, Prot: task.Read | task.Write},
	}
}

func (f *file) Arch() task.Arch  { return task.AMD64 }
func (f *file) ID() []byte       { return []byte{1, 2} }
func (f *file) HasSymbols() bool { return len(f.names) > 0 }
func (f *file) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}
func (f *file) FunctionStart(uint64) (uint64, bool) { return 0, false }
func (f *file) Close() error                        { return nil }
func mapOf(f *file, path string, load task.Addr) *images.Map {
	return images.NewMap([]object.Placed{{Path: path, Load: load, Slide: uint64(load) - 0x1000, Main: true, File: f}})
}

const load = 0x40000

var demo = &file{names: []string{"main", "work", "leaf"}}

// walk makes a stack of program counters in the demo, the outermost first.
func walk(pcs ...task.Addr) Stack {
	var s Stack
	for i, pc := range pcs {
		f := unwind.Frame{PC: load + pc, Return: i < len(pcs)-1, By: unwind.ByCFI}
		s.Frames = append([]unwind.Frame{f}, s.Frames...)
	}
	return s
}

func snapshot(threads ...task.Thread) *task.Snapshot {
	return &task.Snapshot{Time: time.Unix(1000, 0), Stopped: time.Millisecond, Threads: threads}
}

// outline writes a tree as one line: function+offset count/self (children).
func outline(nodes []*Node) string {
	var parts []string
	for _, n := range nodes {
		s := fmt.Sprintf("%s+%d %d/%d", n.Function, n.Offset, n.Count, n.Self)
		if n.Cut != nil {
			s = "cut " + s
		}
		if len(n.Children) > 0 {
			s += " (" + outline(n.Children) + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestOneSnapshot(t *testing.T) {
	b := NewBuilder(task.Info{PID: 7, OS: task.Linux}, "test")
	s := snapshot(task.Thread{ID: 5, Name: "w", State: task.Running}, task.Thread{ID: 7}, task.Thread{ID: 6, Err: errors.New("no registers")})
	b.Add(s, []Stack{walk(0x110), walk(0x10, 0x1f0), {Stop: unwind.Stop{Reason: unwind.NoRegisters}}}, mapOf(demo, "/demo", load))
	p := b.Profile()

	var order []task.ThreadID
	for _, th := range p.Threads {
		order = append(order, th.ID)
	}
	check(t, "main first, then by id", order, []task.ThreadID{7, 5, 6})
	check(t, "main", p.MainThread().ID, task.ThreadID(7))
	check(t, "stack", outline(p.Threads[0].Roots), "main+16 1/0 (work+240 1/1)")
	check(t, "frames, walks, bottoms, stops", []int{p.Frames, p.Walks, p.Bottoms, p.Stops}, []int{3, 3, 2, 1})
	check(t, "unread thread", []any{p.Threads[2].Err, p.Threads[2].Empty}, []any{"no registers", 1})
	check(t, "times", []time.Duration{p.Stopped, p.LongestStop, p.Duration()}, []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond})
	if len(p.Images) != 1 || p.Main != p.Images[0] {
		t.Fatalf("images %v, main %v", p.Images, p.Main)
	}
	check(t, "image", *p.Main, Image{Path: "/demo", Load: load, End: load + 0x1000, ID: []byte{1, 2}, Arch: task.AMD64, Main: true, Symbols: true})
}

// A call that is the last instruction of a function returns to the next one's
// start: the caller is the function before.
func TestReturnAddressAtEnd(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x100, 0x200)}, mapOf(demo, "/demo", load))
	check(t, "stack", outline(b.Profile().Threads[0].Roots), "main+256 1/0 (leaf+0 1/1)")
}

func TestMergeSamples(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1, OS: task.Linux}, "")
	m := mapOf(demo, "/demo", load)
	add := func(s Stack) {
		b.Add(snapshot(task.Thread{ID: 1, State: task.Running}), []Stack{s}, m)
	}
	add(walk(0x10, 0x110))
	add(walk(0x10, 0x120, 0x210))
	add(Stack{Repeat: true})
	add(walk(0x20, 0x110))
	cut := walk(0x120, 0x210)
	cut.Stop = unwind.Stop{Reason: unwind.NoCaller, Err: errors.New("nothing")}
	add(cut)
	p := b.Profile()
	th := p.Threads[0]
	check(t, "exact", outline(th.Roots),
		"main+16 3/0 (work+32 2/0 (leaf+16 2/2), work+16 1/1), main+32 1/0 (work+16 1/1), cut work+32 1/0 (leaf+16 1/1)")
	check(t, "cut", th.Roots[2].Cut.String(), "no caller found: nothing")
	merged := p.ByFunction().Threads[0]
	check(t, "by function", outline(merged.Roots),
		"main+16 4/0 (work+32 4/2 (leaf+16 2/2)), cut work+32 1/0 (leaf+16 1/1)")
	check(t, "also", merged.Roots[0].Also, []Address{{load + 0x20, 0x20}})
	check(t, "heaviest", outline(th.Heaviest()[2:]), "leaf+16 2/2")
	check(t, "samples", []int{th.Samples, th.First, th.Last, th.States[task.Running]}, []int{5, 0, 4, 5})
	check(t, "walks, bottoms, frames", []int{p.Walks, p.Bottoms, p.Frames}, []int{5, 4, 2 + 3 + 3 + 2 + 2})
	times, total := p.SelfTimes()
	check(t, "self", fmt.Sprintln(times[0].Function, times[0].Samples, times[1].Function, times[1].Samples, total), "leaf 3 work 2 5\n")
	check(t, "left as it was", outline(th.Roots[:1]), "main+16 3/0 (work+32 2/0 (leaf+16 2/2), work+16 1/1)")
}

// A guess is never merged with a frame that is certain.
func TestGuessStaysApart(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	m := mapOf(demo, "/demo", load)
	guess := walk(0x10, 0x110)
	guess.Frames[1].By, guess.Frames[1].Err = unwind.ByScan, errors.New("no rule")
	b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10, 0x110)}, m)
	b.Add(snapshot(task.Thread{ID: 1}), []Stack{guess}, m)
	roots := b.Profile().ByFunction().Threads[0].Roots
	check(t, "roots", len(roots), 2)
	check(t, "by", []any{roots[0].By, roots[0].Why, roots[1].By, roots[1].Why}, []any{unwind.ByCFI, "", unwind.ByScan, "no rule"})
}

func TestNamedOnceAMap(t *testing.T) {
	f := &file{names: demo.names}
	b := NewBuilder(task.Info{}, "")
	m := mapOf(f, "/demo", load)
	for range 10 {
		b.Add(snapshot(task.Thread{ID: 1}, task.Thread{ID: 2}), []Stack{walk(0x10, 0x110), walk(0x10, 0x110)}, m)
	}
	check(t, "look-ups", f.lookups, 2)
}

// The same address means another function when another file is mapped there.
func TestMapChanges(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	other := &file{names: []string{"plugin"}}
	maps := []*images.Map{mapOf(demo, "/demo", load), mapOf(other, "/other", load), mapOf(demo, "/demo", load), nil}
	for _, m := range maps {
		b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10)}, m)
	}
	p := b.Profile()
	check(t, "tree", outline(p.Threads[0].Roots), "main+16 3/3, plugin+16 1/1")
	check(t, "images", len(p.Images), 2)
}

func TestNoMap(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10)}, nil)
	n := b.Profile().Threads[0].Roots[0]
	check(t, "no image", n.Image == nil && n.Function == "" && n.PC == load+0x10, true)
}

func TestThreadIDReused(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	for _, th := range []task.Thread{
		{ID: 1, Name: "old", State: task.Running, User: 5}, {ID: 1, Name: "old", State: task.Running, User: 7},
		{ID: 1, Name: "new", State: task.Running, User: 1},
	} {
		b.Add(snapshot(th), []Stack{walk(0x10)}, nil)
	}
	p := b.Profile()
	check(t, "threads", len(p.Threads), 2)
	check(t, "old", []any{p.Threads[0].Name, p.Threads[0].Used, p.Threads[0].Samples}, []any{"old", time.Duration(2), 2})
	check(t, "new", []any{p.Threads[1].Name, p.Threads[1].First, p.Threads[1].Samples}, []any{"new", 2, 1})
}

// Facts of a thread that appeared during a stop come late or never.
func TestUndescribedThread(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	b.Add(snapshot(task.Thread{ID: 1, Name: "n", State: task.Sleeping, User: 5}), []Stack{walk(0x10)}, nil)
	b.Add(snapshot(task.Thread{ID: 1}), nil, nil)
	th := b.Profile().Threads[0]
	check(t, "thread", []any{th.Name, th.State, th.User, th.Samples, th.Empty, th.Err},
		[]any{"n", task.Sleeping, time.Duration(5), 2, 1, "registers not readable"})
}

func TestNotes(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	broken := images.NewMap([]object.Placed{{Path: "/x", Load: load, Err: errors.New("short")}})
	s := snapshot()
	s.Missed = 2
	b.Add(s, nil, broken)
	b.Note("a")
	b.Note("a")
	b.CountStop(time.Second)
	p := b.Profile()
	check(t, "notes", p.Notes, []string{"image /x could not be read: short", "a"})
	check(t, "missed, stops", []any{p.MissedThreads, p.Stops, p.LongestStop}, []any{2, 2, time.Second})
}

func TestMainOnDarwin(t *testing.T) {
	start := func(function string) []*Node {
		return []*Node{{Location: Location{Function: function}}}
	}
	for _, c := range []struct {
		name    string
		threads []*Thread
		want    int // index of the main thread; -1: none
	}{
		{"by queue", []*Thread{{ID: 1}, {ID: 2, Queue: mainQueue}}, 1},
		{"the oldest", []*Thread{{ID: 9, Roots: start("thread_start")}, {ID: 4, Roots: start("start")}}, 1},
		{"has ended", []*Thread{{ID: 9, Roots: start("thread_start")}}, -1},
		{"no threads", nil, -1},
	} {
		markMain(task.Info{OS: task.Darwin}, c.threads)
		for i, th := range c.threads {
			check(t, c.name, th.Main, i == c.want)
		}
	}
}

func TestFoldThreads(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1, OS: task.Linux}, "")
	idle := task.Thread{State: task.Sleeping, User: 3}
	var threads []task.Thread
	var stacks []Stack
	for id := task.ThreadID(1); id <= 6; id++ {
		th := idle
		th.ID, th.Name = id, fmt.Sprint("w", id)
		threads, stacks = append(threads, th), append(stacks, walk(0x10, 0x110))
	}
	threads[3].State = task.Running
	stacks[4] = walk(0x10, 0x120)
	b.Add(snapshot(threads...), stacks, mapOf(demo, "/demo", load))
	p := b.Profile()
	f := p.FoldThreads()
	var got []string
	for _, th := range f.Threads {
		got = append(got, fmt.Sprint(th.ID, th.Same, th.Weight(), int64(th.User)))
	}
	check(t, "entries", got, []string{"1 [] 1 3", "2 [{3 w3  0} {6 w6  0}] 3 9", "4 [] 1 3", "5 [] 1 3"})
	check(t, "left as it was", []int{len(p.Threads), len(p.Threads[1].Same), f.NumThreads()}, []int{6, 0, 6})
	check(t, "too few", len(p.FoldAlike(4).Threads), 6)
	check(t, "enough", len(p.FoldAlike(3).Threads), 4)
	check(t, "counted with those of an entry", len(f.FoldAlike(4).Threads), 4)
	check(t, "folded again", len(f.FoldThreads().Threads[1].Same), 2)
	times, total := f.SelfTimes()
	check(t, "self", []int{times[0].Samples, total}, []int{6, 6})
}

// TestTheQueueIsTheLastOneTold, with its own number, or with none where it has
// none, or where threads of several queues of one label are alike.
func TestTheQueueIsTheLastOneTold(t *testing.T) {
	queue := func(label string, serial uint64) task.Thread {
		return task.Thread{ID: 1, Queue: label, QueueSerial: serial}
	}
	of := func(th *Thread) string { return fmt.Sprint(th.Queue, " ", th.QueueSerial) }
	for want, snapshots := range map[string][]task.Thread{
		"a 17": {queue("a", 17), queue("", 0)},
		"b 18": {queue("a", 17), queue("b", 18)},
		"b 0":  {queue("a", 17), queue("b", 0)},
	} {
		b := NewBuilder(task.Info{PID: 1, OS: task.Darwin}, "")
		for _, th := range snapshots {
			b.Add(snapshot(th), []Stack{walk(0x10)}, mapOf(demo, "/demo", load))
		}
		check(t, want, of(b.Profile().Threads[0]), want)
	}
	for _, c := range []struct {
		serials []uint64
		want    string
	}{{[]uint64{17, 17, 17}, "a 17"}, {[]uint64{17, 18, 17}, "a 0"}, {[]uint64{17, 18, 0}, "a 0"}} {
		b := NewBuilder(task.Info{PID: 1, OS: task.Darwin}, "")
		threads := []task.Thread{{ID: 9}} // the main one
		stacks := []Stack{walk(0x10)}
		for i, serial := range c.serials {
			th := queue("a", serial)
			th.ID = task.ThreadID(10 + i)
			threads, stacks = append(threads, th), append(stacks, walk(0x10, 0x110))
		}
		b.Add(snapshot(threads...), stacks, mapOf(demo, "/demo", load))
		f := b.Profile().FoldThreads()
		check(t, "entries", len(f.Threads), 2)
		check(t, fmt.Sprint("of ", c.serials), of(f.Threads[1]), c.want)
	}
}

// TestATranslatedProgramShowsItsImages although no frame lies in one of them.
func TestATranslatedProgramShowsItsImages(t *testing.T) {
	for _, translated := range []bool{true, false} {
		b := NewBuilder(task.Info{PID: 1, OS: task.Darwin, Translated: translated}, "")
		b.Add(snapshot(task.Thread{ID: 1}), []Stack{{}}, mapOf(demo, "/demo", load))
		var paths []string
		for _, im := range b.Profile().Images {
			paths = append(paths, im.Path)
		}
		want := []string(nil)
		if translated {
			want = []string{"/demo"}
		}
		check(t, "images", paths, want)
		b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10)}, mapOf(demo, "/other", load))
		check(t, "with a frame", len(b.Profile().Images), 1)
	}
	check(t, "never mapped", len(NewBuilder(task.Info{Translated: true}, "").Profile().Images), 0)
}

func TestDeepStack(t *testing.T) {
	b := NewBuilder(task.Info{}, "")
	var s Stack
	for range unwind.MaxFrames {
		s.Frames = append(s.Frames, unwind.Frame{PC: load + 0x10, Return: true})
	}
	s.Stop.Reason = unwind.TooDeep
	b.Add(snapshot(task.Thread{ID: 1}), []Stack{s}, mapOf(demo, "/demo", load))
	th := b.Profile().ByFunction().FoldThreads().Threads[0]
	deepest := 0
	for depth := range th.Nodes() {
		deepest = max(deepest, depth)
	}
	check(t, "depth", deepest, unwind.MaxFrames-1)
	check(t, "cut", th.Roots[0].Cut.String(), "too many frames")
}

// What can be added is bounded by distinct stacks, not by samples.
func BenchmarkAdd(b *testing.B) {
	m := mapOf(demo, "/demo", load)
	builder := NewBuilder(task.Info{}, "")
	var pcs []task.Addr
	for i := range 50 {
		pcs = append(pcs, task.Addr(i*7%0x300))
	}
	s := snapshot(make([]task.Thread, 8)...)
	stacks := make([]Stack, 8)
	for i := range s.Threads {
		s.Threads[i].ID = task.ThreadID(i)
		stacks[i] = walk(pcs...)
	}
	b.ReportAllocs()
	for b.Loop() {
		builder.Add(s, stacks, m)
	}
}

func TestCrashedThreadIsFirst(t *testing.T) {
	threads := []*Thread{{ID: 1, Main: true}, {ID: 2}, {ID: 3}, {ID: 4}}
	crashedFirst(nil, threads)
	crashedFirst(&task.Crash{}, threads)
	crashedFirst(&task.Crash{Thread: 3}, threads)
	for i, want := range []task.ThreadID{3, 1, 2, 4} {
		if threads[i].ID != want {
			t.Errorf("thread %d at %d, want %d", threads[i].ID, i, want)
		}
	}
}
