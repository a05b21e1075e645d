// Package hangreport is the report of a hang as data: package hang makes it, writers write it.
package hangreport

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Reason says why a report was made.
type Reason uint8

// The reasons.
const (
	Hang     Reason = iota // the watched thread was stuck
	Periodic               // it was due, by Options.Every of package hang
)

// Report is what was captured of one hang, or at one time.
type Report struct {
	Reason   Reason
	Thread   task.ThreadID // the watched one
	Name     string
	Start    time.Time     // when it left its idle wait, give or take an observation
	Duration time.Duration // until it was seen idle again, or the report was ended
	// Ended is set when the thread recovered. Otherwise the hang went on when the report was
	// made, and Why is the reason that it was made then.
	Ended   bool
	Why     string
	Kind    Kind
	CPU     time.Duration // that the thread used in the hang
	Phases  []Phase       // of the time that was sampled, which begins a threshold after Start
	Profile *profile.Profile
	// Followed is what the thread waited for in other processes, when that was seen first.
	Followed Followed
	// Recording is the path of the file with the same snapshots; empty when there is none.
	// SaveErr is why there is none, or why it ends before the profile does.
	Recording string
	SaveErr   error
}

// Phase is consecutive samples in which the thread was in the same function and waited for
// the same.
type Phase struct {
	Start    time.Duration // after that of the hang
	Duration time.Duration
	Samples  int
	Function string // the innermost; image or region where it has no name
	Wait     *profile.Wait

	known bool // whether and for what it waited
}

// MaxPhases bounds the phases of a report. The last one then holds all samples that follow.
const MaxPhases = 200

// VariousFunctions is the function of a phase that holds several.
const VariousFunctions = "various functions"

// AddSample adds a sample, taken at a time after the hang's start. Known reports whether w is
// what the thread waited for; where it is not, a phase is described by its function alone.
func (r *Report) AddSample(at time.Duration, function string, w *profile.Wait, known bool) {
	next := Phase{Start: at, Samples: 1, Function: function, Wait: w, known: known}
	n := len(r.Phases)
	if n == 0 {
		r.Phases = append(r.Phases, next)
		return
	}
	last := &r.Phases[n-1]
	last.Duration = at - last.Start
	switch {
	case last.goesOn(&next):
		last.Samples++
	case n == MaxPhases:
		last.Function, last.Wait = VariousFunctions, nil
		last.Samples++
	default:
		r.Phases = append(r.Phases, next)
	}
}

// goesOn reports whether the next sample is of the same phase. It takes the wait from that
// where it has none.
func (ph *Phase) goesOn(next *Phase) bool {
	if ph.Function != next.Function || ph.known && next.known && !sameWait(ph.Wait, next.Wait) {
		return false
	}
	if !ph.known {
		ph.Wait, ph.known = next.Wait, next.known
	}
	return true
}

func sameWait(a, b *profile.Wait) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Call == b.Call && a.Lock == b.Lock && a.Addr == b.Addr && a.Owner == b.Owner
}

// Finish sets the duration of the hang, and ends the last phase with it.
func (r *Report) Finish(whole time.Duration) {
	r.Duration = whole
	if n := len(r.Phases); n > 0 {
		last := &r.Phases[n-1]
		last.Duration = max(0, whole-last.Start)
	}
}
