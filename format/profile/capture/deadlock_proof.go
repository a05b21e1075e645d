package capture

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// isDeadlock proves of a circle that it is one: two processes that answer each other are
// each seen to wait for the other, only never both at once. What the threads wait for
// is asked once more, and all that while not one of them wakes.
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
	stands := slices.ContainsFunc(g.again(d), d.Same)
	for i := range sleepers {
		stands = stands && sleepers[i].sleptOn()
	}
	return stands
}

// sleeper is a thread that is watched while it sleeps.
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
	watch, err := activity.WatchThread(w.ID)
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
	g, err := s.watch.Glance()
	return err == nil && g.State == task.Sleeping && g.Call.State == task.InCall
}

// sleptOn reports whether the thread sleeps still and has not woken since before: to be
// asleep again it would have isAsleep asleep once more.
func (s *sleeper) sleptOn() bool {
	if !s.isAsleep() {
		return false
	}
	now, err := s.watch.Counters()
	return err == nil && now.HasSleeps && now.Sleeps == s.before.Sleeps
}

// again asks once more what the threads of a circle wait for.
func (g *several) again(d *profile.Deadlock) []profile.Deadlock {
	looks, open := map[*shot][]profile.Look{}, map[*shot][]waits.PeerQuery{}
	for _, s := range g.shots {
		if s.whole() {
			looks[s], open[s] = s.waitsOf(func(t *task.Thread) bool {
				return slices.ContainsFunc(d.Waiters, func(w profile.Waiter) bool { return w.PID == s.pid && w.ID == t.ID })
			})
		}
	}
	g.tellOf(func(s *shot) []waits.PeerQuery { return open[s] })
	var waiters []profile.Waiter
	for s, found := range looks {
		waiters = append(waiters, s.waiters(found)...)
	}
	return profile.Circles(waiters)
}
