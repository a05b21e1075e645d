package command

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"stacksnap/format/profile/capture/family"
	"stacksnap/format/profile/capture/inturn"
	"stacksnap/task/live"
)

// How often new processes are looked for. Finding them by name costs more.
const (
	listEvery  = 50 * time.Millisecond
	namedEvery = time.Second
)

// mostSampled is the largest number of processes open at the same time, if the limit on
// open files allows it.
const mostSampled = 2048

// sampleAll samples all processes, or those that --pid names, for the duration.
func (c *call) sampleAll(ctx context.Context, v *systemCapture) error {
	if c.SampleInterval() == 0 {
		v.options.Interval = stackshotInterval
	}
	bar := c.Progress(v.options.Duration)
	v.options.Progress, v.options.Taken = bar.Show, c.Release
	defer bar.Clear()
	f := inturn.Field{List: listAll, Every: listEvery, Look: live.Look, Most: family.MostAtOnce(mostSampled)}
	if len(c.Targets) > 0 {
		if _, err := chosenNow(c.Targets); err != nil {
			return err
		}
		f.Every = namedEvery
		f.List = func() ([]int, error) { return pidsNamed(c.Targets, func(string) bool { return true }) }
	}
	r, err := inturn.Record(ctx, f, v.options)
	if err != nil {
		return err
	}
	v.group.Profiles, v.group.Missing, v.group.More, v.group.Notes = r.Profiles, r.Missing, r.More, r.Notes
	v.isSampled, v.found, v.sealed = true, r.Found, r.Sealed
	errors.As(r.Refusal, &v.refusal)
	return nil
}

// listAll returns all pids but our own, those of the kernel's threads included.
func listAll() ([]int, error) {
	pids, err := live.PIDs()
	return slices.DeleteFunc(pids, func(pid int) bool { return pid == os.Getpid() }), err
}
