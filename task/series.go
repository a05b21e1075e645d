package task

import (
	"context"
	"time"
)

// Series is a live [Process] that does better when it is told which captures
// belong together.
type Series interface {
	Process
	// BeginSeries is called before the first of many captures, which come at the
	// interval (0: one after another), and EndSeries after the last.
	BeginSeries(interval time.Duration)
	EndSeries()
	// Prompt is called before the wait for a capture, for the calling goroutine to
	// wake on time, and Relax after the capture, in the same goroutine.
	Prompt()
	Relax()
	// Confirm is called when the target runs on, before what was captured is looked
	// at. It takes back the stack of a thread, and sets its Err, where that turns out
	// not to have been the thread's.
	Confirm()
}

// begin tells the process that a sampling begins.
func (s *sampler) begin() (end func()) {
	s.series, _ = s.process.(Series)
	if s.series == nil {
		return func() {}
	}
	s.series.BeginSeries(s.options.Interval)
	return s.series.EndSeries
}

// next waits for the next tick and makes its snapshot.
func (s *sampler) next(ctx context.Context, t *ticks) (ok bool, err error) {
	if s.series != nil {
		s.series.Prompt()
		defer s.series.Relax()
	}
	missed, ok := t.wait(ctx, s.options.Duration)
	if !ok {
		if s.options.Ended != nil {
			s.options.Ended(missed)
		}
		return false, nil
	}
	err = s.take()
	s.snapshot.MissedTicks = missed
	return true, err
}

// confirm has the process look once more at what was captured.
func (s *sampler) confirm() {
	if s.series != nil {
		s.series.Confirm()
	}
}
