package text

import (
	"cmp"
	"fmt"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// The bounds of the list of busy threads.
const (
	maxBusy   = 5
	leastBusy = 0.01 // of the time
)

// busyThreads lists the threads that ran most, if there are several threads: the share of
// the time, and the innermost functions of the busiest stack.
func (p *printer) busyThreads() {
	var busy []*profile.Thread
	share := func(t *profile.Thread) float64 { return ranShare(p.Profile, t) }
	for _, t := range p.Profile.Threads {
		if share(t) >= leastBusy {
			busy = append(busy, t)
		}
	}
	if len(busy) == 0 || len(p.Profile.Threads) == 1 {
		return
	}
	slices.SortStableFunc(busy, func(a, b *profile.Thread) int { return cmp.Compare(share(b), share(a)) })
	line := words.NewStackLine(p.Profile, p.Width)
	p.Line("")
	p.Line("Busiest threads, with the part of the time that they %s:", ranWord(p.Profile))
	for _, t := range busy[:min(len(busy), maxBusy)] {
		text := fmt.Sprintf("%8s  %s: %s", words.Percent(share(t)), words.ThreadTitle(p.Profile, t), line.Stack(t.Busiest()))
		p.Line("%s", words.Clip(text, line.Width))
	}
	if rest := p.Profile.NumThreads() - weightOf(busy[:min(len(busy), maxBusy)]); rest > 0 {
		p.Line("          … %s", words.Plural(rest, "more thread"))
	}
}

// ranWord returns the words for the shares that [ranShare] returns.
func ranWord(p *profile.Profile) string {
	for _, t := range p.Threads {
		if t.Spent != (profile.Spent{}) {
			return "were on a CPU"
		}
	}
	return "ran or were ready to"
}

// ranShare returns the share of all time in which each thread of an entry was on a
// CPU. If the CPU time is unknown, it returns the share of all snapshots in which the
// thread could run.
func ranShare(p *profile.Profile, t *profile.Thread) float64 {
	part, whole := float64(t.States[task.Running]), float64(p.Snapshots)
	if t.Spent != (profile.Spent{}) {
		part, whole = float64(t.Spent.OnCPU)/float64(t.Weight()), float64(p.Duration())
	}
	if whole <= 0 {
		return 0
	}
	return min(part/whole, 1)
}
