package task

import (
	"slices"
	"time"
)

// Stepper is a sampling whose caller says when to take each snapshot, as for many processes that
// are sampled in turn. Like the process it is used from one goroutine.
type Stepper struct {
	*sampler
	quiet bool // the last snapshot had nothing new of any thread
	end   func()
}

// NewStepper prepares to sample p. Of the options, Interval need only be roughly the time
// between calls of Next; Duration, Count, Jitter, Ended and Clock are ignored.
func NewStepper(p Process, o Options) (*Stepper, error) {
	s, err := newSampler(p, o)
	if err != nil {
		return nil, err
	}
	return &Stepper{sampler: s, end: s.begin()}, nil
}

// Next takes a snapshot, which is valid as those of [Sample] are. Still says that no
// thread has run since the one before: then nothing but its time is new.
func (s *Stepper) Next() (snapshot *Snapshot, still bool, err error) {
	if s.quiet && s.activity != nil && s.activity.NothingRan() {
		s.snapshot.Time = time.Now()
		return &s.snapshot, true, nil
	}
	s.quiet = false
	err = s.take()
	s.quiet = err == nil && s.hasNothingNew()
	return &s.snapshot, false, err
}

// hasNothingNew reports whether the last capture that there is of each thread still holds,
// or none could be made.
func (s *Stepper) hasNothingNew() bool {
	return len(s.threads) == len(s.known) && !slices.ContainsFunc(s.todo, func(k *sampled) bool { return k.Err == nil })
}

// End ends the sampling. The target runs on.
func (s *Stepper) End() { s.end() }
