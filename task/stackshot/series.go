package stackshot

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"stacksnap/task"
)

// Series is stackshots of the running system, one after another.
type Series struct {
	Source Source
	PID    int // whose they are, or OfAll
	// Kernel tells where the kernel and its extensions are, which those of one process do
	// not; nil: that is not asked.
	Kernel Source
	// Times is when they are taken; of it Interval, Duration, Count, Jitter, Ended and
	// Clock matter. The system stands for a part of the time only, see [MaxShare]:
	// those that would come earlier are missed.
	Times task.Options
	// Keep is given each as it was taken; an error from it ends the series. May be nil.
	Keep func(kcdata []byte) error
	// Took is told each, that of the kernel too. May be nil.
	Took func(*Shot)
}

// MaxShare is the part of the time for which the processors may stand: one in so many.
const MaxShare = 20

// All takes them. Each is whole: of those behind the first only what has changed is
// asked. The series ends as Times says, when ctx is done, or with the first error: a
// *[task.ExitedError] where the process was there before.
func (s *Series) All(ctx context.Context) iter.Seq2[*Shot, error] {
	return func(yield func(*Shot, error) bool) {
		last, err := s.kernel()
		if err != nil {
			yield(nil, err)
			return
		}
		var stood time.Duration
		begun := false
		for missed := range task.TicksWithin(ctx, s.Times, MaxShare, &stood) {
			if last, err = s.next(last, begun); err == nil {
				last.Missed, stood = missed, s.took(last)
				begun = true
			}
			if !yield(last, err) || err != nil {
				return
			}
		}
	}
}

// kernel is a stackshot that tells where the kernel is. That it is refused is told of the
// process that is asked for.
func (s *Series) kernel() (*Shot, error) {
	if s.Kernel == nil {
		return new(Shot), nil
	}
	shot, err := s.take(s.Kernel, 0)
	var refused *task.PermissionError
	switch {
	case errors.As(err, &refused):
		own := *refused
		own.PID = s.PID
		return nil, &own
	case err != nil:
		return nil, err
	}
	s.took(shot)
	return shot, nil
}

// took tells of a stackshot, and returns for how long the processors stood for it.
func (s *Series) took(shot *Shot) time.Duration {
	if s.Took != nil {
		s.Took(shot)
	}
	return shot.Stood()
}

// next takes one, and puts it onto the last, if there was any.
func (s *Series) next(last *Shot, begun bool) (*Shot, error) {
	var since uint64
	if begun && last.AbsoluteTime != nil {
		since = *last.AbsoluteTime
	}
	shot, err := s.take(s.Source, since)
	switch {
	case err != nil && begun && isGone(err), err == nil && begun && s.gone(shot):
		return nil, &task.ExitedError{PID: s.PID, Err: err}
	case err != nil:
		return nil, err
	case s.gone(shot):
		return nil, &task.NoProcessError{PID: s.PID}
	}
	return shot.after(last), nil
}

// gone reports whether the process is not in a stackshot of it: for one that there is not,
// XNU makes one that is empty (kdp_stackshot_kcdata_format).
func (s *Series) gone(shot *Shot) bool {
	return s.PID >= 0 && len(shot.Tasks)+len(shot.Ending)+len(shot.StillTasks) == 0
}

func isGone(err error) bool {
	var gone *task.NoProcessError
	return errors.As(err, &gone)
}

func (s *Series) take(from Source, since uint64) (*Shot, error) {
	data, err := from.Take(since)
	if err != nil {
		return nil, err
	}
	shots, err := parse(data, nil)
	if err != nil {
		return nil, fmt.Errorf("what the kernel has given: %w", err)
	}
	if s.Keep != nil {
		err = s.Keep(data)
	}
	return shots[len(shots)-1], err
}

// Stood returns for how long at most the processors stood while the kernel took the
// stackshot, 0 where it does not tell: the whole time with interrupts masked, that of
// attempts for which its buffer was too small too, and of newer kernels that of making one
// buffer of several (stackshot_duration_outer and _prior, osfmk/kern/kern_stackshot.c).
func (s *Shot) Stood() time.Duration {
	d := s.Durations
	if d == nil || s.Timebase == nil {
		return 0
	}
	return s.Timebase.duration(max(d.Inner, d.Outer)) + s.Timebase.duration(d.Prior)
}
