// Package stackshots makes profiles of stackshots, in which the kernel of macOS (XNU) itself has
// walked the stacks of one or all processes. No process is opened or stopped and no stack is
// unwound, so that it does not use package capture's engine.
package stackshots

import (
	"context"
	"fmt"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// Target is what [Record] samples, and from which source.
type Target struct {
	PID    int                  // or [stackshot.OfAll]
	Source stackshot.Source     // takes the process's stackshots
	Kernel stackshot.Source     // takes those that show where the kernel is; nil: they are not taken
	Wanted func(task.Info) bool // selects processes; nil: all
	Keep   func([]byte) error   // is called with each stackshot in the format of files; may be nil
	Note   string               // why stackshots are used; may be empty
}

// Record samples running processes by stackshots. It uses the options Tool, Binaries, Threads,
// Kernel, Timelines, Interval, Duration, Count, Jitter, Progress, Added (for each process) and
// Taken. When ctx is done it returns what there is, without an error; with an error, such as a
// *[task.ExitedError], it returns what was captured before.
func Record(ctx context.Context, target Target, o capture.Options) ([]*profile.Profile, error) {
	if err := o.Threads.Check(); err != nil {
		return nil, err
	}
	used := capture.OwnCPU()
	c := newCollector(o, target.Wanted)
	c.path, c.note, c.once = target.Source.Path, target.Note, o.Count == 1
	err := c.record(ctx, target.series(c))
	if o.Taken != nil {
		o.Taken()
	}
	if len(c.order) == 1 && !c.once {
		c.order[0].builder.CountCPU(capture.OwnCPU() - used)
	}
	return c.profiles(), err
}

// series returns the series of stackshots to take.
func (t *Target) series(c *collector) *stackshot.Series {
	o := &c.options
	return &stackshot.Series{
		Source: t.Source, Kernel: t.Kernel, PID: t.PID, Keep: t.Keep, Took: c.stops.add,
		Times: task.Options{
			Interval: o.Interval, Duration: o.Duration, Count: o.Count, Jitter: o.Jitter,
			Ended: func(missed int) { c.stops.missed += missed },
		},
	}
}

// record adds the stackshots of a series one by one.
func (c *collector) record(ctx context.Context, series *stackshot.Series) error {
	began, taken := time.Now(), 0
	for shot, err := range series.All(ctx) {
		if err != nil {
			return err
		}
		c.stops.missed += shot.Missed
		if some := c.add(shot); !some && len(c.order) > 0 {
			return nil // all wanted processes have ended
		}
		if taken++; c.options.Progress != nil {
			c.options.Progress(time.Since(began), taken)
		}
	}
	return nil
}

// stopTimes adds up how long the processors were stopped.
type stopTimes struct {
	count   int
	total   time.Duration
	longest time.Duration
	missed  int // stackshots that were due and not taken
}

func (s *stopTimes) add(shot *stackshot.Shot) {
	d := shot.Stood()
	s.count++
	s.total += d
	s.longest = max(s.longest, d)
}

// note returns a note with that time; empty if the kernel does not report it.
func (s *stopTimes) note() string {
	total, longest := s.total.Round(time.Microsecond), s.longest.Round(time.Microsecond)
	switch {
	case total == 0:
		return ""
	case s.count == 1:
		return fmt.Sprintf("nothing was suspended: the kernel walked the stacks, and no thread of the system ran meanwhile, for %v at most", total)
	}
	return fmt.Sprintf("nothing was suspended: the kernel walked the stacks, and no thread of the system ran meanwhile, for %v at most in %d stackshots, %v in the longest", total, s.count, longest)
}
