package capture

import (
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
	"stacksnap/unwind"
)

// How often to observe what threads wait for, and what that may cost. A round observes every
// thread once. It is spread over as many snapshots as it takes, so that no snapshot is missed
// for it.
const (
	roundEvery = 500 * time.Millisecond // from the start of one round to that of the next
	roundShare = 32                     // observations take at most 1/roundShare of the time

	firstCredit = 5 * time.Millisecond
	mostCredit  = 20 * time.Millisecond // maximum of saved time
	lastCredit  = 100 * time.Millisecond

	// intervalShare: observations take at most 1/intervalShare of the time to the next snapshot.
	intervalShare = 4
	leastSlice    = 250 * time.Microsecond

	// A thread that was stopped is observed again at the next snapshots until it is back in its
	// call. If snapshots are far apart, it is waited for.
	askTries   = 5
	longPauses = 50 * time.Millisecond

	maxOwners = 16 // lock owners that are captured although they are not wanted
)

// rounds decides when to observe what which thread waits for.
type rounds struct {
	begun  bool
	open   bool // a round is under way
	next   time.Time
	credit *credit                // nil before the first snapshot, unless it is shared
	asked  map[task.ThreadID]int  // in this round: number of tries, or that the thread was observed
	owners map[task.ThreadID]bool // lock owners that are not wanted: captured until they are observed
	whole  int                    // number of snapshots before the one that last ended a round
}

const answered = -1

// credit is the time that may be spent on observations.
type credit struct {
	left time.Duration
	seen time.Time // when it was last updated; zero: never
}

// renew adds the time that has become available since the last call.
func (c *credit) renew(now time.Time) {
	if c.seen.IsZero() {
		c.left, c.seen = firstCredit, now
	}
	c.left = min(c.left+now.Sub(c.seen)/roundShare, mostCredit)
	c.seen = now
}

// due reports whether to observe threads at a snapshot; before is the number of earlier
// snapshots. At the first one it returns false: all threads are just on their way back from
// having been stopped.
func (l *rounds) due(now time.Time, before int) bool {
	if !l.begun {
		*l = rounds{begun: true, credit: l.credit, next: now, asked: map[task.ThreadID]int{}, owners: map[task.ThreadID]bool{}}
	}
	if l.credit == nil {
		l.credit = new(credit)
	}
	l.credit.renew(now)
	if !l.open && before > 0 && !now.Before(l.next) {
		l.open, l.next = true, now.Add(roundEvery)
	}
	return l.open && l.credit.left > 0
}

// end ends a round.
func (l *rounds) end(before int) {
	l.open, l.whole = false, before
	clear(l.asked)
	clear(l.owners)
}

// follows reports whether to capture a thread although it is not wanted.
func (l *rounds) follows(t *task.Thread) bool { return l.owners[t.ID] }

// follow makes the owner of what a thread waits for be captured and observed, if the snapshot
// does not have it. It reports whether there is such an owner.
func (l *rounds) follow(w *profile.Wait, s *task.Snapshot) bool {
	if w == nil || w.Owner == 0 || l.owners[w.Owner] || len(l.owners) == maxOwners {
		return false
	}
	if slices.ContainsFunc(s.Threads, func(t task.Thread) bool { return t.ID == w.Owner }) {
		return false
	}
	l.owners[w.Owner] = true
	return true
}

// look observes what some of the threads of a walked snapshot wait for, if it is time to. whole
// means that this ends a round.
func (r *recorder) look(s *task.Snapshot) (looks []profile.Look, whole bool) {
	now := time.Now()
	l := &r.rounds
	if !l.due(now, r.taken) {
		return nil, false
	}
	slice := max(r.options.Interval/intervalShare, leastSlice)
	looks, whole = r.ask(s, min(slice, l.credit.left), r.options.Interval >= longPauses)
	l.credit.left -= time.Since(now)
	return looks, whole
}

// lastLook ends a round with the threads of the last snapshot, so that the report says what they
// wait for at the end.
func (r *recorder) lastLook() []profile.Look {
	if r.last == nil || !r.rounds.open && r.rounds.whole == r.taken-1 && r.taken > 1 {
		return nil
	}
	looks, _ := r.ask(r.last, lastCredit, true)
	return looks
}

// lookAtAll observes what all threads of the last snapshot wait for at the end, in a round of
// its own.
func (r *recorder) lookAtAll() []profile.Look {
	if r.rounds.open {
		r.builder.Look(r.lastLook(), true)
		r.rounds.end(r.taken - 1)
	}
	looks, _ := r.ask(r.last, lastCredit, true)
	return looks
}

// lookAtEnd is lastLook, and also finds out for which other processes the threads wait at the end. If a
// round is under way, it observes all threads again.
func (r *recorder) lookAtEnd() (looks []profile.Look) {
	if r.queried { // in a round under way, threads that were observed are observed again
		clear(r.rounds.asked)
		looks, _ = r.ask(r.last, lastCredit, true)
	} else {
		looks = r.lastLook()
	}
	if r.last == nil || len(r.questions) == 0 {
		return looks
	}
	s := &shot{target: r.target, pid: r.process.Info().PID, snapshot: *r.last, looks: looks}
	s.resolvePeers()
	if slices.ContainsFunc(looks, hasPeer) {
		r.note(askedAtEnd)
	}
	return looks
}

func hasPeer(l profile.Look) bool { return l.Wait != nil && l.Wait.Peer.PID != 0 }

// ask finds out what the threads wait for that were not observed in this round, for as long as
// there is time. With retry it waits for a thread that is on its way back into its call. whole
// means that all have been observed.
func (r *recorder) ask(s *task.Snapshot, limit time.Duration, retry bool) (looks []profile.Look, whole bool) {
	asked := r.rounds.asked
	finder := waits.New(r.process, r.tracker.images, s.Threads).WithRuntimes(r.runtimes)
	began := time.Now()
	whole = true
	defer func() {
		r.questions = finder.PeerQueries()
		r.queried = r.queried || len(r.questions) > 0
	}()
	for i := range s.Threads {
		t := &s.Threads[i]
		if asked[t.ID] == answered {
			continue
		}
		if len(looks) > 0 && time.Since(began) > limit {
			return looks, false
		}
		frames := r.stackOf(i, t)
		w, settled := finder.Ask(t, frames)
		switch {
		case !settled && retry:
			w, settled = finder.Find(t, frames)
		case !settled && asked[t.ID] < askTries-1:
			asked[t.ID]++
			whole = false
			continue
		}
		asked[t.ID] = answered
		if settled {
			looks = append(looks, profile.Look{Thread: t.ID, Wait: w})
			whole = !r.rounds.follow(w, s) && whole
		}
	}
	return looks, whole
}

// dropOwners drops the threads that were captured only because they own locks.
func (r *recorder) dropOwners(s *task.Snapshot) {
	if r.wanted == nil || len(r.rounds.owners) == 0 {
		return
	}
	r.stacks = keep(s, r.stacks, func(t *task.Thread) bool {
		drop := r.rounds.follows(t) && !r.wanted(t)
		if drop { // if it is wanted next time, it is walked again
			r.missing[t.ID] = true
		}
		return !drop
	})
}

// stackOf returns the frames of a thread of the snapshot. If its stack is the same as before, it
// was not walked at this snapshot. The frames are valid until the next call.
func (r *recorder) stackOf(i int, t *task.Thread) []unwind.Frame {
	if !r.stacks[i].Repeat {
		return r.stacks[i].Frames
	}
	r.again, _ = r.unwinder.Walk(r.again[:0], t, r.tracker.images, r.saving.memory(r.code))
	return r.again
}

// waitsOf finds, while the target runs, what the wanted threads (nil: all) wait for, and what
// the owners of their locks wait for. It returns the observations, and the open queries.
func (s *shot) waitsOf(wanted func(*task.Thread) bool) (looks []profile.Look, open []waits.PeerQuery) {
	finder := waits.New(s.process, s.tracker.images, s.snapshot.Threads).WithRuntimes(s.runtimes)
	asked := make([]bool, len(s.stacks))
	var ask func(i int)
	ask = func(i int) {
		asked[i] = true
		t := &s.snapshot.Threads[i]
		w, settled := finder.Find(t, s.stacks[i].Frames)
		if !settled && w == nil {
			return
		}
		looks = append(looks, profile.Look{Thread: t.ID, Wait: w})
		if owner := s.owner(w); owner >= 0 && !asked[owner] {
			ask(owner)
		}
	}
	for i := range s.stacks {
		if !asked[i] && (wanted == nil || wanted(&s.snapshot.Threads[i])) {
			ask(i)
		}
	}
	return looks, finder.PeerQueries()
}

// owner returns the index in the snapshot of the thread that holds what is waited for; −1 if
// none is known.
func (s *shot) owner(w *profile.Wait) int {
	if w == nil || w.Owner == 0 {
		return -1
	}
	return slices.IndexFunc(s.snapshot.Threads, func(t task.Thread) bool { return t.ID == w.Owner })
}
