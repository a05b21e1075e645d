// Package timeline merges the samples of a thread in the order of time.
package timeline

import (
	"cmp"
	"errors"
	"iter"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// Known returns nil for a zero time, and for a year that JSON's format of times does not
// have.
func Known(t time.Time) *time.Time {
	if y := t.Year(); t.IsZero() || y < 0 || y > 9999 {
		return nil
	}
	return &t
}

// ErrNoTimeline is returned for profiles without the times of samples. Of the reports that
// can be read, only those of spindump with a timeline have them.
var ErrNoTimeline = errors.New("it is not known when each sample was taken, which this form is about: sample anew, or open a recording that --save has made")

// Check returns [ErrNoTimeline] if no thread of the group has a timeline.
func Check(g *profile.Group) error {
	threads := 0
	for _, p := range g.Profiles {
		if p.HasTimeline() {
			return nil
		}
		threads += len(p.Threads)
	}
	if threads == 0 {
		return nil
	}
	return ErrNoTimeline
}

// FirstStart returns the earliest start of the group's profiles; zero if unknown.
func FirstStart(g *profile.Group) (first time.Time) {
	for _, p := range g.Profiles {
		if Known(p.Start) != nil && (first.IsZero() || p.Start.Before(first)) {
			first = p.Start
		}
	}
	return first
}

// Since returns the time from first to the start of a profile; 0 if unknown.
func Since(first time.Time, p *profile.Profile) time.Duration {
	if Known(p.Start) == nil {
		return 0
	}
	return max(0, p.Start.Sub(first))
}

// Stretch is a run of equal samples of a thread.
type Stretch struct {
	profile.Moment // the first sample, with the first wait observed in any
	samples, last  int
	Looks          int // number of observations that found a wait
}

// Stretches iterates over the samples of a thread, merging consecutive equal ones. A
// stretch ends at the next snapshot after it.
func Stretches(p *profile.Profile, t *profile.Thread) iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		var now Stretch
		for m := range p.Moments(t) {
			if now.samples > 0 && !now.goesOn(&m) {
				if !yield(now) {
					return
				}
				now = Stretch{}
			}
			now.add(&m)
		}
		if now.samples > 0 {
			yield(now)
		}
	}
}

// ByState merges consecutive stretches in the same state.
func ByState(all iter.Seq[Stretch]) iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		var now Stretch
		for s := range all {
			if now.samples > 0 && s.Snapshot == now.last+1 && s.State == now.State {
				now.samples, now.last, now.Until = now.samples+s.samples, s.last, s.Until
				continue
			}
			if now.samples > 0 && !yield(now) {
				return
			}
			now = s
		}
		if now.samples > 0 {
			yield(now)
		}
	}
}

// goesOn reports whether a sample continues the stretch.
func (s *Stretch) goesOn(m *profile.Moment) bool {
	return m.Snapshot == s.last+1 && m.Node == s.Node && m.State == s.State
}

func (s *Stretch) add(m *profile.Moment) {
	if s.samples == 0 {
		s.Moment = *m
	}
	if m.Wait != nil {
		s.Looks++
		s.Wait = cmp.Or(s.Wait, m.Wait)
	}
	s.samples++
	s.Until, s.last = m.Until, m.Snapshot
}

// leastHang is the shortest absence of a thread from its run loop that is reported.
const leastHang = 250 * time.Millisecond

// absence is consecutive samples of a thread outside the wait of its run loop. Between two
// of them it may have been there.
type absence struct {
	From, To time.Duration
	Samples  int
}

// LongAbsences returns the absences of a thread of leastHang or more. It returns none if no
// observation found the thread in the wait of a run loop.
func LongAbsences(p *profile.Profile, t *profile.Thread) (all []absence) {
	loop := map[*profile.Node]bool{}
	for s := range Stretches(p, t) {
		if waits.IsIdle(s.Wait) {
			loop[s.Node] = true
		}
	}
	if len(loop) == 0 {
		return nil
	}
	var now absence
	end := func() {
		if now.To-now.From >= leastHang {
			all = append(all, now)
		}
		now = absence{}
	}
	next := 0
	for s := range Stretches(p, t) {
		if loop[s.Node] || s.State == task.Stopped || s.Snapshot != next {
			end()
		}
		if next = s.last + 1; loop[s.Node] || s.State == task.Stopped {
			continue
		}
		if now.Samples == 0 {
			now.From = s.At
		}
		now.To, now.Samples = s.Until, now.Samples+s.samples
	}
	end()
	return all
}

// longWait is the shortest wait that is reported although no observation found its object.
const longWait = 100 * time.Millisecond

// Waits reports whether the thread waited, for longWait or more, or in an observed wait.
func (s *Stretch) Waits() bool {
	waits := s.State == task.Sleeping || s.State == task.Uninterruptible
	return waits && (s.Wait != nil || s.Until-s.At >= longWait)
}
