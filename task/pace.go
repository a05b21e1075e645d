package task

import "time"

// pace takes fewer snapshots than are due where stops take too much of the target's time.
type pace struct {
	most    float64       // the part of the time that stops may take; 0: any
	longest int           // the most of every
	every   int           // one in so many snapshots that are due is taken
	begun   bool          // the first snapshot, which copies most, is not judged
	since   time.Duration // since when stops are judged
	stopped time.Duration // in stops since then
	taken   int           // snapshots since then
}

const (
	judgedTime    = time.Second // over which stops are judged, at least
	judgedTaken   = 4           // snapshots, likewise
	longestPause  = 500 * time.Millisecond
	restoredShare = 4 // the pace is doubled again at one part in so many of what stops may take
)

func newPace(most float64, interval time.Duration) pace {
	if interval <= 0 {
		return pace{every: 1}
	}
	return pace{most: most, longest: max(1, int(longestPause/interval)), every: 1}
}

// next returns how many snapshots that are due make one that is taken, after one that
// stopped the target for so long.
func (p *pace) next(now, stopped time.Duration) int {
	if p.most == 0 {
		return p.every
	}
	if !p.begun {
		p.begun, p.since = true, now
		return p.every
	}
	p.stopped += stopped
	p.taken++
	if elapsed := now - p.since; elapsed >= judgedTime && p.taken >= judgedTaken {
		p.every = everyFor(p.every, float64(p.stopped)/float64(elapsed), p.most, p.longest)
		p.since, p.stopped, p.taken = now, 0, 0
	}
	return p.every
}

// everyFor returns how many due snapshots make one that is taken, where stops take that share of
// the time with the present number, and may take most. It doubles the number until they would take
// no more. It halves the number only if they would still take half of most at the most, so that
// it does not go to and fro.
func everyFor(every int, share, most float64, longest int) int {
	for ; share > most && every < longest; share /= 2 {
		every *= 2
	}
	if every > 1 && share < most/restoredShare {
		every /= 2
	}
	return min(every, longest)
}
