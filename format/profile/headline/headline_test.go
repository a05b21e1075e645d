package headline

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

const owner = 77

func mutex(at task.Addr) *profile.Wait {
	return &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: at, Owner: owner}
}

// thread is one of a single snapshot. Where its call may be one of an event loop, it is in one.
func thread(id task.ThreadID, state task.State, w *profile.Wait) *profile.Thread {
	t := &profile.Thread{ID: id, Main: id == 1, State: state, Wait: w, Samples: 1}
	t.States[state] = 1
	if w != nil && (w.Call == "epoll_wait" || w.Call == "mach_msg2") {
		t.Roots = []*profile.Node{{Location: profile.Location{Function: "event_base_loop"}}}
	}
	return t
}

func one(threads ...*profile.Thread) *profile.Profile {
	return &profile.Profile{Snapshots: 1, Threads: threads}
}

func TestOneSnapshot(t *testing.T) {
	sleeping := func(id task.ThreadID, w *profile.Wait) *profile.Thread { return thread(id, task.Sleeping, w) }
	epoll := &profile.Wait{Call: "epoll_wait", Object: "fd 3"}
	poll := &profile.Wait{Call: "poll", Object: "fd 3"}
	queued := thread(3, task.Running, nil)
	queued.OnCPUState = task.Queued
	on := thread(4, task.Running, nil)
	on.OnCPUState = task.OnCPU
	circle := func(p *profile.Profile, ended bool, ids ...task.ThreadID) *profile.Profile {
		d := profile.Deadlock{Ended: ended}
		for _, id := range ids {
			d.Waiters = append(d.Waiters, profile.Waiter{ID: id})
		}
		p.Deadlocks = append(p.Deadlocks, d)
		return p
	}
	core := one(sleeping(1, epoll), sleeping(2, nil))
	core.Target.Crash = &task.Crash{Signal: "SIGSEGV", Thread: 2}
	for name, tt := range map[string]struct {
		p    *profile.Profile
		want Headline
	}{
		"nothing known":   {one(sleeping(1, nil), sleeping(2, epoll)), Headline{}},
		"no threads":      {one(), Headline{}},
		"idle":            {one(sleeping(1, epoll)), Headline{Kind: Idle, Main: true, Wait: epoll}},
		"poll":            {one(sleeping(1, poll)), Headline{Kind: Blocked, Main: true, Wait: poll}},
		"stopped":         {one(thread(1, task.Stopped, nil), thread(2, task.Stopped, epoll)), Headline{Kind: Stopped}},
		"stopped in part": {one(thread(1, task.Stopped, nil), thread(2, task.Sleeping, nil)), Headline{}},
		"no samples":      {one(&profile.Thread{ID: 1, Main: true}), Headline{}},
		"a lock":          {one(sleeping(1, mutex(8)), sleeping(2, mutex(8)), sleeping(3, mutex(16)), on), Headline{Kind: Locked, Main: true, Wait: mutex(8)}},
		"another's lock":  {one(sleeping(1, epoll), sleeping(2, mutex(8))), Headline{Kind: Idle, Main: true, Wait: epoll}},
		"join": {one(sleeping(1, &profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Addr: 8, Owner: owner}), on),
			Headline{Kind: Running, Threads: 1, Thread: on}},
		"convoy": {one(sleeping(1, mutex(8)), sleeping(2, mutex(16)), sleeping(3, mutex(8)), sleeping(5, mutex(8)), on),
			Headline{Kind: Convoy, Threads: 3, Main: true, Wait: mutex(8)}},
		"joins are no convoy": {one(sleeping(2, &profile.Wait{Lock: profile.ThreadEnd, Addr: 8}),
			sleeping(3, &profile.Wait{Lock: profile.ThreadEnd, Addr: 8}), sleeping(4, &profile.Wait{Lock: profile.ThreadEnd, Addr: 8})), Headline{}},
		"deadlock": {circle(circle(one(sleeping(1, epoll), sleeping(2, nil), sleeping(3, nil)), false, 2, 3), false, 1),
			Headline{Kind: Deadlocked, Threads: 3, Main: true}},
		"deadlock of others": {circle(one(sleeping(1, epoll), sleeping(2, nil), sleeping(3, nil)), false, 2, 3), Headline{Kind: Deadlocked, Threads: 2}},
		"ended deadlock":     {circle(one(sleeping(1, epoll)), true, 2, 3), Headline{Kind: Idle, Main: true, Wait: epoll}},
		"running":            {one(sleeping(1, epoll), queued, on), Headline{Kind: Running, Threads: 2, Thread: queued}},
		"crashed":            {core, Headline{Kind: Crashed, Thread: core.Threads[1]}},
	} {
		got := Of(tt.p)
		if tt.want.Wait != nil && tt.want.Kind != Convoy {
			tt.want.Thread = tt.p.Threads[0]
		}
		if got.Wait != nil && tt.want.Wait != nil && *got.Wait == *tt.want.Wait {
			got.Wait = tt.want.Wait
		}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestIdleReceive: what a wait in mach_msg means is not for its words to say.
func TestIdleReceive(t *testing.T) {
	for want, w := range map[Kind]*profile.Wait{
		Idle:    {Call: "mach_msg2", Object: "what comes next", Receives: true},
		Blocked: {Call: "mach_msg2", Object: "a message on port 0x103"},
	} {
		if got := Of(one(thread(1, task.Sleeping, w))); got.Kind != want {
			t.Errorf("%+v: %v, want %v", w, got.Kind, want)
		}
	}
}

// TestIdleIsProven: a call in which loops wait is not enough, and what a process says of itself counts.
func TestIdleIsProven(t *testing.T) {
	epoll := &profile.Wait{Call: "epoll_wait"}
	for name, tt := range map[string]struct {
		function, title string
		want            Kind
		said            string
	}{
		"a loop":               {"event_base_loop", "shop", Idle, ""},
		"a lock":               {"ProcSleep", "shop", Blocked, ""},
		"who knows":            {"step", "shop", Blocked, ""},
		"a backend":            {"pq_getbyte", "postgres: ann shop [local] idle", Idle, ""},
		"a transaction":        {"pq_getbyte", "postgres: 15/main: ann shop 10.0.0.1(4711) idle in transaction", Idle, "idle in transaction"},
		"a lock, by the title": {"pq_getbyte", "postgres: 15/main: ann shop [local] UPDATE waiting", Blocked, "UPDATE waiting"},
		"another program":      {"event_base_loop", "shop: [local] waiting", Idle, ""},
	} {
		th := thread(1, task.Sleeping, epoll)
		th.Roots[0].Function = tt.function
		p := one(th)
		p.Target.Command = task.NewCommand([]string{tt.title})
		if got := Of(p); got.Kind != tt.want || got.Title != tt.said {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// sampled is a thread of 100 samples, of which some found it runnable.
func sampled(id task.ThreadID, runnable int, waits ...profile.Waited) *profile.Thread {
	t := &profile.Thread{ID: id, Main: id == 1, Samples: 100, Waits: waits}
	t.States[task.Running], t.States[task.Sleeping] = runnable, 100-runnable
	for _, w := range waits {
		t.Looks += w.Looks
	}
	return t
}

// many is a second of 100 snapshots.
func many(threads ...*profile.Thread) *profile.Profile {
	start := time.Unix(100, 0)
	return &profile.Profile{Snapshots: 100, Interval: 10 * time.Millisecond, Start: start, End: start.Add(time.Second), Threads: threads}
}

func waited(w *profile.Wait, looks int) profile.Waited { return profile.Waited{Wait: *w, Looks: looks} }

// nameless takes the names of a profile's functions away.
func nameless(p *profile.Profile) *profile.Profile {
	for _, n := range p.Threads[0].Roots {
		n.Function = ""
	}
	return p
}

// TestUninterruptible: of many snapshots it is told from half of them on, with the
// function that most of them found.
func TestUninterruptible(t *testing.T) {
	stuckFor := func(samples, in, other int) *profile.Profile {
		th := &profile.Thread{ID: 1, Main: true, Samples: 100}
		th.States[task.Uninterruptible], th.States[task.Sleeping] = samples, 100-samples
		th.Roots = []*profile.Node{
			{Location: profile.Location{Function: "f"}, Self: in},
			{Location: profile.Location{Function: "g"}, Self: other},
		}
		return many(th)
	}
	for name, tt := range map[string]struct {
		p        *profile.Profile
		share    float64
		function string
	}{
		"in one function": {stuckFor(72, 60, 40), 0.72, "f"},
		"here and there":  {stuckFor(50, 40, 40), 0.5, ""},
		"half the time":   {stuckFor(50, 50, 50), 0.5, "f"},
		"seldom":          {stuckFor(49, 100, 0), 0, ""},
		"without a name":  {nameless(stuckFor(72, 100, 0)), 0.72, ""},
		"another thread":  {many(sampled(2, 0)), 0, ""},
	} {
		a := Of(tt.p)
		if a.Kind == Located {
			a = Headline{} // see TestLocated
		}
		if (a.Kind == Stuck) != (tt.share > 0) || a.CPU.Share != tt.share || a.CPU.Where.Function != tt.function || (a.CPU.Hotspot == Function) != (tt.function != "") {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestWaitsOfManySnapshots(t *testing.T) {
	read := &profile.Wait{Call: "read", Object: "fd 3"}
	oneAfterAnother := waited(mutex(8), 10)
	oneAfterAnother.Owners = true
	for name, tt := range map[string]struct {
		p     *profile.Profile
		want  Kind
		looks int
	}{
		"always":         {many(sampled(1, 0, waited(read, 10))), Blocked, 10},
		"a lock":         {many(sampled(1, 0, waited(mutex(8), 10))), Locked, 10},
		"nearly always":  {many(sampled(1, 10, waited(read, 10))), Blocked, 10},
		"not always":     {many(sampled(1, 11, waited(read, 10))), None, 0},
		"in turns":       {many(sampled(1, 0, waited(read, 10), waited(mutex(8), 1))), None, 0},
		"of one another": {many(sampled(1, 0, oneAfterAnother)), None, 0},
	} {
		if got := Of(tt.p); got.Kind != tt.want || got.Looks != tt.looks {
			t.Errorf("%s: %+v, want %v", name, got, tt.want)
		}
	}
	missed := sampled(1, 0, waited(read, 9))
	missed.Looks = 10
	if got := Of(many(missed)); got.Kind != None {
		t.Errorf("not in all looks: %+v", got)
	}
}

// node is a frame with what it calls; a leaf has used a time.
func node(function string, onCPU time.Duration, calls ...*profile.Node) *profile.Node {
	n := &profile.Node{Children: calls, By: unwind.Method(0)}
	n.Function, n.Image, n.Spent.OnCPU = function, image, onCPU
	if function == "" {
		n.Image = nil
	}
	return n
}

var image = &profile.Image{Path: "/bin/prog"}

func busyThread(id task.ThreadID, roots ...*profile.Node) *profile.Thread {
	t := sampled(id, 100)
	t.Roots = roots
	for _, n := range t.Nodes() {
		t.Spent.OnCPU += n.Spent.OnCPU
	}
	return t
}

// overload is a function that has the name of others.
func overload(of string, n *profile.Node) *profile.Node {
	n.Overload = of
	return n
}

func TestWhatIsComputed(t *testing.T) {
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		thread *profile.Thread
		what   Hotspot
		where  string
		share  float64
	}{
		"one function":          {busyThread(1, node("main", 0, node("parse", 460*ms), node("copy", 40*ms))), Function, "parse", 0.92},
		"in two places":         {busyThread(1, node("main", 0, node("a", 0, node("copy", 300*ms)), node("copy", 200*ms))), Function, "copy", 1},
		"overloads":             {busyThread(1, node("main", 0, overload("1", node("add(_:)", 240*ms)), overload("2", node("add(_:)", 260*ms)))), Function, "add(_:)", 0.52},
		"under one":             {busyThread(1, node("main", 0, node("parse", 100*ms, node("a", 200*ms), node("b", 200*ms)), node("c", 100*ms))), Subtree, "parse", 500. / 600},
		"recursion counts once": {busyThread(1, node("main", 0, node("f", 100*ms, node("f", 100*ms, node("a", 240*ms), node("b", 100*ms))), node("c", 140*ms))), Spread, "a", 240. / 680},
		"spread":                {busyThread(1, node("main", 0, node("a", 200*ms), node("b", 190*ms), node("c", 180*ms))), Spread, "a", 200. / 570},
		"garbage collection":    {busyThread(1, node("runtime.gcBgMarkWorker", 0, node("runtime.scanobject", 400*ms)), node("main.main", 100*ms)), Collector, "", 0.8},
		"generated":             {busyThread(1, node("main", 0, node("", 200*ms), node("", 200*ms), node("a", 100*ms))), Generated, "", 0.8},
	} {
		got := Of(many(tt.thread))
		b := got.CPU
		if got.Kind != Computing || b.Hotspot != tt.what || b.Where.Function != tt.where || b.Share < tt.share-1e-9 || b.Share > tt.share+1e-9 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHowMuchIsUsed(t *testing.T) {
	const ms = time.Millisecond
	starving := busyThread(1, node("f", 100*ms))
	starving.Spent.Queued = 600 * ms
	starved := busyThread(1, node("f", 0))
	starved.Spent.Queued = 600 * ms
	var idlers []*profile.Thread
	for id := range 100 {
		idler := busyThread(task.ThreadID(id+1), node("f", ms))
		idler.Spent.Queued, idler.Spent.Blocked = 9*ms, 990*ms
		idlers = append(idlers, idler)
	}
	mac := sampled(1, 100) // a system that counts CPU time alone
	mac.Used, mac.Roots = 900*ms, []*profile.Node{node("f", 0)}
	mac.Roots[0].Self = 100
	idleMac := sampled(2, 0)
	idleMac.Roots = []*profile.Node{node("waits", 0)}
	idleMac.Roots[0].Self = 100
	for name, tt := range map[string]struct {
		p     *profile.Profile
		want  Kind
		where string
	}{
		"half of a processor":    {many(busyThread(1, node("f", 500*ms))), Computing, "f"},
		"less":                   {many(busyThread(1, node("f", 499*ms))), None, ""},
		"of several threads":     {many(busyThread(1, node("f", 250*ms)), busyThread(2, node("f", 250*ms))), Computing, "f"},
		"mostly without one":     {many(starving), Computing, "f"},
		"always without one":     {many(starved), Starved, ""},
		"many that hardly ran":   {many(idlers...), None, ""},
		"counted by samples":     {many(mac, idleMac), Computing, "f"},
		"no samples of the busy": {many(func() *profile.Thread { m := *mac; m.States = profile.States{}; return &m }()), Located, "f"},
	} {
		got := Of(tt.p)
		if got.Kind != tt.want || got.CPU.Where.Function != tt.where {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
