package stackshot

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"stacksnap/task"
)

// Series takes stackshots of the running system, one after another.
type Series struct {
	Source Source
	PID    int // the process, or [OfAll]
	// Kernel takes a stackshot with the kernel's images, which the stackshots of one process
	// lack; nil: none is taken.
	Kernel Source
	// Times says when they are taken. Only Interval, Duration, Count, Jitter, Ended and Clock
	// are used. The system is stopped for at most a fraction of the time, see [MaxShare]:
	// stackshots that would exceed it are skipped and counted as missed.
	Times task.Options
	// Keep is called with each stackshot as it was taken; an error from it ends the series. It
	// may be nil.
	Keep func(kcdata []byte) error
	// Took is called with each stackshot, including the kernel's. It may be nil.
	Took func(*Shot)
}

// MaxShare is the fraction of the time for which processors may be stopped: one in
// MaxShare.
const MaxShare = 20

// All takes the stackshots. Each is complete; after the first, only deltas are
// requested. The series ends as Times says, when ctx is done, or with the first
// error: a *[task.ExitedError] if the process existed before.
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

// kernel takes the stackshot with the kernel's images. A refusal is reported for the process of
// the series.
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

// took reports a stackshot, and returns how long the processors were stopped for it.
func (s *Series) took(shot *Shot) time.Duration {
	if s.Took != nil {
		s.Took(shot)
	}
	return shot.Stood()
}

// next takes a stackshot and merges it with the last, if there is one.
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

// gone reports whether the process is missing from its stackshot: for a process that
// does not exist, XNU makes an empty one (kdp_stackshot_kcdata_format).
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

// Stood returns the maximum time that the processors were stopped while the kernel
// took the stackshot, 0 if it is unknown: the whole time with interrupts masked,
// including attempts with too small a buffer and, on newer kernels, joining several
// buffers (stackshot_duration_outer and _prior, osfmk/kern/kern_stackshot.c).
func (s *Shot) Stood() time.Duration {
	d := s.Durations
	if d == nil || s.Timebase == nil {
		return 0
	}
	return s.Timebase.duration(max(d.Inner, d.Outer)) + s.Timebase.duration(d.Prior)
}
