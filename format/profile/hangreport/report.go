// Package hangreport has the report of a hang as data. Package hang makes it, and formats
// write it.
package hangreport

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Reason is the reason for a report.
type Reason uint8

// The reasons.
const (
	Hang       Reason = iota // the watched thread was stuck
	Periodic                 // Options.Every of package hang had passed
	Deadlocked               // threads were in a deadlock when the watch began; the watched one need not be among them
)

// Report is what was captured during one hang, or once for a periodic report.
type Report struct {
	Reason   Reason
	Thread   task.ThreadID // the watched thread
	Name     string
	Start    time.Time     // when the thread left its idle wait, to within an observation
	Duration time.Duration // until the thread was observed idle again, or the report was made
	// FromStart is set if the thread was stuck already when the watch began: Start and Duration are
	// since then.
	FromStart bool
	// Ended is set if the thread recovered. Otherwise the hang went on, and Why is the
	// reason why the report was made before its end.
	Ended   bool
	Why     string
	Kind    Kind
	CPU     time.Duration // CPU time of the thread during the hang
	Phases  []Phase       // phases of the sampled time, which begins when the hang has lasted for the threshold
	Profile *profile.Profile
	// Followed is the chain of waits into other processes, when it was first observed.
	Followed Followed
	// Recording is the path of the recording with the same snapshots; empty if there is
	// none. SaveErr is the reason why it is missing, or shorter than the profile.
	Recording string
	SaveErr   error
}

// Phase is a run of samples in which the thread was in the same function with the same
// wait.
type Phase struct {
	Start    time.Duration // time from the hang's start
	Duration time.Duration
	Samples  int
	Function string // the innermost function; image or region if it has no name
	Wait     *profile.Wait

	known bool // Wait was observed
}

// MaxPhases is the most phases of a report. The last one then has all following samples.
const MaxPhases = 200

// VariousFunctions is the function of a phase with several functions.
const VariousFunctions = "various functions"

// AddSample adds a sample, taken at that time after the hang's start. known reports whether
// the wait w was observed; if not, only the function distinguishes phases.
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

// goesOn reports whether the next sample belongs to the phase. If the phase's wait is
// unknown, it takes that of the sample.
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

// Finish sets the duration of the hang, and that of the last phase.
func (r *Report) Finish(whole time.Duration) {
	r.Duration = whole
	if n := len(r.Phases); n > 0 {
		last := &r.Phases[n-1]
		last.Duration = max(0, whole-last.Start)
	}
}
