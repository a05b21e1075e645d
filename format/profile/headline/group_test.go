package headline

import (
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// process is one of a single thread, which waits for another process.
func process(pid int, peer profile.Peer) *profile.Profile {
	var w *profile.Wait
	if peer.PID != 0 {
		w = &profile.Wait{Call: "read", Peer: peer}
	}
	t := thread(task.ThreadID(pid), task.Sleeping, w)
	t.Main = true
	p := one(t)
	p.Target = task.Info{PID: pid, OS: task.Linux}
	return p
}

// to is the only thread of a process.
func to(pid int) profile.Peer {
	return profile.Peer{PID: pid, Thread: task.ThreadID(pid), Action: profile.Write}
}

func TestOfGroup(t *testing.T) {
	busy := process(9, profile.Peer{})
	busy.Threads[0].State = task.Running
	idle := func(pid int) *profile.Profile {
		p := process(pid, profile.Peer{})
		p.Threads[0] = thread(task.ThreadID(pid), task.Sleeping, &profile.Wait{Call: "epoll_wait"})
		p.Threads[0].Main = true
		return p
	}
	unsure := to(1)
	unsure.Others = true
	manyThreads := profile.Peer{PID: 3, Action: profile.Write}
	locked := process(1, profile.Peer{})
	locked.Threads[0].Wait = &profile.Wait{Lock: profile.Mutex, Addr: 8, Owner: 11}
	locked.Threads = append(locked.Threads, thread(11, task.Sleeping, &profile.Wait{Call: "read", Peer: to(2)}))
	dead := process(5, profile.Peer{})
	dead.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 5}}}}
	sampledOne := process(1, to(2))
	sampledOne.Snapshots, sampledOne.End = 2, sampledOne.Start.Add(time.Second)
	for name, c := range map[string]struct {
		of    []*profile.Profile
		kind  GroupKind
		links []task.ThreadID
	}{
		"chain":                     {of: []*profile.Profile{process(1, to(2)), process(2, to(9)), busy}, kind: Chain, links: []task.ThreadID{1, 2, 9}},
		"the longest":               {of: []*profile.Profile{process(3, to(9)), process(1, to(2)), process(2, to(9)), busy}, kind: Chain, links: []task.ThreadID{1, 2, 9}},
		"through a thread":          {of: []*profile.Profile{locked, process(2, profile.Peer{})}, kind: Chain, links: []task.ThreadID{1, 11, 2}},
		"to one of several threads": {of: []*profile.Profile{process(1, manyThreads), process(3, to(1))}, kind: Chain, links: []task.ThreadID{1, 0}},
		"to one that is not there":  {of: []*profile.Profile{process(1, to(7)), busy}, kind: OfOne},
		"circle":                    {of: []*profile.Profile{process(4, to(1)), process(1, to(2)), process(2, to(1))}, kind: Circle, links: []task.ThreadID{1, 2}},
		"circle that may not be":    {of: []*profile.Profile{process(1, to(2)), process(2, unsure)}, kind: Chain, links: []task.ThreadID{1, 2}},
		"deadlock before a chain":   {of: []*profile.Profile{process(1, to(2)), process(2, to(9)), busy, dead}, kind: OfOne},
		"all idle":                  {of: []*profile.Profile{idle(1), idle(2)}, kind: AllIdle},
		"not all idle":              {of: []*profile.Profile{idle(1), process(2, profile.Peer{})}},
		"samples":                   {of: []*profile.Profile{sampledOne, process(2, profile.Peer{})}},
		"nothing":                   {},
	} {
		g := &profile.Group{Profiles: c.of}
		g.Deadlocks = profile.Circles(g.Waiters())
		a := OfGroup(g)
		var links []task.ThreadID
		for _, l := range a.Links {
			links = append(links, l.ID)
		}
		if a.Kind != c.kind || !slices.Equal(links, c.links) {
			t.Errorf("%s: %d %v, want %d %v", name, a.Kind, links, c.kind, c.links)
		}
	}
	missing := &profile.Group{Profiles: []*profile.Profile{idle(1), idle(2)}, Missing: []profile.Missing{{PID: 3}}}
	if a := OfGroup(missing); a.Kind != NothingCommon {
		t.Errorf("one is missing: %+v", a)
	}
}

// TestOfGroupBrief: what was there for a moment of a sampling is not what there is to say of
// it, unless it crashed or has a deadlock.
func TestOfGroupBrief(t *testing.T) {
	stuck := func(pid, snapshots int) *profile.Profile {
		t := sampled(task.ThreadID(pid), 0)
		t.Main = true
		t.States[task.Sleeping], t.States[task.Uninterruptible] = 0, t.Samples
		p := many(t)
		p.Target.PID, p.Snapshots = pid, snapshots
		return p
	}
	long, half, brief, dead := stuck(1, 10), stuck(2, 5), stuck(3, 4), stuck(4, 1)
	dead.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 4}}}}
	for want, of := range map[*profile.Profile][]*profile.Profile{
		long: {brief, long}, half: {half, long}, dead: {long, dead},
	} {
		if a := OfGroup(&profile.Group{Profiles: of}); a.Kind != OfOne || a.Profile != want {
			t.Errorf("of %d: %+v", want.Target.PID, a)
		}
	}
}

// TestMasterIsNotTheSickest: the headline is of a process that only waits for its children if no other
// one waits, whichever order they are in.
func TestMasterIsNotTheSickest(t *testing.T) {
	waiting := func(pid int, call string) *profile.Profile {
		p := process(pid, profile.Peer{})
		p.Threads[0] = thread(task.ThreadID(pid), task.Sleeping, &profile.Wait{Call: call})
		p.Threads[0].Main = true
		return p
	}
	master, worker, idle := waiting(1, "wait4"), waiting(2, "fsync"), waiting(3, "epoll_wait")
	for _, c := range []struct {
		all  []*profile.Profile
		want *profile.Profile
	}{
		{[]*profile.Profile{master, worker, idle}, worker}, {[]*profile.Profile{worker, master}, worker}, {[]*profile.Profile{master, idle}, master},
	} {
		if got := OfGroup(&profile.Group{Profiles: c.all}); got.Kind != OfOne || got.Profile != c.want {
			t.Errorf("%d of %d processes: kind %d", got.Profile.Target.PID, len(c.all), got.Kind)
		}
	}
}
