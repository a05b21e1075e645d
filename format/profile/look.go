package profile

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// Look is the answer to the question what a thread waits for.
type Look struct {
	Thread task.ThreadID
	Wait   *Wait // nil: it runs, or that is not known
}

// The bounds of what is kept.
const (
	maxWaits   = 16      // things for which one thread is found to wait
	maxBesides = 1 << 12 // looks in one round at threads that are not sampled
)

// looks is what looks at the threads have found besides what each waits for.
type looks struct {
	round     int       // that goes on, counted from 0
	asked     []*record // in this round
	besides   []Look    // in this round, at threads that are not sampled
	deadlocks []*Deadlock
}

// Look adds what threads of the last snapshot that was added wait for. Looks at
// all threads are a round, which may be spread over several snapshots; whole
// ends it. Of one thread only the first look in a round counts. Looks at threads
// that are in no snapshot, the owners of locks, count for deadlocks alone.
func (b *Builder) Look(all []Look, whole bool) {
	for _, l := range all {
		r := b.last[l.Thread]
		switch {
		case r == nil && len(b.looks.besides) < maxBesides:
			b.looks.besides = append(b.looks.besides, l)
		case r == nil:
		case r.asked <= b.looks.round:
			r.asked = b.looks.round + 1
			r.look(l.Wait)
			r.moments.keepLook(l.Wait, b.p.Snapshots-1)
			b.looks.asked = append(b.looks.asked, r)
		}
	}
	if whole {
		b.endRound()
	}
}

func (b *Builder) endRound() {
	l := &b.looks
	if len(l.asked) > 0 {
		b.judge()
		l.round++
	}
	clear(l.asked)
	l.asked, l.besides = l.asked[:0], l.besides[:0]
}

// look counts what a thread was found to wait for.
func (r *record) look(w *Wait) {
	r.Looks++
	if r.Wait = nil; w == nil {
		return
	}
	own := *w
	r.Wait = &own
	i := slices.IndexFunc(r.Waits, func(before Waited) bool { return before.like(w) })
	switch {
	case i >= 0:
		r.Waits[i].add(w)
	case len(r.Waits) < maxWaits:
		r.Waits = append(r.Waits, Waited{Wait: own, Looks: 1})
	}
}

// like reports whether two looks have found the same thing waited for, whoever
// holds it.
func (w *Wait) like(other *Wait) bool {
	return w.Call == other.Call && w.Lock == other.Lock && w.Addr == other.Addr && w.Object == other.Object && w.Receives == other.Receives &&
		(w.Lock != ThreadEnd || w.Owner == other.Owner)
}

// add counts one more look.
func (w *Waited) add(now *Wait) {
	w.Looks++
	if w.Owner != now.Owner {
		w.Owners = w.Owners || w.Owner != 0 && now.Owner != 0
		w.Owner, w.OwnerName = 0, ""
	}
	if w.OwnerName == "" && w.Owner != 0 {
		w.OwnerName = now.OwnerName
	}
	if w.OwnerPID != now.OwnerPID {
		w.OwnerPID = 0
	}
	if w.Peer.PID == 0 {
		w.Peer = now.Peer // which may be asked at the end alone
	}
	if w.Readers != now.Readers {
		w.Readers = 0
	}
}

func sortedWaits(waits []Waited) []Waited {
	sorted := slices.Clone(waits)
	slices.SortStableFunc(sorted, func(a, b Waited) int { return cmp.Compare(b.Looks, a.Looks) })
	return sorted
}
