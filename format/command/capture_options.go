package command

import (
	"slices"
	"time"

	"stacksnap/format/command/cli"
	"stacksnap/format/profile/capture"
	"stacksnap/unwind/runtimes"
)

// The defaults of sampling, those of sample(1).
const (
	defaultInterval = time.Millisecond
	defaultDuration = 10 * time.Second
)

// captureOptions returns the options that every capture of this call shares.
func (c *call) captureOptions() (capture.Options, error) {
	o := capture.Options{
		MaxStop: c.MaxStop, Gate: c.gate, Suspend: c.Suspension(), ToEnd: len(c.Command) > 0,
		Tool: c.Tool, Save: c.Save, Timelines: c.keepsTimelines(), Threads: c.Filter, Kernel: c.Kernel,
		Native: c.Native, NoRuntimes: c.NoRuntimes, Only: condition(c.Only),
		StacksAlone: c.wantsStacksAlone(), Interval: c.SampleInterval(), Duration: c.Duration, Count: c.Count,
	}
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	if o.Duration == 0 && o.Count == 0 && len(c.Command) == 0 {
		o.Duration = defaultDuration
	}
	if c.Jitter {
		o.Jitter = o.Interval
	}
	var err error
	o.Binaries, err = c.index()
	return o, err
}

// wantsStacksAlone reports whether nothing is written that says what threads wait for.
func (c *call) wantsStacksAlone() bool {
	return c.Save == "" && !slices.ContainsFunc(c.Destinations(), func(d cli.Destination) bool { return !d.Form.Stacks })
}

// condition returns what a value of --only requires.
func condition(only string) runtimes.Condition {
	switch only {
	case "gil":
		return runtimes.HoldsLock
	case "exception":
		return runtimes.HandlesException
	case "gc":
		return runtimes.CollectsGarbage
	}
	return runtimes.Any
}

// keepsTimelines reports whether any output format has the times of samples.
func (c *call) keepsTimelines() bool {
	return slices.ContainsFunc(c.Destinations(), func(d cli.Destination) bool { return d.Form.Timed })
}
