package text

import (
	"cmp"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// The ranks of threads in a report.
const (
	deadRank = iota // in a deadlock
	busyRank        // mostly running
	mainRank
	otherRank
)

// inOrder returns the profile with its threads in the order that suits a reader.
// Threads of equal rank keep their order, except that busier ones come first. Groups
// of threads, and a thread that a crash put first, stay where they are.
func inOrder(p *profile.Profile) *profile.Profile {
	if p.Target.Crash != nil || p.View != nil && p.View.By != profile.ByThread {
		return p
	}
	ordered := *p
	ordered.Threads = slices.Clone(p.Threads)
	dead := p.Deadlocked()
	slices.SortStableFunc(ordered.Threads, func(a, b *profile.Thread) int {
		x, y := rankOf(a, dead), rankOf(b, dead)
		if x == busyRank && y == busyRank {
			return cmp.Compare(b.States[task.Running], a.States[task.Running])
		}
		return cmp.Compare(x, y)
	})
	return &ordered
}

func rankOf(t *profile.Thread, dead map[task.ThreadID]bool) int {
	switch {
	case dead[t.ID]:
		return deadRank
	case t.MostlyRan():
		return busyRank
	case t.Main:
		return mainRank
	}
	return otherRank
}
