package format

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// codeFile has a function of 0x100 bytes for each name, from vmaddr 0x1000 on. The second
// has another one inlined at its start.
type codeFile struct {
	names  []string
	source string
	id     []byte
}

func (f *codeFile) Symbol(v uint64) (object.Symbol, bool) {
	i := int(v-0x1000) / 0x100
	if v < 0x1000 || i >= len(f.names) {
		return object.Symbol{}, false
	}
	return object.Symbol{Name: f.names[i], VMAddr: 0x1000 + uint64(i)*0x100, Size: 0x100}, true
}

func (f *codeFile) Source(v uint64) []object.Source {
	if v < 0x1100 || v >= 0x1180 {
		return nil
	}
	return []object.Source{{Function: "tiny", File: f.source, Line: 7}, {Function: f.names[1], File: f.source, Line: 31, Column: 4}}
}

func (f *codeFile) Segments() []object.Segment {
	return []object.Segment{{VMAddr: 0x1000, Size: 0x1000, Prot: task.Read | task.Execute}}
}

func (f *codeFile) Arch() task.Arch  { return task.AMD64 }
func (f *codeFile) ID() []byte       { return f.id }
func (f *codeFile) HasSymbols() bool { return true }
func (f *codeFile) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}
func (f *codeFile) FunctionStart(uint64) (uint64, bool) { return 0, false }
func (f *codeFile) Close() error                        { return nil }

const codeLoad = 0x400000

// timedNamed is the profile of timed, but that what the target names has one name.
func timedNamed(name string) *profile.Profile {
	return timedWith("/"+name, "/src/"+name, name, []string{name, name + "2", name + "3", name + "4"})
}

// timed is a sampling with timelines: the main thread waits in its run loop, works for
// 400 ms, waits again; another one waits for a lock that the main thread has, and a
// third is there for a while.
func timed() *profile.Profile {
	return timedWith("/tmp/demo", "/src/demo.c", "worker", []string{"main", "work", "epoll_wait", "lock_wait"})
}

func timedWith(path, source, thread string, names []string) *profile.Profile {
	f := &codeFile{names: names, source: source, id: id("5f0e1d2c3b4a59687786a5b4c3d2e1f00f1e2d3c")}
	m := images.NewMap([]object.Placed{{Path: path, Load: codeLoad, Slide: codeLoad - 0x1000, Main: true, File: f}})
	b := profile.NewBuilder(task.Info{PID: 4242, Name: thread, Path: path, Arch: task.AMD64, OS: task.Linux, OSVersion: "Linux 6.1", Live: true}, "stacksnap 1.0")
	b.KeepTimelines()
	b.SetInterval(10*time.Millisecond, 0)
	ran := time.Second
	for i := range 60 {
		s := &task.Snapshot{Time: time.Date(2025, 11, 21, 8, 1, 2, 0, zone).Add(time.Duration(i) * 10 * time.Millisecond), Stopped: time.Microsecond}
		loop, working := codeStack(0x010, 0x220), codeStack(0x014, 0x150)
		main := task.Thread{ID: 4242, Name: thread, State: task.Sleeping, Schedule: task.Schedule{Ran: ran, Queued: 1}}
		stacks := []profile.Stack{loop}
		if i >= 10 && i < 50 {
			ran += 9 * time.Millisecond
			main.State, main.Schedule.Ran = task.Running, ran
			stacks[0] = working
		}
		s.Threads = append(s.Threads, main, task.Thread{ID: 4243, Name: thread, State: task.Sleeping, Schedule: task.Schedule{Ran: 1000, Queued: 1}})
		stacks = append(stacks, codeStack(0x120, 0x330))
		if i >= 20 && i < 30 {
			s.Threads = append(s.Threads, task.Thread{ID: 4244, State: task.Uninterruptible})
			lost := codeStack(0x990)
			lost.Stop.Reason = unwind.NoCaller
			if i == 25 {
				lost.Frames = nil
			}
			stacks = append(stacks, lost)
		}
		b.Add(s, stacks, m)
		if i%20 == 5 || i == 55 {
			b.Look(timedLooks(i), true)
		}
	}
	return b.Profile()
}

func timedLooks(i int) []profile.Look {
	looks := []profile.Look{{Thread: 4243, Wait: &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 0x7f0010, Owner: 4242, OwnerName: "demo"}}}
	if i < 10 || i >= 50 {
		looks = append(looks, profile.Look{Thread: 4242, Wait: &profile.Wait{Call: "epoll_wait", Object: "fd 5"}})
	}
	return looks
}

// codeStack has frames at these places, the outermost first.
func codeStack(pcs ...task.Addr) (s profile.Stack) {
	for i, pc := range pcs {
		f := unwind.Frame{PC: codeLoad + pc, Return: i < len(pcs)-1, By: unwind.ByCFI}
		s.Frames = append([]unwind.Frame{f}, s.Frames...)
	}
	return s
}

// TestHangs: long absences from a run loop are told, of threads that have one.
func TestHangs(t *testing.T) {
	p := timed()
	want := []absence{{100 * time.Millisecond, 500 * time.Millisecond, 40}}
	if diff := cmp.Diff(want, longAbsences(p, p.Find(4242)), cmp.AllowUnexported(absence{})); diff != "" {
		t.Error(diff)
	}
	if all := longAbsences(p, p.Find(4243)); all != nil {
		t.Errorf("%v of one that has no run loop", all)
	}
}

// TestStretches: samples that found the same are put together where they follow each other.
func TestStretches(t *testing.T) {
	p := timed()
	type row struct {
		From, Until    time.Duration
		Samples, Looks int
		State          task.State
		Waits, Frame   bool
	}
	rows := func(id task.ThreadID) (all []row) {
		for s := range stretches(p, p.Find(id)) {
			all = append(all, row{s.At / time.Millisecond, s.Until / time.Millisecond, s.samples, s.looks, s.State, s.waits(), s.Node != nil})
		}
		return all
	}
	for id, want := range map[task.ThreadID][]row{
		4242: {{0, 100, 10, 1, task.Sleeping, true, true}, {100, 500, 40, 0, task.Running, false, true}, {500, 600, 10, 1, task.Sleeping, true, true}},
		4243: {{0, 600, 60, 4, task.Sleeping, true, true}},
		4244: {{200, 250, 5, 0, task.Uninterruptible, false, true}, {250, 260, 1, 0, task.Uninterruptible, false, false}, {260, 300, 4, 0, task.Uninterruptible, false, true}},
	} {
		if diff := cmp.Diff(want, rows(id)); diff != "" {
			t.Errorf("thread %d (-want +got):\n%s", id, diff)
		}
	}
}

// wallOf are the nanoseconds for which functions were on the stack and innermost, as
// samples stand for the time to the next snapshot.
func wallOf(p *profile.Profile) counts {
	c := counts{}
	for t := range threadsByFunction(p) {
		times := map[*profile.Node]int64{}
		for m := range p.Moments(t) {
			times[m.Node] += (m.Until - m.At).Nanoseconds()
		}
		c.add(noStack, map[string]bool{noStack: true}, times[nil])
		var path []string
		for depth, n := range t.Nodes() {
			path = append(path[:depth], label(n))
			on := map[string]bool{}
			for _, name := range path {
				on[name] = true
			}
			if n.Cut != nil {
				on[cutLabel(n.Cut)] = true
			}
			c.add(label(n), on, times[n])
		}
	}
	for name, n := range c {
		if n[1] == 0 {
			delete(c, name)
		}
	}
	return c
}

// TestStretchesOfChoice: what a view leaves out is in no stretch, also between two alike.
func TestStretchesOfChoice(t *testing.T) {
	p := timed().Select(matching("epoll"), nil, nil)
	var got [][2]time.Duration
	for s := range stretches(p, p.Find(4242)) {
		got = append(got, [2]time.Duration{s.At, s.Until})
	}
	want := [][2]time.Duration{{0, 100 * time.Millisecond}, {500 * time.Millisecond, 600 * time.Millisecond}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
