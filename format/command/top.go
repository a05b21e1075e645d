package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/top"
	"stacksnap/task"
)

// topInterval is the default time between the samples of a live view.
const topInterval = 10 * time.Millisecond

// checkScreen returns an error if the live view has no terminal.
func (c *call) checkScreen() error {
	if out.IsTerminal(c.In) && out.IsTerminal(c.Out) {
		return nil
	}
	return cli.UsageError{Err: errors.New("top is for a terminal: for a report, sample with -d 10s instead")}
}

// top shows a live view of a process until the user quits.
func (c *call) top(ctx context.Context, p task.Process) error {
	err := c.topBy(ctx, p.Info(), func(ctx context.Context, o capture.Options) (*profile.Profile, error) {
		return capture.Record(ctx, p, o)
	})
	return errors.Join(err, p.Close())
}

// record samples a process with the given options.
type record func(context.Context, capture.Options) (*profile.Profile, error)

// topBy shows a live view of the samples that sample takes.
func (c *call) topBy(ctx context.Context, target task.Info, sample record) error {
	screen, err := top.OpenScreen()
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("top cannot use this terminal (TERM=%s): %w", c.Getenv("TERM"), err)}
	}
	o, err := c.topCapture()
	if err != nil {
		return err
	}
	seen, err := top.Run(ctx, screen, c.topOptions(target, o.Interval), sample.shown(o))
	if seen.Samples > 0 {
		out.Tell(c.Err, fmt.Sprintf("sampled %d %s %d times in %.1f s", target.PID, target.Name, seen.Samples, seen.Elapsed.Seconds()))
	}
	return err
}

// shown returns r as the source of samples for a live view.
func (r record) shown(o capture.Options) top.Sampling {
	return func(ctx context.Context, add func(*top.Sample, func() *profile.Profile)) (*profile.Profile, error) {
		o.Added = func(a *capture.Added) {
			add(&top.Sample{Snapshot: a.Snapshot, Looks: a.Looks, Path: a.Path, Calls: a.Calls, Deadlocks: a.Deadlocks, Tasks: a.Tasks}, a.Profile)
		}
		return r(ctx, o)
	}
}

// maxStopped is the part of the time that the stops of a live view may take at its default rate.
const maxStopped = 0.02

// topCapture returns the capture options of a live view. Samples are taken at random
// moments, so that a target that works in step with the interval is not misrepresented.
// A rate that the user gave is kept, however long the stops.
func (c *call) topCapture() (capture.Options, error) {
	o, err := c.captureOptions()
	if c.SampleInterval() == 0 {
		o.Interval, o.StopShare = topInterval, maxStopped
	}
	o.Duration, o.Jitter = c.Duration, o.Interval
	return o, err
}

func (c *call) topOptions(target task.Info, interval time.Duration) top.Options {
	return top.Options{
		Target: target, Interval: interval, MaxStopped: maxStopped, Color: c.Colored(false), ASCII: !out.IsUTF8(c.Getenv),
		Save: c.saveShown, Suspend: c.job.Stopper(), ScreenBegun: func() { c.onScreen.Store(true) },
	}
}

// saveShown writes a report with the part of a profile that the live view shows. The file's
// name selects the format, as with --output.
func (c *call) saveShown(path string, p *profile.Profile, v top.Shown) error {
	if v.Focus != nil {
		p = p.Select(profile.Patterns{v.Focus}, nil, nil)
	}
	if v.Thread != 0 {
		var err error
		if p, err = (&profile.ThreadFilter{IDs: []task.ThreadID{v.Thread}}).Of(p); err != nil {
			return err
		}
	}
	return c.WriteFile(path, p)
}
