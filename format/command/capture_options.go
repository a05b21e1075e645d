package command

import (
	"slices"
	"time"

	"stacksnap/format/profile/capture"
)

// What sampling does unless told otherwise, as sample(1) does.
const (
	defaultInterval = time.Millisecond
	defaultDuration = 10 * time.Second
)

// captureOptions are what all that captures is told.
func (c *call) captureOptions() (capture.Options, error) {
	o := capture.Options{
		MaxStop: c.maxStop, Gate: c.gate, Suspend: c.suspension(), ToEnd: len(c.command) > 0,
		Tool: c.tool, Save: c.save, Timelines: c.keepsTimelines(), Threads: c.filter, Kernel: c.kernel,
		Interval: c.sampleInterval(), Duration: c.duration, Count: c.count,
	}
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	if o.Duration == 0 && o.Count == 0 && len(c.command) == 0 {
		o.Duration = defaultDuration
	}
	if c.jitter {
		o.Jitter = o.Interval
	}
	var err error
	o.Binaries, err = c.index()
	return o, err
}

// keepsTimelines reports whether any form that is written tells when samples were taken.
func (c *call) keepsTimelines() bool {
	return slices.ContainsFunc(c.destinations(), func(d destination) bool { return d.form.Timed })
}
