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

// maxWaits bounds the things for which one thread is found to wait.
const maxWaits = 16

// looks is what looks at the threads have found besides what each waits for.
type looks struct {
	round     int       // that goes on, counted from 0
	asked     []*record // in this round
	deadlocks []*Deadlock
}

// Look adds what threads of the last snapshot that was added wait for. Looks at
// all threads are a round, which may be spread over several snapshots; whole
// ends it. Of one thread only the first look in a round counts.
func (b *Builder) Look(all []Look, whole bool) {
	for _, l := range all {
		r := b.last[l.Thread]
		if r == nil || r.asked > b.looks.round {
			continue
		}
		r.asked = b.looks.round + 1
		r.look(l.Wait)
		b.looks.asked = append(b.looks.asked, r)
	}
	if whole && len(b.looks.asked) > 0 {
		b.judge()
		b.looks.round++
		clear(b.looks.asked)
		b.looks.asked = b.looks.asked[:0]
	}
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

// like tells whether two looks have found the same thing waited for, whoever
// holds it.
func (w *Wait) like(other *Wait) bool {
	return w.Call == other.Call && w.Lock == other.Lock && w.Addr == other.Addr && w.Object == other.Object &&
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
	if w.Readers != now.Readers {
		w.Readers = 0
	}
}

func sortedWaits(waits []Waited) []Waited {
	sorted := slices.Clone(waits)
	slices.SortStableFunc(sorted, func(a, b Waited) int { return cmp.Compare(b.Looks, a.Looks) })
	return sorted
}
