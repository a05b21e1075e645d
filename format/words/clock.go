package words

import (
	"iter"
	"time"

	"stacksnap/format/profile"
)

// Clock tells for how long samples stand.
type Clock struct {
	// each is the time from one sample to the next: 0 of a single snapshot, whose
	// samples stand for no time.
	each time.Duration
}

// NewClock spreads the time of the snapshots that were missed over those taken.
func NewClock(p *profile.Profile) Clock {
	if !p.Sampled() {
		return Clock{}
	}
	due := float64(p.Snapshots+max(0, p.MissedTicks)) / float64(p.Snapshots)
	return Clock{time.Duration(float64(p.Interval) * due)}
}

// Known reports whether samples stand for any time.
func (c Clock) Known() bool { return c.each > 0 }

// Weighed is what the samples of one stack of a thread stand for.
type Weighed struct {
	Path      []*profile.Node // outermost first; good until the next one is asked for
	Mark      string          // instead of a path, why there is none
	Samples   int
	Wall, Cpu time.Duration
}

// Stacks gives all stacks of a thread that had samples. Their time is what the
// system has counted for the thread, where it has, and else follows from the number
// of samples. All that was counted is in it: what goes with no frame that is known
// is given last, with a mark.
func (c Clock) Stacks(t *profile.Thread) iter.Seq[Weighed] {
	return func(yield func(Weighed) bool) {
		var path []*profile.Node
		rest := t.Spent
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n)
			if n.Self == 0 {
				continue
			}
			rest = left(rest, n.Spent)
			if !yield(c.timed(t, n.Self, n.Spent, Weighed{Path: path})) {
				return
			}
		}
		if s, ok := c.rest(t, rest); ok {
			yield(s)
		}
	}
}

// rest is what goes with no frame that is known: samples without a stack, and time.
func (c Clock) rest(t *profile.Thread, spent profile.Spent) (Weighed, bool) {
	switch {
	case t.Empty > 0:
		return c.timed(t, t.Empty, spent, Weighed{Mark: NoStack}), true
	case c.Known() && spent != (profile.Spent{}):
		return c.timed(t, 0, spent, Weighed{Mark: BetweenSamples}), true
	}
	return Weighed{}, false
}

// timed is a stack with its samples, and for how long these stand.
func (c Clock) timed(t *profile.Thread, samples int, spent profile.Spent, s Weighed) Weighed {
	s.Samples = samples * t.Weight()
	switch {
	case !c.Known():
	case t.Spent == profile.Spent{}:
		s.Wall = c.each * time.Duration(s.Samples)
	default:
		s.Wall, s.Cpu = spent.OnCPU+spent.Queued+spent.Blocked, spent.OnCPU
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

// CountsCPU reports whether the system has counted any thread's CPU time from sample
// to sample.
func CountsCPU(p *profile.Profile) bool {
	for _, t := range p.Threads {
		if t.Spent != (profile.Spent{}) {
			return NewClock(p).Known()
		}
	}
	return false
}

// SharedPath is how many nodes two stacks share from the outermost in.
func SharedPath(a, b []*profile.Node) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// ThreadsByFunction gives the threads as [profile.Profile.ByFunction] has them, for
// one after another: the trees of all of them are not needed at once.
func ThreadsByFunction(p *profile.Profile) iter.Seq[*profile.Thread] {
	return func(yield func(*profile.Thread) bool) {
		for _, t := range p.Threads {
			if !yield(ByFunction(p, t)) {
				return
			}
		}
	}
}

// ByFunction is one of the threads of a profile as [profile.Profile.ByFunction] has it.
func ByFunction(p *profile.Profile, t *profile.Thread) *profile.Thread {
	one := *p
	one.Threads = []*profile.Thread{t}
	return one.ByFunction().Threads[0]
}
