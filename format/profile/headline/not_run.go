package headline

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
)

// withNotRun adds a lower bound of how long the headline's finding has lasted: none of the
// threads that it is about has run since.
func (h Headline) withNotRun(p *profile.Profile) Headline {
	if p.Sampled() {
		return h
	}
	switch h.Kind {
	case Deadlocked:
		in := p.Deadlocked()
		h.NotRun = leastNotRun(p, func(t *profile.Thread) bool { return in[t.ID] })
	case Stopped:
		h.NotRun = leastNotRun(p, func(*profile.Thread) bool { return true })
	case Convoy:
		of := lockOf(h.Thread, h.Wait)
		h.NotRun = leastNotRun(p, func(t *profile.Thread) bool { return t.Wait != nil && lockOf(t, t.Wait) == of })
	case Alike:
		here := waitPlace(h.Wait, h.Own)
		h.NotRun = leastNotRun(p, func(t *profile.Thread) bool {
			return !t.Main && t.Wait != nil && waitPlace(t.Wait, waits.Waiter(t.Heaviest())) == here
		})
	case Locked, Stuck, Blocked, Stalled, Idle:
		h.NotRun = h.Thread.NotRun
	}
	return h
}

// leastNotRun returns how long none of the selected threads has run; 0 if that is not known for
// all of them.
func leastNotRun(p *profile.Profile, is func(*profile.Thread) bool) time.Duration {
	least := time.Duration(-1)
	for _, t := range p.Threads {
		if is(t) && (least < 0 || t.NotRun < least) {
			least = t.NotRun
		}
	}
	return max(least, 0)
}
