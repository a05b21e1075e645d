package command

import (
	"context"
	"errors"
	"io"
	"time"

	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/stackshots"
	"stacksnap/task/stackshot"
)

// stackshotInterval is the default time between stackshots, that of spindump. No thread of
// the system runs during a stackshot.
const stackshotInterval = 10 * time.Millisecond

// takeStackshots takes stackshots for a report.
func (c *call) takeStackshots(ctx context.Context, scene stackshots.Target) (profiles []*profile.Profile, err error) {
	defer func() { err = c.wanting(err) }()
	done, err := c.openScene(&scene)
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := c.stackshotOptions()
	if err != nil {
		return nil, err
	}
	bar := c.Progress(o.Duration)
	o.Progress = bar.Show
	defer bar.Clear()
	return c.stackshotScene(ctx, scene, o)
}

// openScene opens the sources of stackshots that a target needs. done closes them.
func (c *call) openScene(scene *stackshots.Target) (done func(), err error) {
	if scene.Source, err = c.shots(scene.PID); err != nil {
		return nil, err
	}
	if !c.Kernel || scene.PID == stackshot.OfAll {
		return func() { _ = scene.Source.Close() }, nil // it never fails
	}
	if scene.Kernel, err = c.shots(stackshot.OfKernel); err != nil {
		return nil, errors.Join(err, scene.Source.Close())
	}
	return func() { _, _ = scene.Kernel.Close(), scene.Source.Close() }, nil
}

// stackshotScene takes the stackshots. With --save it writes them to a file unchanged.
func (c *call) stackshotScene(ctx context.Context, scene stackshots.Target, o capture.Options) ([]*profile.Profile, error) {
	if c.Save == "" {
		return stackshots.Record(ctx, scene, o)
	}
	return c.stackshotsTo(c.Save, func(keep func([]byte) error) ([]*profile.Profile, error) {
		scene.Keep = keep
		return stackshots.Record(ctx, scene, o)
	})
}

// stackshotsTo writes the stackshots that take passes to keep to a file. Those from before
// an error are kept; without any there is no file.
func (c *call) stackshotsTo(path string, take func(keep func([]byte) error) ([]*profile.Profile, error)) (profiles []*profile.Profile, err error) {
	unsaved := output.Write(path, func(w io.Writer) error {
		kept := false
		profiles, err = take(func(b []byte) error {
			kept = true
			_, err := w.Write(b)
			return err
		})
		if !kept {
			return err // and no file
		}
		return nil
	})
	if !errors.Is(unsaved, err) || err == nil {
		err = errors.Join(err, unsaved)
	}
	return profiles, err
}

// stackshotOptions returns the capture options for one stackshot, or for a series.
func (c *call) stackshotOptions() (capture.Options, error) {
	c.byStackshots = true
	o, err := c.captureOptions()
	if c.SampleInterval() == 0 {
		o.Interval = stackshotInterval
	}
	o.Taken = c.Release
	if !c.Samples() {
		c.Release()
		o.Count, o.Duration, o.Taken = 1, 0, nil
	}
	return o, err
}
