package task

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"time"
)

// Options says how a process is sampled.
type Options struct {
	// Interval is the time from one snapshot to the next; 0 takes one after another
	// without pause.
	Interval time.Duration
	// Duration ends the sampling after that time, Count after that many snapshots; 0: no limit.
	Duration time.Duration
	Count    int
	// Jitter delays each snapshot by a random time below it, at most Interval, so that a target
	// that repeats its work at the interval is not met at the same point each time.
	Jitter  time.Duration
	Suspend Suspension
	// MaxStop is how long a stop may last. If the process is [Capabilities].Partial, no more
	// threads are stopped at once than can be copied in that time. 0 is DefaultMaxStop.
	MaxStop time.Duration
	// StopShare is the fraction of the time that stops may take: where they take more, fewer
	// snapshots are taken than are due. 0: any.
	StopShare float64
	// Threads reports whether a thread is wanted, given the facts that [Process.Describe] fills
	// in; nil: every thread.
	Threads func(*Thread) bool
	// Watch is called before each snapshot. It returns what to probe while each thread, or the
	// process, is stopped. It may be nil.
	Watch func() Watch
	// Ended is called when ctx or Duration ends the sampling, with the number of snapshots that
	// were due since the last one but were not taken. It may be nil.
	Ended func(missed int)
	// Clock is the clock to use; nil: the process's own if it has a [Pacer], else the system's.
	Clock Clock
	// Alone means that this program samples nothing else meanwhile. Short sleeps may then cost
	// less, but keep one of its goroutines from running.
	Alone bool
}

// ErrSuspendNone is returned for a [Process] that can only be read while it is stopped.
var ErrSuspendNone = errors.New("this process can be read only while it is stopped as a whole")

// Sample takes snapshots at regular times. It yields each as soon as it is taken. A snapshot is
// valid until the next one is requested: the same Snapshot with the same buffers is used for
// all. The caller may set its Limit and Want for the next one.
//
// Deadlines are absolute: a slow snapshot delays no later one, but those that fall due meanwhile
// are skipped and counted. The sequence ends after Duration or Count, when ctx is done, or with
// the first error, which is yielded with what was captured for that snapshot. The target runs
// again in every case. Like p itself, the sequence is used from one goroutine.
func Sample(ctx context.Context, p Process, o Options) iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		s, err := newSampler(p, o)
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.begin()()
		t, spare := newTicks(s.clock(), o.Interval, o.Jitter), newPace(o.StopShare, o.Interval)
		if s.stopper != nil {
			t.detachLate = s.stopper.DetachLate
		}
		for n := 0; o.Count == 0 || n < o.Count; n++ {
			ok, err := s.next(ctx, &t)
			t.every = spare.next(t.elapsed(), s.snapshot.Stopped)
			s.snapshot.LeftOut, s.snapshot.Every = t.leftOut, t.every
			if !ok || !yield(&s.snapshot, err) || err != nil {
				return
			}
		}
	}
}

func newSampler(p Process, o Options) (*sampler, error) {
	s := &sampler{process: p, options: o, how: SuspendTask, known: map[ThreadID]*sampled{}}
	s.one, s.all = served{s.captureNow, s.settleNow}, served{s.captureHeld, s.settleHeld}
	s.now.Stacks = make([]Stack, 0, MaxStacks)
	s.now.Probe = newStopProbe()
	s.prober = newProber(p)
	able := p.Capabilities()
	s.stopper, s.activity, s.pacer, s.work.stays = able.Stopper, able.Activity, able.Pacer, able.Stays
	switch {
	case s.stopper == nil && o.Suspend > SuspendTask:
		return nil, ErrSuspendNone
	case s.stopper == nil:
		return s, nil
	case o.Suspend != SuspendDefault:
		s.how = o.Suspend
		return s, s.stopper.CanStop(o.Suspend)
	case s.stopper.CanStop(SuspendThread) == nil:
		s.choice = newChoice(o.Interval, runtime.NumCPU())
	}
	return s, nil
}

func (s *sampler) clock() Clock {
	if s.options.Clock != nil {
		return s.options.Clock
	}
	if s.pacer != nil {
		return s.pacer
	}
	if s.options.Alone && runtime.GOMAXPROCS(0) > 1 {
		return aloneClock()
	}
	return SystemClock()
}

// begin tells the process that a sampling begins.
func (s *sampler) begin() (end func()) {
	if s.pacer == nil {
		return func() {}
	}
	s.pacer.BeginSeries(s.options.Interval)
	return s.pacer.EndSeries
}

// next waits for the next tick and makes its snapshot.
func (s *sampler) next(ctx context.Context, t *ticks) (ok bool, err error) {
	if s.pacer != nil {
		s.pacer.Prompt()
		defer s.pacer.Relax()
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

// confirm has the process check what was captured.
func (s *sampler) confirm() {
	if s.pacer != nil {
		s.pacer.Confirm()
	}
}
