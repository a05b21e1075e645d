package capture

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// isDeadlock proves that a cycle of waits is a deadlock. Two processes that answer each other
// may also show such a cycle, though they never wait for each other at the same moment. So it
// finds out again what the threads wait for, and none of them may wake meanwhile.
func (g *several) isDeadlock(d *profile.Deadlock) bool {
	var sleepers []sleeper
	defer func() {
		for _, s := range sleepers {
			_ = s.watch.Close()
		}
	}()
	for i := range d.Waiters {
		s, ok := g.watch(&d.Waiters[i])
		if !ok {
			return false
		}
		sleepers = append(sleepers, s)
		if !s.isAsleep() {
			return false
		}
	}
	proven := slices.ContainsFunc(profile.Circles(g.again(d)), d.Same)
	for i := range sleepers {
		proven = proven && sleepers[i].sleptOn()
	}
	return proven
}

// sleeper is a thread that is observed while it sleeps.
type sleeper struct {
	watch  task.ThreadWatch
	before task.Counters
}

func (g *several) watch(w *profile.Waiter) (sleeper, bool) {
	i := slices.IndexFunc(g.shots, func(s *shot) bool { return s.whole() && s.pid == w.PID })
	if i < 0 {
		return sleeper{}, false
	}
	activity := g.shots[i].process.Capabilities().Activity
	if activity == nil {
		return sleeper{}, false
	}
	return newSleeper(activity, w.ID)
}

func newSleeper(activity task.ActivityReader, id task.ThreadID) (sleeper, bool) {
	watch, err := activity.WatchThread(id)
	if err != nil {
		return sleeper{}, false
	}
	s := sleeper{watch: watch}
	if s.before, err = watch.Counters(); err != nil || !s.before.HasSleeps {
		_ = watch.Close()
		return sleeper{}, false
	}
	return s, true
}

// isAsleep reports whether the thread sleeps, in a call.
func (s *sleeper) isAsleep() bool {
	g, err := s.watch.Observe()
	return err == nil && g.State == task.Sleeping && g.Call.State == task.InCall
}

// sleptOn reports whether the thread has slept without waking since. A thread that woke and
// sleeps again has a higher count of sleeps.
func (s *sleeper) sleptOn() bool {
	if !s.isAsleep() {
		return false
	}
	now, err := s.watch.Counters()
	return err == nil && now.HasSleeps && now.Sleeps == s.before.Sleeps
}

// again finds out again what the threads of a deadlock wait for.
func (g *several) again(d *profile.Deadlock) (waiters []profile.Waiter) {
	looks, open := map[*shot][]profile.Look{}, map[*shot][]waits.PeerQuery{}
	for _, s := range g.shots {
		if s.whole() {
			looks[s], open[s] = s.waitsOf(func(t *task.Thread) bool {
				return slices.ContainsFunc(d.Waiters, func(w profile.Waiter) bool { return w.PID == s.pid && w.ID == t.ID })
			})
		}
	}
	g.resolve(func(s *shot) []waits.PeerQuery { return open[s] })
	for s, found := range looks {
		waiters = append(waiters, s.waiters(found)...)
	}
	return waiters
}
