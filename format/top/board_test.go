package top

import (
	"fmt"
	"math"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestShares of the CPU time and of all time of both threads, lately, and times since the start. A
// function that calls itself counts once.
func TestShares(t *testing.T) {
	s := newScript()
	s.work(2000) // 20 s
	d, v := s.data(), newState()
	for _, c := range []struct {
		name           string
		self, total    float64
		waits, waitSum float64
	}{
		{"seventy", .7, .7, .7, .7}, {"twenty", .2, .2, .2, .2}, {"ten", .1, .1, .1, .1}, {"main", 0, 1, 0, 1},
		{"start", 0, 1, 0, 2}, {"poll", 0, 0, 1, 1}, {"wait", 0, 0, 0, 1},
	} {
		v.measure = onCPU
		switch r := v.row(d, c.name); {
		case c.total == 0 && r.number >= 0:
			t.Errorf("%s is shown", c.name)
		case c.total == 0:
		case !near(r.now[0], c.self) || !near(r.now[1], c.total) || !about(r.since[0], 20*c.self) || !about(r.since[1], 20*c.total):
			t.Errorf("%+v, want %+v", r, c)
		}
		v.measure = allTime
		if r := v.row(d, c.name); !near(r.now[0], c.waits/2) || !near(r.now[1], c.waitSum/2) || !about(r.since[1], 20*c.waitSum) {
			t.Errorf("%+v, want %+v", r, c)
		}
	}
	if d.Samples != 2000 || d.Elapsed != 20*time.Second || d.CPU != 20*time.Second-tick || d.Stopped != 40*time.Millisecond {
		t.Errorf("%+v", d.Totals)
	}
}

// about reports whether a time is as long but for the first sample, of which it is not known
// how much CPU time goes with it.
func about(d time.Duration, seconds float64) bool {
	return (d - time.Duration(seconds*float64(time.Second))).Abs() <= tick
}

// TestSharesAreOfTheProcess, which may use little of a CPU, and after t of the thread; samples
// without any frame have none.
func TestSharesAreOfTheProcess(t *testing.T) {
	s := newScript()
	for range 100 {
		s.thread(1, task.Running, tick/10, "main energy")
		s.thread(2, task.Running, tick/5, "main momentum")
		s.thread(3, task.Running, tick, "")
		s.sample(1)
	}
	d, v := s.data(), newState()
	for keys, want := range map[string][2]float64{"": {1. / 3, 2. / 3}, "w": {1. / 2, 1. / 2}, "Tab Home t": {0, 0}, "Tab End t": {1, 0}, "Tab 1 Home Down t": {0, 1}} {
		*v = *newState()
		press(v, d, keys)
		if got := [2]float64{v.row(d, "energy").now[0], v.row(d, "momentum").now[0]}; !near(got[0], want[0]) || !near(got[1], want[1]) {
			t.Errorf("%s: %v, want %v", keys, got, want)
		}
	}
}

// TestInlinedCalls have their own time, as reports tell them apart, and are asked for once for
// each path.
func TestInlinedCalls(t *testing.T) {
	s := newScript()
	s.inlined = map[string][]string{"main": {"main", "energy"}}
	s.thread(1, task.Running, tick, "start main")
	s.sample(1)
	for range 10 {
		s.thread(1, task.Running, tick, "start main")
		s.sample(1)
	}
	d, v := s.data(), newState()
	if energy, main := v.row(d, "energy").now, v.row(d, "main").now; energy != [2]float64{1, 1} || main != [2]float64{0, 1} {
		t.Errorf("energy %v, main %v", energy, main)
	}
	if s.asked != 2 {
		t.Errorf("asked of %d nodes", s.asked)
	}
}

// TestWindow has the last seconds alone, and what is since the start goes on.
func TestWindow(t *testing.T) {
	s := newScript()
	s.thread(1, task.Running, 0, "early")
	s.sample(1)
	for range 300 {
		s.thread(1, task.Running, tick, "early")
		s.sample(1)
	}
	for range 250 {
		s.thread(1, task.Running, tick, "late")
		s.sample(1)
	}
	d, v := s.data(), newState()
	for i, want := range []float64{0, 0, 2.5 / 5, 300 / 551.} {
		v.window = i
		if got := v.row(d, "early").now[0]; math.Abs(got-want) > .02 {
			t.Errorf("%v: %v, want %v", windows[i], got, want)
		}
		if got := v.row(d, "early").since[0]; got != 3*time.Second {
			t.Errorf("%v since the start", got)
		}
		if w := d.window(windows[i]); w.elapsed > windows[i]+partTime/2 {
			t.Errorf("%v for %v", w.elapsed, windows[i])
		}
	}
}

// TestWindowIsAsLong as is wanted, to half a part, at any moment.
func TestWindowIsAsLong(t *testing.T) {
	s := newScript()
	s.thread(1, task.Running, 0, "main")
	s.sample(300)
	for range 2 * int(partTime/tick) {
		s.sample(1)
		if got := s.data().window(time.Second).elapsed; (got - time.Second).Abs() > partTime/2 {
			t.Errorf("%v after %d samples", got, s.Samples)
		}
	}
}

// TestSince: what is kept for good is all that was ever in the ring, once, of all threads
// and of each.
func TestSince(t *testing.T) {
	s := newScript()
	for i := range 100 {
		s.thread(1, task.Running, tick, fmt.Sprint("f", i%7))
		s.thread(2, task.Sleeping, 0, "g")
		s.sample(97)
		d := s.data()
		sum := 0
		for _, n := range d.since {
			sum += n.self.samples
		}
		of := d.own[s.Board.threads[2]]
		if want := 97 * (i + 1); sum != 2*want || len(of) != 1 || of[s.Board.threads[2].stack.functions[0]].total.samples != want {
			t.Fatalf("%d samples, want 2 × %d; %v", sum, want, of)
		}
	}
}

// TestCPUBelongsToRunning samples: what a thread has used before it waits is counted with
// the next sample in which it runs.
func TestCPUBelongsToRunning(t *testing.T) {
	s := newScript()
	for _, step := range []struct {
		state task.State
		used  time.Duration
		in    string
	}{
		{task.Running, 0, "a"}, {task.Running, 5, "a"}, {task.Sleeping, 3, "wait"}, {task.Sleeping, 0, "wait"},
		{task.Running, 2, "b"}, {task.StateUnknown, 4, "c"}, {task.Running, 1, "b"},
	} {
		s.thread(1, step.state, step.used, step.in)
		s.sample(1)
	}
	d := s.data()
	got := map[string]time.Duration{}
	for fn, n := range d.since {
		got[d.functions[fn].name] = n.self.cpu
	}
	if got["a"] != 5 || got["b"] != 10 || got["wait"] != 0 || got["c"] != 0 || d.CPU != 15 {
		t.Errorf("%v, %v", got, d.CPU)
	}
}

// TestScheduleIsExact, and goes before the times by ticks.
func TestScheduleIsExact(t *testing.T) {
	th := task.Thread{User: 1, System: 2, Schedule: task.Schedule{Ran: 7}}
	if got := cpu(&th); got != 7 {
		t.Error(got)
	}
	th.Schedule = task.Schedule{}
	if got := cpu(&th); got != 3 {
		t.Error(got)
	}
}

// TestWaits are told while the thread is where it was when it was asked.
func TestWaits(t *testing.T) {
	s := newScript()
	where := func() string { return s.data().threads[0].wait }
	s.thread(1, task.Sleeping, 0, "main read")
	s.sample(1)
	if where() != "" {
		t.Error("nobody was asked yet")
	}
	s.looks = []profile.Look{{Thread: 1, Wait: &profile.Wait{Call: "read", Object: "fd 0"}}, {Thread: 99}}
	s.sample(1)
	if got := where(); got != "waits in read: fd 0" {
		t.Errorf("%q", got)
	}
	s.thread(1, task.Sleeping, 0, "main write")
	s.sample(1)
	if got := where(); got != "" {
		t.Errorf("elsewhere %q", got)
	}
	s.thread(1, task.Running, 0, "main read")
	s.sample(1)
	if got := where(); got != "" {
		t.Errorf("running %q", got)
	}
	s.thread(1, task.Sleeping, 0, "main read")
	s.looks = []profile.Look{{Thread: 1}}
	s.sample(1)
	if got := where(); got != "" {
		t.Errorf("it waits for nothing that is known: %q", got)
	}
}

// TestThreadsComeAndGo: one that has ended is forgotten, and its id may be another's.
func TestThreadsComeAndGo(t *testing.T) {
	s := newScript()
	s.thread(1, task.Running, tick, "main")
	s.thread(2, task.Running, tick, "other")
	s.sample(3)
	stays, first := s.Board.threads[1], s.Board.threads[2]
	s.threads = s.threads[:1]
	s.sample(1)
	if len(s.data().threads) != 1 || len(s.Board.threads) != 1 || s.Board.threads[1] != stays {
		t.Error("a thread that has ended is listed")
	}
	s.threads = append(s.threads, task.Thread{ID: 2, State: task.Running, User: 1})
	s.sample(1)
	s.threads[1].User = 5
	s.sample(1)
	if second := s.Board.threads[2]; second == first || second.used != 5 {
		t.Errorf("%+v", second)
	}
	s.threads[0].User = 1 // less than before
	before := s.Board.threads[1]
	s.sample(1)
	if s.Board.threads[1] == before {
		t.Error("another thread is taken for one that has ended")
	}
}

// TestGaps: a time in which nothing was sampled stands for no more than a second.
func TestGaps(t *testing.T) {
	s := newScript()
	s.thread(1, task.Running, 0, "main")
	s.sample(100)
	s.now = s.now.Add(time.Hour)
	s.sample(1)
	s.now = s.now.Add(-2 * time.Hour)
	s.sample(1)
	if d := s.data(); d.Elapsed != time.Second+longestGap {
		t.Errorf("%v", d.Elapsed)
	}
}

// TestLeftOut samples are not missed ones, and what comes after them stands for all their time.
func TestLeftOut(t *testing.T) {
	s := newScript()
	s.thread(1, task.Running, 0, "main")
	s.sample(2)
	s.now = s.now.Add(30 * time.Second)
	next := s.next()
	next.MissedTicks, next.LeftOut, next.Every = 12, 9, 1000
	s.Add(next)
	s.now = s.now.Add(20 * time.Second)
	s.Add(s.next())
	if d := s.data(); d.Missed != 3 || d.Elapsed != 2*tick+longestGap+20*time.Second {
		t.Errorf("%+v", d.Totals)
	}
}

// TestBounds of what is kept: parts, stacks that are long, and how many there are.
func TestBounds(t *testing.T) {
	s := newScript()
	s.thread(1, task.Running, 0, "main")
	for range 2 * maxParts {
		s.now = s.now.Add(partTime)
		s.sample(1)
	}
	if n := len(s.ring.parts); n != maxParts {
		t.Errorf("%d parts", n)
	}
	var long []*profile.Node
	for i := range 10_000 {
		long = append(long, &profile.Node{Location: profile.Location{Function: fmt.Sprint("f", i%300)}})
	}
	s.cut = unwind.NotCaptured
	for i := range 18_000 {
		s.paths[1] = append(long[:310:310], &profile.Node{Location: profile.Location{Function: fmt.Sprint("leaf", i)}})
		s.sample(1)
	}
	size := 0
	for _, p := range s.ring.parts {
		size += p.size
	}
	last := s.ring.parts[len(s.ring.parts)-1]
	if size > maxSize+last.size || s.ring.size+last.size != size || len(s.ring.stacks) > 2*maxStacks {
		t.Errorf("%d, and is said to be %d; %d stacks", size, s.ring.size, len(s.ring.stacks))
	}
	s.paths[1] = long
	s.sample(1)
	st := s.data().threads[0].stack
	if len(st.frames) != maxFrames || st.left != 10_000-maxFrames || len(st.functions) != 300 || st.cut == "" {
		t.Errorf("%d frames, %d left out, %d functions, %q", len(st.frames), st.left, len(st.functions), st.cut)
	}
	d := s.data()
	if name := d.functions[st.frames[maxFrames/2].function].name; name != fmt.Sprint("f", maxFrames/2-1) {
		t.Errorf("the outer half begins with %s", name)
	}
}

func values[T any](rows []*T) (all []T) {
	for _, r := range rows {
		all = append(all, *r)
	}
	return all
}

// TestDataStays as it is while samples are added.
func TestDataStays(t *testing.T) {
	s := newScript()
	s.work(123)
	d, v := s.data(), newState()
	v.measure = allTime
	rows := func() string { return fmt.Sprint(values(v.functionRows(d)), values(v.threadRows(d)), d.Totals) }
	before := rows()
	s.work(333)
	if after := rows(); after != before {
		t.Errorf("%s\nwas\n%s", after, before)
	}
}

// TestNames of code that has none.
func TestNames(t *testing.T) {
	s := newScript()
	other := &profile.Image{Path: "/lib/other.so", Load: 0x10000, End: 0x20000}
	nodes := []*profile.Node{
		{PC: 0x12345, Location: profile.Location{Image: other, Offset: 0x2345}},
		{PC: 0x12777, Location: profile.Location{Image: other, Offset: 0x2777}},
		{PC: 0x13777, Location: profile.Location{Image: other, Offset: 0x3777}},
		{PC: 0x900000}, {PC: 0xa00000},
		{PC: 1, Location: profile.Location{Image: other, Function: "f"}}, {PC: 2, Location: profile.Location{Image: s.image, Function: "f"}},
		{PC: 3, Location: profile.Location{Image: other, Function: "f", Overload: "x"}},
		{PC: 4, Location: profile.Location{Image: other, Function: "a\x1b[31m\nb\u202e"}},
	}
	want := []string{"other.so+0x2000 (other.so)", "other.so+0x2000 (other.so)", "other.so+0x3000 (other.so)", "code of no file ()", "code of no file ()", "f (other.so)", "f (program)", "f (other.so)", `a\x1b[31m\nb\u202e (other.so)`}
	numbers := map[int32]bool{}
	for i, n := range nodes {
		fn := s.number(n)
		numbers[fn] = true
		if f := s.functions[fn]; fmt.Sprintf("%s (%s)", f.name, f.file) != want[i] {
			t.Errorf("%+v, want %s", f, want[i])
		}
	}
	if len(numbers) != 7 {
		t.Errorf("%d functions", len(numbers))
	}
}
