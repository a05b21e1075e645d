package profile

import (
	"cmp"
	"slices"
	"time"

	"stacksnap/task"
)

// ByNeed puts processes in the order in which a person looks at them: those with a
// thread that is stuck in the kernel, that has waited for another process to do more
// than to end, or that runs, and in each case the one that has used more CPU time first.
// Of a sampled one that is for most of the samples, and in any of them; and the CPU time
// is that since.
func ByNeed(all []*Profile) {
	needs := make(map[*Profile]need, len(all))
	for _, p := range all {
		needs[p] = needOf(p)
	}
	slices.SortStableFunc(all, func(a, b *Profile) int {
		x, y := needs[a], needs[b]
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(y.used, x.used))
	})
}

// need is what a process is looked at for.
type need struct {
	rank int // the lower, the sooner
	used time.Duration
}

// The ranks.
const (
	isStuck = iota
	waitsForOther
	runs
	isIdle
)

func needOf(p *Profile) need {
	n := need{rank: isIdle}
	for _, t := range p.Threads {
		n.used += t.consumed(p.Sampled())
		switch {
		case t.isStuck(p.Sampled()):
			n.rank = min(n.rank, isStuck)
		case slices.ContainsFunc(t.Waits, func(w Waited) bool { return w.Peer.PID != 0 && w.Peer.Action != End || w.OwnerPID != 0 }):
			n.rank = min(n.rank, waitsForOther)
		case t.State == task.Running, p.Sampled() && (t.States[task.Running] > 0 || t.consumed(true) > 0):
			n.rank = min(n.rank, runs)
		}
	}
	return n
}

// consumed is the CPU time that a thread has used: in a sampling, since that began.
func (t *Thread) consumed(sampled bool) time.Duration {
	if sampled {
		return max(t.Used, t.Spent.OnCPU)
	}
	return t.User + t.System
}

func (t *Thread) isStuck(sampled bool) bool {
	if sampled {
		return 2*t.States[task.Uninterruptible] > t.Samples
	}
	return t.State == task.Uninterruptible
}
