package command

import (
	"context"
	"errors"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hangreport"
	"stacksnap/task"
)

// sample takes many snapshots of a process and reports on them.
func (c *call) sample(ctx context.Context, p task.Process) error {
	defer boundMemory(p)()
	o, err := c.captureOptions()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	o.Taken, o.Alone = c.Release, true
	var others *hangreport.Followed // nil: no wait was followed
	if c.FollowWaits {
		o.Followed = func(f hangreport.Followed) { others = &f }
	}
	bar := c.Progress(o.Duration)
	o.Progress = bar.Show
	prof, err := capture.Record(ctx, p, o)
	bar.Clear()
	if err = errors.Join(err, p.Close()); others == nil {
		return c.Report(prof, err)
	}
	return c.reportFollowed(prof, others, err)
}

// reportFollowed reports on a process that was sampled and on the processes that it waits
// for.
func (c *call) reportFollowed(prof *profile.Profile, others *hangreport.Followed, err error) error {
	s := selection{group: profile.Group{
		Tool: c.Tool, Profiles: append([]*profile.Profile{prof}, others.Profiles...),
		Missing: others.Missing, Deadlocks: others.Deadlocks,
	}}
	s.fail(err)
	return c.reportAll(&s)
}
