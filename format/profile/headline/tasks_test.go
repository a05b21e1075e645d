package headline

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// goroutines returns a task that waits in a function of the program's own.
func goroutines(id uint64, n int, wait, function string) *profile.Task {
	program := &profile.Image{Path: "/srv/it", Main: true}
	return &profile.Task{
		Runtime: "Go 1.26.1", ID: id, Wait: wait, Count: n,
		Created: &profile.Location{Function: "main.start", Image: program, File: "/src/it.go", Line: 44},
		Path: []*profile.Node{
			{Location: profile.Location{Function: function, Image: program, File: "/src/it.go", Line: 31}},
			{Location: profile.Location{Function: "runtime.gopark", Image: program, File: "/go/src/runtime/proc.go", Line: 462}},
		},
	}
}

// TestObjectOfPlace: tasks at one place wait for an object if all of them do.
func TestObjectOfPlace(t *testing.T) {
	for _, other := range []profile.TaskObject{{Kind: "chan", Addr: 1}, {Kind: "chan", Addr: 2}} {
		a, b := goroutines(9, 50, "chan receive", "main.worker"), goroutines(70, 3, "chan receive", "main.worker")
		a.On, b.On = &profile.TaskObject{Kind: "chan", Addr: 1}, &other
		got := TasksByPlace([]*profile.Task{a, b})
		if len(got) != 1 || (got[0].On != nil) != (other.Addr == 1) || a.On == nil {
			t.Errorf("%+v", got)
		}
	}
}

// TestParked: what goroutines wait in comes before what an idle thread of the runtime does,
// and a lock that the main one waits for before many that wait alike.
func TestParked(t *testing.T) {
	idle := func() *profile.Thread { return thread(1, task.Sleeping, &profile.Wait{Call: "epoll_wait"}) }
	system := goroutines(2, 50, "GC worker (idle)", "runtime.gcBgMarkWorker")
	system.System = true
	for name, c := range map[string]struct {
		main     *profile.Thread
		tasks    []*profile.Task
		want     Kind
		function string
		n, of    int
	}{
		"none":               {idle(), nil, Idle, "", 0, 0},
		"the runtime's own":  {idle(), []*profile.Task{system}, Idle, "", 0, 0},
		"the main one":       {idle(), []*profile.Task{goroutines(1, 1, "select", "main.main"), system}, Parked, "main.main", 1, 1},
		"a leak":             {idle(), []*profile.Task{goroutines(9, 50, "chan receive", "main.worker"), goroutines(1, 1, "IO wait", "main.main")}, Parked, "main.worker", 50, 51},
		"a leak in two":      {idle(), []*profile.Task{goroutines(9, 50, "chan receive", "main.worker"), goroutines(70, 3, "chan receive", "main.worker")}, Parked, "main.worker", 53, 53},
		"few beside main":    {idle(), []*profile.Task{goroutines(9, 9, "chan receive", "main.worker"), goroutines(1, 1, "IO wait", "main.main")}, Parked, "main.main", 1, 10},
		"main for a lock":    {idle(), []*profile.Task{goroutines(9, 50, "chan receive", "main.worker"), goroutines(1, 1, "sync.Mutex.Lock", "main.order")}, Parked, "main.order", 1, 51},
		"others for a lock":  {idle(), []*profile.Task{goroutines(9, 2, "sync.Mutex.Lock", "main.transfer"), goroutines(1, 1, "sync.WaitGroup.Wait", "main.main")}, Parked, "main.transfer", 2, 3},
		"the thread is busy": {thread(1, task.Running, nil), []*profile.Task{goroutines(1, 1, "select", "main.main")}, Running, "", 0, 0},
	} {
		p := one(c.main)
		p.Tasks = c.tasks
		got := Of(p)
		if got.Kind != c.want {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if h := got.Tasks; c.want == Parked && (h.Own == nil || h.Own.Function != c.function || h.Number != c.n || h.Of != c.of) {
			t.Errorf("%s: %+v", name, h)
		}
	}
	calls := idle()
	frame := node("main.read", 0)
	frame.Image = &profile.Image{Path: "/srv/it", Main: true}
	calls.Roots = []*profile.Node{frame}
	p := one(calls)
	p.Tasks = []*profile.Task{goroutines(1, 1, "select", "main.main")}
	if got := Of(p); got.Kind == Parked {
		t.Errorf("the main thread has code of the program's: %+v", got)
	}
}

// TestParkedInSamples: tasks make the headline only where the main thread was idle in all samples.
func TestParkedInSamples(t *testing.T) {
	im := &profile.Image{Path: "/srv/it", Main: true}
	frame := func(function string, self int, below ...*profile.Node) *profile.Node {
		n := node(function, 0)
		n.Image, n.Self, n.Children = im, self, below
		return n
	}
	for name, c := range map[string]struct {
		roots []*profile.Node
		want  bool
	}{
		"idle":             {[]*profile.Node{frame("runtime.mstart", 1, frame("runtime.stopm", 60), frame("runtime.netpoll", 39))}, true},
		"in own code once": {[]*profile.Node{frame("runtime.mstart", 0, frame("runtime.stopm", 99)), frame("runtime.goexit", 0, frame("main.work", 0, frame("runtime.memmove", 1)))}, false},
	} {
		main := thread(1, task.Sleeping, &profile.Wait{Call: "futex"})
		main.Roots = c.roots
		p := one(main)
		p.Snapshots, p.Tasks = 100, []*profile.Task{goroutines(9, 50, "chan receive", "main.worker")}
		if got := Of(p); (got.Kind == Parked) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
