// Package timeline puts the samples of a thread together in the order of time.
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

// Known is nil for a time that is not, or that JSON's form of time has no year for.
func Known(t time.Time) *time.Time {
	if y := t.Year(); t.IsZero() || y < 0 || y > 9999 {
		return nil
	}
	return &t
}

// ErrNoTimeline says that a profile does not tell what a form is about: when each sample
// was taken. Of reports that were opened, only timelines of spindump do.
var ErrNoTimeline = errors.New("it is not known when each sample was taken, which this form is about: sample anew, or open a recording that --save has made")

// Check refuses profiles none of which has a timeline of any thread, by
// [ErrNoTimeline].
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

// FirstStart is when the first of the processes was captured, zero where that is not known.
func FirstStart(g *profile.Group) (first time.Time) {
	for _, p := range g.Profiles {
		if Known(p.Start) != nil && (first.IsZero() || p.Start.Before(first)) {
			first = p.Start
		}
	}
	return first
}

// Since is how long after another moment a profile starts, 0 where that is not known.
func Since(first time.Time, p *profile.Profile) time.Duration {
	if Known(p.Start) == nil {
		return 0
	}
	return max(0, p.Start.Sub(first))
}

// Stretch is samples of a thread one after another that found the same.
type Stretch struct {
	profile.Moment // the first, with the first wait that was found in any
	samples, last  int
	Looks          int // that found it to wait for something
}

// Stretches gives the samples of a thread put together where they follow each other and
// found the same. A stretch ends when the next snapshot after it was taken.
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

// ByState puts stretches together where they follow each other in one state.
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

// goesOn reports whether a sample has found the same as those before.
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

// leastHang is for how long a thread has to be away from its run loop to be told of.
const leastHang = 250 * time.Millisecond

// absence is samples of a thread one after another that found it elsewhere than where its
// run loop waits. Between two of them it may have been there.
type absence struct {
	From, To time.Duration
	Samples  int
}

// LongAbsences gives long absences of a thread. There are none of one that no look has found in
// the wait of a run loop.
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

// longWait is from when on a wait is told of although no look has found what for.
const longWait = 100 * time.Millisecond

// Waits reports whether a thread waited, long enough or as a look has found.
func (s *Stretch) Waits() bool {
	waits := s.State == task.Sleeping || s.State == task.Uninterruptible
	return waits && (s.Wait != nil || s.Until-s.At >= longWait)
}
