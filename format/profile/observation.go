package profile

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// Look is one observation of what a thread waits for.
type Look struct {
	Thread task.ThreadID
	Wait   *Wait // nil: it runs, or its wait is unknown
}

// The bounds of what a builder keeps.
const (
	maxWaits   = 16      // different waits of one thread
	maxBesides = 1 << 12 // observations in one round of threads that are not sampled
)

// looks is the state of the rounds of observations.
type looks struct {
	round     int       // the current round, counted from 0
	asked     []*record // threads observed in this round
	besides   []Look    // observations in this round of threads that are not sampled
	deadlocks []*Deadlock
}

// Look adds observations of what threads wait for, made after the last snapshot. A round is
// one observation of each thread, and may extend over several snapshots; whole ends it.
// Only the first observation of a thread in a round counts; of a later one that found the same
// wait the peer is taken. Observations of threads in no
// snapshot, such as owners of locks, are used only for deadlocks.
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
		case l.Wait != nil:
			r.addPeer(l.Wait)
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

// look counts an observation of the thread's wait.
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

// addPeer takes the peer of a wait that was found before.
func (r *record) addPeer(w *Wait) {
	if r.Wait != nil && r.Wait.like(w) && r.Wait.Peer.PID == 0 {
		r.Wait.Peer = w.Peer
	}
	i := slices.IndexFunc(r.Waits, func(before Waited) bool { return before.like(w) })
	if i >= 0 && r.Waits[i].Peer.PID == 0 {
		r.Waits[i].Peer = w.Peer
	}
}

// like reports whether two observations found the same wait, with any owner.
func (w *Wait) like(other *Wait) bool {
	return w.Call == other.Call && w.Lock == other.Lock && w.Addr == other.Addr && w.Object == other.Object && w.Receives == other.Receives &&
		(w.Lock != ThreadEnd || w.Owner == other.Owner)
}

// add counts one more observation of the wait.
func (w *Waited) add(now *Wait) {
	w.Looks++
	if w.Owner != now.Owner {
		w.Owners = w.Owners || w.Owner != 0 && now.Owner != 0
		w.Owner, w.OwnerName = 0, ""
	}
	if w.OwnerName == "" && w.Owner != 0 {
		w.OwnerName = now.OwnerName
	}
	if w.GoneOwner != now.GoneOwner {
		w.GoneOwner = 0
	}
	if w.Gone != now.Gone || w.GoneOwner == 0 {
		w.Gone = task.Outsider{}
	}
	if w.OwnerPID != now.OwnerPID {
		w.OwnerPID = 0
	}
	if w.Peer.PID == 0 {
		w.Peer = now.Peer // may be resolved only at the end
	}
	if w.Readers != now.Readers {
		w.Readers = 0
	}
}

// addWaits adds the observed waits of a thread.
func (g *gathered) addWaits(t *Thread) {
	e, weight := &g.entry, t.Weight()
	e.Looks += t.Looks * weight
	for _, w := range t.Waits {
		w.Looks *= weight
		i := slices.IndexFunc(e.Waits, func(before Waited) bool { return before.isFor(&w.Wait) })
		switch {
		case i >= 0:
			e.Waits[i].absorb(&w)
		case len(e.Waits) < maxWaits:
			e.Waits = append(e.Waits, w)
		}
	}
}

// isFor reports whether threads wait in the same call, and for the same lock if it is for one.
func (w *Wait) isFor(other *Wait) bool {
	return w.Call == other.Call && w.Lock == other.Lock && w.Receives == other.Receives &&
		(w.Lock == NoLock || w.Addr == other.Addr) && (w.Lock != ThreadEnd || w.Owner == other.Owner)
}

// absorb adds the observations of another thread. What differs of the two is left out.
func (w *Waited) absorb(other *Waited) {
	peer := w.Peer
	w.add(&other.Wait)
	w.Looks += other.Looks - 1
	w.Owners = w.Owners || other.Owners
	if w.Object != other.Object || w.Variable != other.Variable {
		w.Object, w.Variable = "", ""
	}
	if peer != other.Peer {
		w.Peer = Peer{}
	}
}

func sortedWaits(waits []Waited) []Waited {
	sorted := slices.Clone(waits)
	slices.SortStableFunc(sorted, func(a, b Waited) int { return cmp.Compare(b.Looks, a.Looks) })
	return sorted
}
