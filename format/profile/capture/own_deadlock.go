package capture

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// checkDeadlocks removes the owners of locks from the waits of threads that seem deadlocked with
// each other but are not. Threads that pass locks to each other can show such a cycle, because
// they run while they are observed one after another.
func (s *shot) checkDeadlocks() {
	var all []profile.Waiter
	for _, l := range s.looks {
		if l.Wait != nil && l.Wait.Owner != 0 {
			all = append(all, profile.Waiter{ID: l.Thread, Wait: *l.Wait, PID: s.pid})
		}
	}
	for _, d := range profile.CirclesWithin(all) {
		if !s.isDeadlock(&d) {
			s.forgetOwners(&d)
		}
	}
}

// isDeadlock proves that a cycle of waits of the process's own threads is a deadlock: a second
// observation finds it again, and none of the threads has woken meanwhile, where the system
// counts that.
func (s *shot) isDeadlock(d *profile.Deadlock) bool {
	g := &several{shots: []*shot{s}}
	var sleepers []sleeper
	for i := range d.Waiters {
		if d.Waiters[i].Wait.Lock == profile.GIL {
			continue // a waiter wakes periodically, and keeps waiting while the holder sleeps
		}
		if one, ok := g.watch(&d.Waiters[i]); ok {
			defer one.watch.Close()
			sleepers = append(sleepers, one)
		}
	}
	return slices.ContainsFunc(profile.CirclesWithin(g.again(d)), d.Same) &&
		!slices.ContainsFunc(sleepers, func(one sleeper) bool { return one.hasWoken() })
}

// hasWoken reports whether the thread runs, or has woken and gone to sleep again since the watch
// began. The threads of a stopped process do neither.
func (s *sleeper) hasWoken() bool {
	g, err := s.watch.Observe()
	if err != nil || g.State == task.Running {
		return true
	}
	now, err := s.watch.Counters()
	return err != nil || now.Sleeps != s.before.Sleeps
}

func (s *shot) forgetOwners(d *profile.Deadlock) {
	for _, l := range s.looks {
		if slices.ContainsFunc(d.Waiters, func(w profile.Waiter) bool { return w.ID == l.Thread }) {
			l.Wait.Owner, l.Wait.OwnerName = 0, ""
		}
	}
}

// maxHung is the largest number of threads for which findHung proves that none can wake another.
const maxHung = 500

// findHung sets [profile.Wait].Hung if there is a moment at which all threads of the process sleep in
// futexes without a timeout, so that none is left to wake another.
func (s *shot) findHung() {
	if !s.whole() {
		return
	}
	able := s.process.Capabilities()
	joins := map[task.ThreadID]task.ThreadID{}
	for _, l := range s.looks {
		if l.Wait == nil || l.Wait.Call != "futex" {
			return
		}
		if l.Wait.Lock == profile.ThreadEnd {
			joins[l.Thread] = l.Wait.Owner
		}
	}
	if len(s.looks) == 0 || len(s.snapshot.Threads) > maxHung || able.WokenOtherwise == nil || able.Activity == nil || able.WokenOtherwise() {
		return
	}
	if !s.allAsleep(able.Activity, joins) || able.WokenOtherwise() {
		return
	}
	for _, l := range s.looks {
		l.Wait.Hung = len(s.snapshot.Threads)
	}
}

// allAsleep proves that at one moment all threads of the process slept in futexes without a
// timeout: the threads of the snapshot did, and there are no others. joins has, for a thread
// that waits for another to end, that other one: the kernel wakes the waiting thread then, with
// a key that is not private.
func (s *shot) allAsleep(activity task.ActivityReader, joins map[task.ThreadID]task.ThreadID) bool {
	sleepers := map[task.ThreadID]*sleeper{}
	defer func() {
		for _, one := range sleepers {
			_ = one.watch.Close()
		}
	}()
	for i := range s.snapshot.Threads {
		id := s.snapshot.Threads[i].ID
		one, ok := newSleeper(activity, id)
		if !ok {
			return false
		}
		sleepers[id] = &one
		if !one.isEndless(s.process.Info().Arch, joins[id]) {
			return false
		}
	}
	now, err := s.process.Threads()
	if err != nil || slices.ContainsFunc(now, func(id task.ThreadID) bool { return sleepers[id] == nil }) {
		return false
	}
	for _, one := range sleepers {
		if !one.sleptOn() {
			return false
		}
	}
	return true
}

// isEndless reports whether the thread sleeps without a timeout in a futex that only threads of
// its process can wake, or waits for the end of the thread joins. In that case the futex has the
// id of that thread.
func (s *sleeper) isEndless(arch task.Arch, joins task.ThreadID) bool {
	g, err := s.watch.Observe()
	if err != nil || g.State != task.Sleeping {
		return false
	}
	endless, private := waits.IsEndless(arch, &g.Call)
	return endless && (private || joins != 0 && task.ThreadID(uint32(g.Call.Args[2])) == joins)
}
