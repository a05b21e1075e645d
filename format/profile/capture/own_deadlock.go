package capture

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// checkDeadlocks removes the owners of locks from the waits of threads that seem deadlocked
// with one another and are not. Threads that pass locks to one another show such a cycle, for
// one after another is asked while they run.
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

// isDeadlock proves that a cycle of waits of the process's own threads is a deadlock: it is
// found again, and none of the threads has woken meanwhile, where the system counts that.
func (s *shot) isDeadlock(d *profile.Deadlock) bool {
	g := &several{shots: []*shot{s}}
	var sleepers []sleeper
	for i := range d.Waiters {
		if d.Waiters[i].Wait.Lock == profile.GIL {
			continue // it wakes again and again, and goes on waiting while the holder sleeps
		}
		if one, ok := g.watch(&d.Waiters[i]); ok {
			defer one.watch.Close()
			sleepers = append(sleepers, one)
		}
	}
	return slices.ContainsFunc(profile.CirclesWithin(g.again(d)), d.Same) &&
		!slices.ContainsFunc(sleepers, func(one sleeper) bool { return one.hasWoken() })
}

// hasWoken reports whether the thread runs, or has slept once more since it was watched. The
// threads of a stopped process neither sleep nor run.
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
