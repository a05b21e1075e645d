package hang

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Reason is why a report was made.
type Reason uint8

// The reasons.
const (
	Hang     Reason = iota // the watched thread was stuck
	Periodic               // its time had come
)

// Report is what was captured of one hang, or at one time.
type Report struct {
	Reason   Reason
	Thread   task.ThreadID // the watched one
	Name     string
	Start    time.Time     // when it left its idle wait, at most a look before or after
	Duration time.Duration // until it was seen idle again, or the report was ended
	// Ended says that the thread recovered. Otherwise the hang went on when the
	// report was made, and Why tells why it was.
	Ended   bool
	Why     string
	Kind    Kind
	CPU     time.Duration // that the thread used in the hang
	Phases  []Phase       // of the time that was sampled, which begins a threshold after Start
	Profile *profile.Profile
	// Recording is the file that has the same snapshots; empty when there is none.
	// SaveErr says why there is none, or why it ends early: the profile does not.
	Recording string
	SaveErr   error
}

// Phase is a run of samples in which the thread stood in the same function and
// waited for the same.
type Phase struct {
	Start    time.Duration // after that of the hang
	Duration time.Duration
	Samples  int
	Function string // the innermost; image or address where it has no name
	Wait     *profile.Wait
}

// maxPhases bounds what a report keeps: a thread may change at each sample. The
// last phase then holds all that follow.
const maxPhases = 200

// VariousFunctions is the function of a phase that holds several.
const VariousFunctions = "various functions"

// note adds a sample at a time after the hang's start.
func (r *Report) note(at time.Duration, function string, w *profile.Wait) {
	if n := len(r.Phases); n > 0 {
		last := &r.Phases[n-1]
		last.Duration = at - last.Start
		if last.Function == function && sameWait(last.Wait, w) {
			last.Samples++
			return
		}
		if n == maxPhases {
			last.Function, last.Wait = VariousFunctions, nil
			last.Samples++
			return
		}
	}
	r.Phases = append(r.Phases, Phase{Start: at, Samples: 1, Function: function, Wait: w})
}

func sameWait(a, b *profile.Wait) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Call == b.Call && a.Lock == b.Lock && a.Addr == b.Addr && a.Owner == b.Owner
}

// finish ends the last phase with the hang.
func (r *Report) finish(whole time.Duration) {
	r.Duration = whole
	if n := len(r.Phases); n > 0 {
		last := &r.Phases[n-1]
		last.Duration = max(0, whole-last.Start)
	}
}
