package across

import (
	"reflect"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// process is one of which the other end of every descriptor is known.
type process struct {
	task.Process
	task.PeerFinder
	info    task.Info
	threads []task.ThreadID
	end     task.Endpoint
	moved   task.Endpoint // the other end when it is asked for again
	asked   int
	child   int
}

func (p *process) Info() task.Info                   { return p.info }
func (p *process) Threads() ([]task.ThreadID, error) { return p.threads, nil }
func (p *process) Capabilities() task.Capabilities   { return task.Capabilities{Peers: p} }
func (p *process) LockedBy(_, pid int) bool          { return pid == 2 }
func (p *process) Child(int) (int, bool)             { return p.child, p.child != 0 }

func (p *process) OtherEnd(int, bool) (task.Endpoint, bool) {
	if p.asked++; p.asked > 1 && p.moved != (task.Endpoint{}) {
		return p.moved, true
	}
	return p.end, true
}

func (p *process) SharedOwner(task.Addr, int) (task.ThreadID, int, bool) { return 22, 2, true }

// TestTell tells only of what is proven.
func TestTell(t *testing.T) {
	pipe := task.Endpoint{File: "pipe:[1]", Writes: true}
	sole := task.Owners{PIDs: []int{2}}
	only := profile.Peer{PID: 2, Name: "two", Thread: 2, ThreadName: "second", Action: profile.Write}
	for name, c := range map[string]struct {
		owners  task.Owners
		query   waits.PeerQuery
		threads []task.ThreadID // of the other process
		moved   task.Endpoint
		late    bool // there is no time left
		gone    bool // it does not wait any more
		want    profile.Peer
	}{
		"sole":   {owners: sole, want: only},
		"two":    {owners: task.Owners{PIDs: []int{2, 3}}},
		"itself": {owners: task.Owners{PIDs: []int{1}}, want: profile.Peer{PID: 1, Name: "one", Action: profile.Write, Self: true}},
		"itself, unseen": {owners: task.Owners{PIDs: []int{1}, Unseen: true},
			want: profile.Peer{PID: 1, Name: "one", Action: profile.Write, Self: true, Others: true}},
		"late": {owners: sole, late: true},
		"itself, too": {owners: task.Owners{PIDs: []int{1, 2}},
			want: profile.Peer{PID: 2, Name: "two", Thread: 2, ThreadName: "second", Action: profile.Write, AlsoSelf: true}},
		"itself, and two": {owners: task.Owners{PIDs: []int{1, 2, 3}}},
		"nobody":          {owners: task.Owners{}},
		"moved":           {owners: sole, moved: task.Endpoint{File: "pipe:[2]"}},
		"gone":            {owners: sole, gone: true},
		"unseen":          {owners: task.Owners{PIDs: []int{2}, Unseen: true}, want: profile.Peer{PID: 2, Name: "two", Thread: 2, ThreadName: "second", Action: profile.Write, Others: true}},
		"of two threads":  {owners: sole, threads: []task.ThreadID{2, 22}, want: profile.Peer{PID: 2, Name: "two", Action: profile.Write}},
		"child": {query: waits.PeerQuery{Action: profile.End, Any: true},
			want: profile.Peer{PID: 2, Name: "two", Thread: 2, ThreadName: "second", Action: profile.End}},
		"owner": {query: waits.PeerQuery{Action: profile.Release, Owner: 22}, threads: []task.ThreadID{2, 22},
			want: profile.Peer{PID: 2, Name: "two", Thread: 22, ThreadName: "worker", Action: profile.Release}},
		"file": {query: waits.PeerQuery{Action: profile.Release, Wait: &profile.Wait{OwnerPID: 2}},
			want: profile.Peer{PID: 2, Name: "two", Thread: 2, ThreadName: "second", Action: profile.Release}},
		"file of one that ended": {query: waits.PeerQuery{Action: profile.Release, Wait: &profile.Wait{OwnerPID: 9}}},
	} {
		q := c.query
		if q.Action == profile.NoAction {
			q.Action = profile.Write
		}
		if q.Wait == nil {
			q.Wait = &profile.Wait{}
		}
		q.Still = func() bool { return !c.gone }
		if c.threads == nil {
			c.threads = []task.ThreadID{2}
		}
		all := []task.Thread{{ID: 2, Name: "second"}, {ID: 22, Name: "worker"}}
		r := resolver{
			members: []Member{
				{Process: &process{info: task.Info{PID: 1, Name: "one"}, end: pipe, moved: c.moved, child: 2}, Queries: []waits.PeerQuery{q}},
				{Process: &process{info: task.Info{PID: 2, Name: "two"}, threads: c.threads}, Threads: all[:len(c.threads)]},
			},
			ownersOf: func([]task.Endpoint, time.Time) map[task.Endpoint]task.Owners {
				return map[task.Endpoint]task.Owners{pipe: c.owners}
			},
		}
		if c.late {
			r.until = time.Unix(1, 0)
		}
		if !r.resolveAll() {
			r.forget()
		}
		if q.Wait.Peer != c.want {
			t.Errorf("%s: %+v, want %+v", name, q.Wait.Peer, c.want)
		}
	}
}

// TestStalledSummary: connections like the longest of the most telling state are counted.
func TestStalledSummary(t *testing.T) {
	to := func(id uint64, state task.ConnectionState, remote string, since time.Duration) task.Connection {
		return task.Connection{ID: id, State: state, Remote: remote, Since: since, Unread: 10, Other: task.Endpoint{File: remote}}
	}
	owner := func(e task.Endpoint) (int, string) {
		if e.File == "b" {
			return 7, "up"
		}
		return 0, ""
	}
	all := []task.Connection{
		to(1, task.Unread, "a", 9), to(2, task.Silent, "a", 8), to(3, task.NotTaken, "b", 1), to(4, task.NotTaken, "c", 2), to(5, task.NotTaken, "b", 3),
	}
	for name, c := range map[string]struct {
		of   []task.Connection
		want *task.Stalled
	}{
		"none":    {nil, nil},
		"alike":   {all, &task.Stalled{State: task.NotTaken, Count: 2, Remote: "b", Since: 3, Unread: 20, PID: 7, Name: "up", Others: 3}},
		"silent":  {all[:2], &task.Stalled{State: task.Silent, Count: 1, Remote: "a", Since: 8, Unread: 10, Others: 1}},
		"changed": {lasting(all, []task.Connection{to(1, task.Silent, "a", 9), to(4, task.NotTaken, "c", 4), to(6, task.NotTaken, "b", 5)}), &task.Stalled{State: task.NotTaken, Count: 1, Remote: "c", Since: 4, Unread: 10}},
	} {
		if got := summary(c.of, owner); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
