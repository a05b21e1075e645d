package profile

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/images"
	"stacksnap/task"
)

// seenAt is a sample of a thread, as a test has it.
type seenAt struct {
	Snapshot  int
	At, Until time.Duration
	Stack     string // program counters, the outermost first
	State     task.State
	CPU       time.Duration
}

// history is what the threads of a made-up process did.
type history struct {
	m     *images.Map
	rand  *rand.Rand
	now   time.Duration
	doing []doing
	want  map[task.ThreadID][]seenAt
	count int
}

type doing struct {
	thread task.Thread
	stack  []task.Addr
	cpu    time.Duration // since the sample before; negative: there is none
	seen   bool
}

func newHistory(seed uint64, threads int) *history {
	h := &history{m: mapOf(demo, "/demo", load), rand: rand.New(rand.NewPCG(seed, 1)), want: map[task.ThreadID][]seenAt{}}
	for i := range threads {
		h.doing = append(h.doing, doing{thread: task.Thread{ID: task.ThreadID(10 + i), Schedule: task.Schedule{Ran: time.Second, Queued: 1}}})
	}
	return h
}

// change has a thread do something else, or the same for longer.
func (h *history) change(d *doing) {
	if d.cpu = 0; h.rand.IntN(3) > 0 {
		d.cpu = time.Duration(h.rand.IntN(2000)) * time.Microsecond
	}
	d.thread.Schedule.Ran += d.cpu
	d.thread.State = []task.State{task.Running, task.Sleeping}[h.rand.IntN(2)]
	d.stack = d.stack[:0]
	for range h.rand.IntN(4) {
		d.stack = append(d.stack, 0x10+task.Addr(h.rand.IntN(3))*0x100+task.Addr(h.rand.IntN(2)))
	}
}

// sample takes a snapshot of all threads but those that are absent, and tells which have
// changed; all is whether any may be absent.
func (h *history) sample(all bool) (s *task.Snapshot, stacks []Stack, changed []int) {
	s = snapshot()
	s.Time = s.Time.Add(h.now)
	for i := range h.doing {
		d := &h.doing[i]
		if !all && h.rand.IntN(8) == 0 {
			continue
		}
		if d.cpu = 0; !d.seen || h.rand.IntN(4) == 0 {
			h.change(d)
			changed = append(changed, i)
		}
		if !d.seen {
			d.cpu, d.seen = -1, true
		}
		at := seenAt{Snapshot: h.count, At: h.now, State: d.thread.State, CPU: d.cpu, Stack: names(d.stack)}
		h.want[d.thread.ID] = append(h.want[d.thread.ID], at)
		s.Threads = append(s.Threads, d.thread)
		stacks = append(stacks, walk(d.stack...))
	}
	h.count++
	h.now += time.Millisecond + time.Duration(h.rand.IntN(1000))
	return s, stacks, changed
}

func names(stack []task.Addr) string {
	var all []string
	for _, pc := range stack {
		all = append(all, (load + pc).String())
	}
	return strings.Join(all, " ")
}

// until fills in when the snapshot after each was taken.
func until(want map[task.ThreadID][]seenAt, times []time.Duration) {
	for _, all := range want {
		for i := range all {
			all[i].Until = times[all[i].Snapshot+1]
		}
	}
}

// found are the samples that a profile has of its threads.
func found(p *Profile) map[task.ThreadID][]seenAt {
	all := map[task.ThreadID][]seenAt{}
	for _, t := range p.Threads {
		at := map[*Node]string{}
		var path []string
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n.PC.String())
			at[n] = strings.Join(path, " ")
		}
		for m := range p.Moments(t) {
			all[t.ID] = append(all[t.ID], seenAt{m.Snapshot, m.At, m.Until, at[m.Node], m.State, m.CPU})
		}
	}
	return all
}

// TestTimeline: each sample is told as it was added, whether all threads were listed or
// those alone that have changed.
func TestTimeline(t *testing.T) {
	for seed := range uint64(20) {
		h := newHistory(seed, 5)
		b := NewBuilder(task.Info{PID: 10, OS: task.Linux}, "tool")
		b.KeepTimelines()
		b.SetInterval(7*time.Millisecond, 0)
		var times []time.Duration
		for i := range 200 {
			times = append(times, h.now)
			if i%50 == 0 || i >= 100 && i < 150 {
				s, stacks, _ := h.sample(i%50 == 0)
				b.Add(s, stacks, h.m)
				continue
			}
			if i == 150 { // after some in which threads were absent
				s, stacks, _ := h.sample(true)
				b.Add(s, stacks, h.m)
				continue
			}
			s, stacks, changed := h.sample(true)
			b.AddChanged(s, h.m, changed, func(i int) Stack { return stacks[i] })
		}
		until(h.want, append(times, times[len(times)-1]+7*time.Millisecond))
		p := b.Profile()
		if diff := cmp.Diff(h.want, found(p)); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		if again := b.Profile(); !cmp.Equal(found(p), found(again)) {
			t.Error("it is another when asked for again")
		}
	}
}

// TestTimelineOfViews: of each node of a view there are as many samples as it was the
// innermost in, in the order of time, and those that are left out are left out.
func TestTimelineOfViews(t *testing.T) {
	h := newHistory(1, 3)
	b := NewBuilder(task.Info{PID: 10, OS: task.Linux}, "tool")
	b.KeepTimelines()
	for range 300 {
		s, stacks, _ := h.sample(false)
		b.Add(s, stacks, h.m)
	}
	whole := b.Profile()
	re := func(text string) Patterns { return Patterns{regexp.MustCompile(text)} }
	for name, p := range map[string]*Profile{
		"whole": whole, "by function": whole.ByFunction(), "focus": whole.Select(re("work"), nil, nil),
		"ignore": whole.Select(nil, re("leaf"), nil), "hide": whole.Select(nil, nil, re("main")),
		"recursion": whole.FoldRecursion(), "self calls": whole.FoldSelfCalls(func(*Location) bool { return true }), "invert": whole.Invert(), "prune": whole.ByFunction().Prune(20, 2),
		"inlined": whole.WithoutInlined(), "raw": whole.WithRawNames(),
		"all": whole.WithRawNames().WithoutInlined().Select(re("work"), nil, re("main")).FoldRecursion().Invert().ByFunction().Prune(1, 1),
	} {
		for _, th := range p.Threads {
			got, want, before := map[*Node]int{}, map[*Node]int{}, -1
			for m := range p.Moments(th) {
				if got[m.Node]++; m.Snapshot <= before {
					t.Errorf("%s: snapshot %d after %d", name, m.Snapshot, before)
				}
				before = m.Snapshot
			}
			if th.Empty > 0 {
				want[nil] = th.Empty
			}
			for _, n := range th.Nodes() {
				if n.Self > 0 && !p.isInverted() {
					want[n] = n.Self
				}
			}
			if p.isInverted() { // the samples of a node are those of the stacks that end there
				want = samplesOf(th, want)
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s, thread %d: %v, want %v", name, th.ID, slices.Collect(maps.Values(got)), slices.Collect(maps.Values(want)))
			}
		}
	}
	if by := whole.GroupBy(ByProcess); by.HasTimeline() {
		t.Error("threads that are put together have a timeline")
	}
}

func (p *Profile) isInverted() bool { return p.View != nil && p.View.Inverted }

func samplesOf(t *Thread, want map[*Node]int) map[*Node]int {
	for _, n := range t.Nodes() {
		if n.Self > 0 {
			want[n] = n.Self
		}
	}
	return want
}

// TestTimelineAlike: threads that are one entry have none.
func TestTimelineAlike(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1, OS: task.Linux}, "tool")
	b.KeepTimelines()
	m := mapOf(demo, "/demo", load)
	b.Add(snapshot(task.Thread{ID: 1}, task.Thread{ID: 2}, task.Thread{ID: 3}), []Stack{walk(0x10), walk(0x10, 0x20), walk(0x10, 0x20)}, m)
	p := b.Profile().FoldThreads()
	if len(p.Threads) != 2 || p.Threads[0].Timeline == nil || p.Threads[1].Timeline != nil {
		t.Errorf("%d threads", len(p.Threads))
	}
	if without := NewBuilder(task.Info{}, ""); without.Profile().HasTimeline() {
		t.Error("it was not asked for")
	}
}

// TestMomentsWait: what looks found is told with the sample that was before them.
func TestMomentsWait(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1, OS: task.Linux}, "tool")
	b.KeepTimelines()
	m := mapOf(demo, "/demo", load)
	a, other := &Wait{Call: "futex", Addr: 1}, &Wait{Call: "read"}
	want := []*Wait{nil, a, {Call: "futex", Addr: 1}, nil, a, other, nil, nil}
	for i, w := range want {
		s := snapshot(task.Thread{ID: 1})
		s.Time = s.Time.Add(time.Duration(i) * time.Second)
		b.Add(s, []Stack{walk(0x10 + 0x100*task.Addr(i/4))}, m)
		if i != 3 {
			b.Look([]Look{{1, w}}, true)
		}
	}
	var got []*Wait
	p := b.Profile()
	for m := range p.Moments(p.Threads[0]) {
		got = append(got, m.Wait)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	p = p.Select(Patterns{regexp.MustCompile("work")}, nil, nil)
	got = nil
	for m := range p.Moments(p.Threads[0]) {
		got = append(got, m.Wait)
	}
	if diff := cmp.Diff(want[4:], got); diff != "" {
		t.Error(diff)
	}
}

// TestTimelinesEnd where there is no room any more, and what was kept until then is right,
// also of a thread that has done nothing.
func TestTimelinesEnd(t *testing.T) {
	h := newHistory(2, 3)
	h.doing[2].stack, h.doing[2].seen = []task.Addr{0x10}, true
	b := NewBuilder(task.Info{PID: 10, OS: task.Linux}, "tool")
	b.KeepTimelines()
	b.times.room = 300
	var times []time.Duration
	for i := range 400 {
		times = append(times, h.now)
		s, stacks, changed := h.sample(true)
		if i == 0 {
			b.Add(s, stacks, h.m)
			continue
		}
		changed = slices.DeleteFunc(changed, func(i int) bool { return i == 2 })
		b.AddChanged(s, h.m, changed, func(i int) Stack { return stacks[i] })
	}
	p := b.Profile()
	if len(p.Notes) != 1 || !strings.HasPrefix(p.Notes[0], "the timelines end after ") {
		t.Errorf("%q", p.Notes)
	}
	all := found(p)
	if a, b := len(all[10]), len(all[12]); a < 20 || a > 200 || a != b {
		t.Errorf("%d and %d samples", a, b)
	}
	until(h.want, append(times, 0))
	if n := len(all[11]); !cmp.Equal(all[11][:n-1], h.want[11][:n-1]) {
		t.Error(cmp.Diff(all[11], h.want[11][:n]))
	}
}

// BenchmarkTimeline tells how many bytes ten million samples in 500 threads take: most of
// them wait, and two run all the time.
func BenchmarkTimeline(b *testing.B) {
	for name, busy := range map[string]int{"two run": 2, "all run": 500} {
		b.Run(name, func(b *testing.B) { benchmarkTimeline(b, busy) })
	}
}

func benchmarkTimeline(b *testing.B, busy int) {
	for b.Loop() {
		h := newHistory(3, 500)
		build := NewBuilder(task.Info{PID: 10, OS: task.Linux}, "tool")
		build.KeepTimelines()
		for range 20_000 {
			for i := range h.doing[:busy] {
				h.change(&h.doing[i])
			}
			for i := range h.doing {
				h.doing[i].seen = true
			}
			s := snapshot()
			s.Time = s.Time.Add(h.now)
			for i := range h.doing {
				s.Threads = append(s.Threads, h.doing[i].thread)
			}
			h.now += time.Millisecond + time.Duration(h.rand.IntN(100_000))
			build.AddEach(s, h.m, func(i int) Stack { return walk(h.doing[i].stack...) })
		}
		bytes, samples := len(build.times.bytes), 0
		for _, r := range build.order {
			bytes += len(r.moments.runs) + len(r.moments.open.times)
			samples += r.Samples
		}
		b.ReportMetric(float64(bytes), "bytes")
		b.ReportMetric(float64(samples), "samples")
	}
}

// TestTimelineOfSources: samples end in the innermost call that was inlined, or in the
// function that has the frame where these are counted as that.
func TestTimelineOfSources(t *testing.T) {
	f := &sourced{file: file{names: demo.names}}
	b := NewBuilder(task.Info{PID: 1}, "test")
	b.KeepTimelines()
	m := mapOf(&f.file, "/bin/demo", load)
	m.Images[0].File = f
	for _, w := range []Stack{walk(0x10, 0x150), walk(0x10, 0x150, 0x250), walk(0x10, 0x150)} {
		b.Add(snapshot(task.Thread{ID: 1}), []Stack{w}, m)
	}
	for want, p := range map[string]*Profile{"inner leaf inner": b.Profile(), "work leaf work": b.Profile().WithoutInlined()} {
		var got []string
		for m := range p.Moments(p.Threads[0]) {
			got = append(got, m.Node.Function)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %s", got, want)
		}
	}
}
