package task

import (
	"slices"
	"time"
)

// Stepper is a sampling whose caller decides when to take each snapshot, as is needed to sample
// many processes in turn. Like the process, it is used from one goroutine.
type Stepper struct {
	*sampler
	quiet bool // the last snapshot had nothing new for any thread
	end   func()
}

// NewStepper prepares to sample p. Interval in the options need only be roughly the time between
// calls of Next; Duration, Count, Jitter, Ended and Clock are ignored.
func NewStepper(p Process, o Options) (*Stepper, error) {
	s, err := newSampler(p, o)
	if err != nil {
		return nil, err
	}
	return &Stepper{sampler: s, end: s.begin()}, nil
}

// Next takes a snapshot, which is valid until the next call. still means that no thread has run
// since the previous one, so that only its time is new.
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

// hasNothingNew reports whether every thread's last capture either still holds or failed.
func (s *Stepper) hasNothingNew() bool {
	return len(s.threads) == len(s.known) && !slices.ContainsFunc(s.todo, func(k *sampled) bool { return k.Err == nil })
}

// End ends the sampling. The target runs on.
func (s *Stepper) End() { s.end() }
