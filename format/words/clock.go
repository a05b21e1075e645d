package words

import (
	"iter"
	"time"

	"stacksnap/format/profile"
)

// Clock computes the time that samples represent.
type Clock struct {
	// each is the time that one sample represents; 0 for a single snapshot, whose samples
	// represent none.
	each time.Duration
}

// NewClock returns a clock that distributes the time of missed snapshots over those taken.
func NewClock(p *profile.Profile) Clock {
	if !p.Sampled() {
		return Clock{}
	}
	due := float64(p.Snapshots+max(0, p.MissedTicks)) / float64(p.Snapshots)
	return Clock{time.Duration(float64(p.Interval) * due)}
}

// Known reports whether samples represent any time.
func (c Clock) Known() bool { return c.each > 0 }

// Weighed is one stack of a thread, with the number and time of its samples.
type Weighed struct {
	Path      []*profile.Node // outermost frame first; valid until the next iteration
	Mark      string          // reason why there is no path; empty if there is one
	Samples   int
	Wall, Cpu time.Duration
}

// Stacks iterates over the stacks of a thread that have samples. Their time is the one that
// the system measured, or else is computed from the number of samples. The sum is complete:
// samples and time without any frame come last, with a mark.
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

// rest returns the samples and time that belong to no frame; false if there are none.
func (c Clock) rest(t *profile.Thread, spent profile.Spent) (Weighed, bool) {
	switch {
	case t.Empty > 0:
		return c.timed(t, t.Empty, spent, Weighed{Mark: NoStack}), true
	case c.Known() && spent != (profile.Spent{}):
		return c.timed(t, 0, spent, Weighed{Mark: BetweenSamples}), true
	}
	return Weighed{}, false
}

// timed sets the number and time of a stack's samples.
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

// left returns whole minus part.
func left(whole, part profile.Spent) profile.Spent {
	return profile.Spent{
		OnCPU:   max(0, whole.OnCPU-part.OnCPU),
		Queued:  max(0, whole.Queued-part.Queued),
		Blocked: max(0, whole.Blocked-part.Blocked),
	}
}

// CountsCPU reports whether the system measured the CPU time of any thread from sample to
// sample.
func CountsCPU(p *profile.Profile) bool {
	for _, t := range p.Threads {
		if t.Spent != (profile.Spent{}) {
			return NewClock(p).Known()
		}
	}
	return false
}

// SharedPath returns the number of nodes that two stacks share, from the outermost inwards.
func SharedPath(a, b []*profile.Node) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// ThreadsByFunction iterates over the threads as [profile.Profile.ByFunction] returns them.
// It converts them one by one, as the trees of all are not needed at once.
func ThreadsByFunction(p *profile.Profile) iter.Seq[*profile.Thread] {
	return func(yield func(*profile.Thread) bool) {
		for _, t := range p.Threads {
			if !yield(ByFunction(p, t)) {
				return
			}
		}
	}
}

// ByFunction returns one thread of a profile as [profile.Profile.ByFunction] does.
func ByFunction(p *profile.Profile, t *profile.Thread) *profile.Thread {
	one := *p
	one.Threads = []*profile.Thread{t}
	return one.ByFunction().Threads[0]
}
