package task

import "time"

// pace reduces the number of snapshots where stops take too much of the target's time.
type pace struct {
	most    float64       // the fraction of the time that stops may take; 0: any
	longest int           // the upper bound of every
	every   int           // of so many snapshots that are due, one is taken
	begun   bool          // the first snapshot was taken; it copies most, and is not counted
	since   time.Duration // start of the period that is being judged
	stopped time.Duration // time in stops in this period
	taken   int           // snapshots in this period
}

const (
	judgedTime    = time.Second // the shortest period to judge
	judgedTaken   = 4           // the fewest snapshots in it
	longestPause  = 500 * time.Millisecond
	restoredShare = 4 // the rate is doubled again when stops take less than 1/restoredShare of what they may
)

func newPace(most float64, interval time.Duration) pace {
	if interval <= 0 {
		return pace{every: 1}
	}
	return pace{most: most, longest: max(1, int(longestPause/interval)), every: 1}
}

// next returns how many due snapshots there are for each one to take. It is called at the time
// now, after a snapshot that stopped the target for the time stopped.
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

// everyFor returns how many due snapshots there should be for each one that is taken. Stops took
// the fraction share of the time with the present number, and may take most. It doubles the
// number until they would take no more than that. It halves the number only if stops would then
// still take less than half of most, so that the number does not oscillate.
func everyFor(every int, share, most float64, longest int) int {
	for ; share > most && every < longest; share /= 2 {
		every *= 2
	}
	if every > 1 && share < most/restoredShare {
		every /= 2
	}
	return min(every, longest)
}
