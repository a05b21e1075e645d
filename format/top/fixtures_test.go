package top

import (
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// script is a process that does what a test says, sampled every 10 ms.
type script struct {
	*Board
	now     time.Time
	nodes   map[string]*profile.Node // by the path to them
	image   *profile.Image
	threads []task.Thread
	paths   map[task.ThreadID][]*profile.Node
	cut     unwind.Reason
	looks   []profile.Look

	deadlocks []profile.Deadlock
	tasks     func() []*profile.Task
	every     int
	inlined   map[string][]string // the calls that a function's frames represent
	asked     int                 // how often for that
}

const tick = 10 * time.Millisecond

func newScript() *script {
	target := task.Info{PID: 4711, Name: "program", OS: task.Linux}
	return &script{
		Board: NewBoard(target, tick), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		nodes: map[string]*profile.Node{}, image: &profile.Image{Path: "/usr/bin/program"},
		paths: map[task.ThreadID][]*profile.Node{},
	}
}

// path is a stack, by functions from the outermost in, that has the same nodes each time.
func (s *script) path(functions string) (path []*profile.Node) {
	key := ""
	for name := range strings.FieldsSeq(functions) {
		key += " " + name
		if s.nodes[key] == nil {
			s.nodes[key] = &profile.Node{Location: profile.Location{Function: name, Image: s.image}}
		}
		path = append(path, s.nodes[key])
	}
	return path
}

// thread has a thread run, or not, in a stack from now on, and use CPU time.
func (s *script) thread(id task.ThreadID, state task.State, used time.Duration, functions string) {
	s.paths[id] = s.path(functions)
	for i := range s.threads {
		if t := &s.threads[i]; t.ID == id {
			t.State, t.User = state, t.User+used
			return
		}
	}
	s.threads = append(s.threads, task.Thread{ID: id, Name: "worker", State: state, User: time.Hour + used})
}

// sample takes that many.
func (s *script) sample(n int) {
	for range n {
		s.now = s.now.Add(tick)
		s.Add(s.next())
		s.looks = nil
	}
}

func (s *script) next() *Sample {
	return &Sample{
		Snapshot: &task.Snapshot{Time: s.now, Threads: s.threads, Stopped: 20 * time.Microsecond, Every: s.every},
		Looks:    s.looks, Deadlocks: s.deadlocks, Tasks: s.tasks,
		Calls: s.calls, Path: func(id task.ThreadID) ([]*profile.Node, unwind.Reason) { return s.paths[id], s.cut },
	}
}

// calls are the node, or those that are inlined in its function.
func (s *script) calls(n *profile.Node) (all []*profile.Node) {
	s.asked++
	for _, name := range s.inlined[n.Function] {
		call := *n
		call.Function = name
		all = append(all, &call)
	}
	if all == nil {
		return []*profile.Node{n}
	}
	return all
}

// work is of two threads, one of which spends 70, 20 and 10 % of its time in three
// functions, and the other waits.
func (s *script) work(samples int) {
	for i := range samples {
		function := "seventy"
		switch {
		case i%10 == 9:
			function = "ten"
		case i%10 >= 7:
			function = "main twenty"
		}
		s.thread(4711, task.Running, tick, "start main "+function)
		s.thread(4712, task.Sleeping, 0, "start wait poll")
		if i == samples/2 {
			s.looks = []profile.Look{{Thread: 4711}, {Thread: 4712, Wait: &profile.Wait{Call: "poll", Object: "fd 3 pipe:[1]"}}}
		}
		s.sample(1)
	}
}

// deadlock has two threads wait for each other from now on, as that many checks have found.
func (s *script) deadlock(checks int) {
	waiter := func(id, owner task.ThreadID, name, ownerName, lock string) profile.Waiter {
		return profile.Waiter{ID: id, Name: name, Wait: profile.Wait{
			Call: "futex", Lock: profile.Mutex, Addr: 0x1000 + task.Addr(id), Variable: lock, Owner: owner, OwnerName: ownerName,
		}}
	}
	circle := []profile.Waiter{waiter(4721, 4722, "payer", "clerk", "checking"), waiter(4722, 4721, "clerk", "payer", "savings")}
	for _, w := range circle {
		s.thread(w.ID, task.Sleeping, 0, "start transfer lock")
		s.threads[len(s.threads)-1].Name = w.Name
		s.looks = append(s.looks, profile.Look{Thread: w.ID, Wait: &w.Wait})
	}
	s.deadlocks = []profile.Deadlock{{Waiters: circle, Looks: checks}}
}

// row is the row of a function.
func (s *state) row(d *data, name string) functionRow {
	for _, r := range s.functionRows(d) {
		if r.name == name {
			return *r
		}
	}
	return functionRow{number: -1}
}
