package headline

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/format/profile/waits/python"
	"stacksnap/task"
)

// leastConvoy is the least number of threads waiting for one lock that is more important
// than the main thread's wait.
const leastConvoy = 3

// lock identifies a lock in memory.
type lock struct {
	addr   task.Addr
	object string // for a lock of Python's: what its system call waits for
}

// lockOf returns the lock that a wait is for; the zero lock if it is for none. The thread is
// used only for a lock of Python's.
func lockOf(t *profile.Thread, w *profile.Wait) lock {
	switch {
	case w.Lock == profile.ThreadEnd:
		return lock{}
	case w.Lock != profile.NoLock:
		return lock{addr: w.Addr}
	case python.IsLock(python.Wait(t, w)):
		return lock{object: w.Object}
	}
	return lock{}
}

// convoy returns the lock in memory with the most waiters, if there are at least
// leastConvoy.
func convoy(p *profile.Profile) Headline {
	var best Headline
	at := map[lock]int{}
	main := map[lock]bool{}
	callers := map[lock][]*profile.Node{}
	var most lock
	for _, t := range p.Threads {
		w, looks := wait(p, t)
		if w == nil {
			continue
		}
		l := lockOf(t, w)
		if l == (lock{}) {
			continue
		}
		at[l] += t.Weight()
		main[l] = main[l] || t.Main
		callers[l] = append(callers[l], waits.Waiter(t.Heaviest()))
		if n := at[l]; n >= leastConvoy && n > best.Threads {
			best, most = Headline{Kind: Convoy, Threads: n, Wait: w, Looks: looks}, l
			if l.object != "" {
				best.Thread = t
			}
		}
	}
	if best.Kind != None {
		best.Main, best.Own = main[most], common(callers[most])
	}
	return best
}

// common returns the first of the frames if all are of one function, else nil.
func common(frames []*profile.Node) *profile.Node {
	for _, n := range frames {
		if n == nil || keyOf(n) != keyOf(frames[0]) {
			return nil
		}
	}
	return frames[0]
}
