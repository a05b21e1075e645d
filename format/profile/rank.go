package profile

import (
	"cmp"
	"slices"
	"time"

	"stacksnap/task"
)

// ByNeed sorts processes by how much they need attention: first those with a thread that is
// stuck in the kernel, then those that wait for another process to do something other than
// end, then those that run; and each of these by CPU time. For sampled processes, stuck
// means in most samples, the others in any sample, and the CPU time is that during the
// sampling.
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

// need is the rank of a process.
type need struct {
	rank int // lower comes first
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
		case slices.ContainsFunc(t.Waits, func(w Waited) bool { return w.WaitsForOther() && w.Peer.Action != End || w.OwnerPID != 0 }):
			n.rank = min(n.rank, waitsForOther)
		case t.State == task.Running, p.Sampled() && (t.States[task.Running] > 0 || t.consumed(true) > 0):
			n.rank = min(n.rank, runs)
		}
	}
	return n
}

// consumed returns the CPU time of a thread; if it was sampled, during the sampling.
func (t *Thread) consumed(sampled bool) time.Duration {
	if sampled {
		return max(t.Used, t.Spent.OnCPU)
	}
	return t.User + t.System
}

// MostlyRan reports whether the thread was runnable in at least half of its samples.
func (t *Thread) MostlyRan() bool { return t.Samples > 0 && 2*t.States[task.Running] >= t.Samples }

func (t *Thread) isStuck(sampled bool) bool {
	if sampled {
		return 2*t.States[task.Uninterruptible] > t.Samples
	}
	return t.State == task.Uninterruptible
}
