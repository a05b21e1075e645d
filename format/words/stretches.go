package words

import (
	"iter"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// Stretch is samples of a thread one after another that found the same.
type Stretch struct {
	From, To time.Duration // after the profile's start; To is when the next snapshot was taken
	Node     *profile.Node // the innermost frame; nil: none is known
	State    task.State
	Waits    string // what the thread waits for; empty where it does not, or not for long
}

// Stretches gives what the samples of a thread have found, in the order of time; there are
// none where that was not kept.
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

// Absence is a time in which no sample found a thread where its run loop waits.
type Absence struct{ From, To time.Duration }

// Hangs are those of a thread that last for 250 ms or more. One that has no run loop has
// none.
func (w *Words) Hangs(t *profile.Thread) (all []Absence) {
	for _, a := range timeline.LongAbsences(w.p.Profile, t) {
		all = append(all, Absence{a.From, a.To})
	}
	return all
}
