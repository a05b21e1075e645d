package task

import (
	"slices"
	"time"
)

// Rester is a live [Process] that can tell at little cost that nothing of it has run.
type Rester interface {
	// Rests reports whether no thread has run since each was found to be idle, so that
	// there are the same threads, and the same is mapped. It errs on the side of false.
	Rests() bool
}

// Stepper takes the snapshots of a sampling when it is told to, for whoever samples
// many processes in turn. Like the process it is used from one goroutine.
type Stepper struct {
	*sampler
	rester Rester // nil: it cannot tell
	quiet  bool   // the last snapshot had nothing new of any thread
	end    func()
}

// NewStepper prepares to sample p. Of the options, Interval need only be roughly the time
// between calls of Next; Duration, Count, Jitter, Ended and Clock are ignored.
func NewStepper(p Process, o Options) (*Stepper, error) {
	s, err := newSampler(p, o)
	if err != nil {
		return nil, err
	}
	step := &Stepper{sampler: s, end: s.begin()}
	step.rester, _ = p.(Rester)
	return step, nil
}

// Next takes a snapshot, which is valid as those of [Sample] are. Still says that no
// thread has run since the one before: then nothing but its time is new.
func (s *Stepper) Next() (snapshot *Snapshot, still bool, err error) {
	if s.quiet && s.rester != nil && s.rester.Rests() {
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
