package words

import (
	"iter"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// Stretch is a run of equal samples of a thread.
type Stretch struct {
	From, To time.Duration // times from the profile's start; To is the time of the next snapshot
	Node     *profile.Node // the innermost frame; nil: unknown
	State    task.State
	Waits    string // the thread's wait; empty if it does not wait, or not for long
}

// Stretches iterates over the samples of a thread in the order of time. There are none if
// the times were not kept.
func (w *Words) Stretches(t *profile.Thread) iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		for s := range timeline.Stretches(w.p.Profile, t) {
			one := Stretch{From: s.At, To: s.Until, Node: s.Node, State: s.State}
			if s.Waits() {
				one.Waits = "waits " + w.WaitOf(t, &s)
			}
			if !yield(one) {
				return
			}
		}
	}
}

// Absence is a time in which no sample found a thread in the wait of its run loop.
type Absence struct{ From, To time.Duration }

// Hangs returns the absences of a thread of 250 ms or more. A thread without a run loop has
// none.
func (w *Words) Hangs(t *profile.Thread) (all []Absence) {
	for _, a := range timeline.LongAbsences(w.p.Profile, t) {
		all = append(all, Absence{a.From, a.To})
	}
	return all
}
