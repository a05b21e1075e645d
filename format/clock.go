package format

import (
	"iter"
	"time"

	"stacksnap/format/profile"
)

// clock tells for how long samples stand.
type clock struct {
	// each is the time from one sample to the next: 0 of a single snapshot, whose
	// samples stand for no time.
	each time.Duration
}

// newClock spreads the time of the snapshots that were missed over those taken.
func newClock(p *profile.Profile) clock {
	if !p.Sampled() {
		return clock{}
	}
	due := float64(p.Snapshots+max(0, p.MissedTicks)) / float64(p.Snapshots)
	return clock{time.Duration(float64(p.Interval) * due)}
}

// known tells whether samples stand for any time.
func (c clock) known() bool { return c.each > 0 }

// weighed is what the samples of one stack of a thread stand for.
type weighed struct {
	path      []*profile.Node // outermost first; good until the next one is asked for
	mark      string          // instead of a path, why there is none
	samples   int
	wall, cpu time.Duration
}

// stacks gives all stacks of a thread that had samples. Their time is what the
// system has counted for the thread, where it has, and else follows from the number
// of samples. All that was counted is in it: what goes with no frame that is known
// is given last, with a mark.
func (c clock) stacks(t *profile.Thread) iter.Seq[weighed] {
	return func(yield func(weighed) bool) {
		var path []*profile.Node
		rest := t.Spent
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n)
			if n.Self == 0 {
				continue
			}
			rest = left(rest, n.Spent)
			if !yield(c.timed(t, n.Self, n.Spent, weighed{path: path})) {
				return
			}
		}
		if s, ok := c.rest(t, rest); ok {
			yield(s)
		}
	}
}

// rest is what goes with no frame that is known: samples without a stack, and time.
func (c clock) rest(t *profile.Thread, spent profile.Spent) (weighed, bool) {
	switch {
	case t.Empty > 0:
		return c.timed(t, t.Empty, spent, weighed{mark: noStack}), true
	case c.known() && spent != (profile.Spent{}):
		return c.timed(t, 0, spent, weighed{mark: betweenSamples}), true
	}
	return weighed{}, false
}

// timed is a stack with its samples, and for how long these stand.
func (c clock) timed(t *profile.Thread, samples int, spent profile.Spent, s weighed) weighed {
	s.samples = samples * t.Weight()
	switch {
	case !c.known():
	case t.Spent == profile.Spent{}:
		s.wall = c.each * time.Duration(s.samples)
	default:
		s.wall, s.cpu = spent.OnCPU+spent.Queued+spent.Blocked, spent.OnCPU
	}
	return s
}

// left is what remains of a time without a part of it.
func left(whole, part profile.Spent) profile.Spent {
	return profile.Spent{
		OnCPU:   max(0, whole.OnCPU-part.OnCPU),
		Queued:  max(0, whole.Queued-part.Queued),
		Blocked: max(0, whole.Blocked-part.Blocked),
	}
}

// countsCPU tells whether the system has counted any thread's CPU time from sample
// to sample.
func countsCPU(p *profile.Profile) bool {
	for _, t := range p.Threads {
		if t.Spent != (profile.Spent{}) {
			return newClock(p).known()
		}
	}
	return false
}

// shared is how many nodes two stacks share from the outermost in.
func shared(a, b []*profile.Node) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// threadsByFunction gives the threads as [profile.Profile.ByFunction] has them, for
// one after another: the trees of all of them are not needed at once.
func threadsByFunction(p *profile.Profile) iter.Seq[*profile.Thread] {
	return func(yield func(*profile.Thread) bool) {
		for _, t := range p.Threads {
			if !yield(byFunction(p, t)) {
				return
			}
		}
	}
}

// byFunction is one of the threads of a profile as [profile.Profile.ByFunction] has it.
func byFunction(p *profile.Profile, t *profile.Thread) *profile.Thread {
	one := *p
	one.Threads = []*profile.Thread{t}
	return one.ByFunction().Threads[0]
}
