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

// topInterval is from one sample to the next of a live view, unless told.
const topInterval = 10 * time.Millisecond

// checkScreen refuses a live view where there is nobody to look at it.
func (c *call) checkScreen() error {
	if out.IsTerminal(c.In) && out.IsTerminal(c.Out) {
		return nil
	}
	return cli.UsageError{Err: errors.New("top is for a terminal: for a report, sample with -d 10s instead")}
}

// top shows a process live, until a person ends that.
func (c *call) top(ctx context.Context, p task.Process) error {
	err := c.topBy(ctx, p.Info(), func(ctx context.Context, o capture.Options) (*profile.Profile, error) {
		return capture.Record(ctx, p, o)
	})
	return errors.Join(err, p.Close())
}

// record samples a process.
type record func(context.Context, capture.Options) (*profile.Profile, error)

// topBy is top of a process that is sampled so.
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

// shown gives each sample to a view.
func (r record) shown(o capture.Options) top.Sampling {
	return func(ctx context.Context, add func(*top.Sample, func() *profile.Profile)) (*profile.Profile, error) {
		o.Added = func(a *capture.Added) {
			add(&top.Sample{Snapshot: a.Snapshot, Looks: a.Looks, Path: a.Path}, a.Profile)
		}
		return r(ctx, o)
	}
}

// topCapture are the options of the sampling: at random moments, so that a target which
// works in the rhythm of the interval is shown as it is.
func (c *call) topCapture() (capture.Options, error) {
	o, err := c.captureOptions()
	if c.SampleInterval() == 0 {
		o.Interval = topInterval
	}
	o.Duration, o.Jitter = c.Duration, o.Interval
	return o, err
}

func (c *call) topOptions(target task.Info, interval time.Duration) top.Options {
	return top.Options{
		Target: target, Interval: interval, Color: c.Colored(false), ASCII: !out.IsUTF8(c.Getenv),
		Save: c.saveShown, Suspend: c.job.Stopper(), ScreenBegun: func() { c.onScreen.Store(true) },
	}
}

// saveShown writes a report of what a live view shows. The name of the file tells its
// form, as with --output.
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
