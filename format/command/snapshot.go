package command

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"stacksnap/format/profile/capture"
	"stacksnap/format/words"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/debugfile/debuginfod"
	"stacksnap/images/debugfile/debugsymbols"
	"stacksnap/images/sharedcache"
	"stacksnap/task"
)

// snapshot captures a process once, and reports.
func (c *call) snapshot(p task.Process) error {
	defer boundMemory(p)()
	o, err := c.captureOptions()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	c.Release()
	prof, err := capture.OneShot(p, o)
	return c.report(prof, errors.Join(err, p.Close()))
}

// captureOptions are what all that captures is told.
func (c *call) captureOptions() (capture.Options, error) {
	o := capture.Options{
		MaxStop: c.maxStop, Gate: c.gate, Suspend: c.suspension(), ToEnd: len(c.command) > 0,
		Tool: c.tool(), Save: c.save, Timelines: c.keepsTimelines(), Threads: c.filter, Kernel: c.kernel,
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

// index is of the places of --symbols and --binaries and of who else is asked, one for
// all of a call; nil where there are none.
func (c *call) index() (*binaries.Index, error) {
	opensOnMac := runtime.GOOS == "darwin" && (c.mode() == opens || c.mode() == differs || c.filming)
	asksMac := runtime.GOOS == "darwin" && c.hang == 0 && c.every == 0 // a watch has no time to wait
	if len(c.symbols)+len(c.binaries) == 0 && !c.debuginfod && !asksMac && !c.filming || c.indexed != nil {
		return c.indexed, nil
	}
	places := binaries.Places{Directories: c.binaries, Symbols: c.symbols}
	if opensOnMac {
		places.System = sharedcache.Directories()
	}
	if c.filming {
		places.MachO = append(places.MachO, binaries.Mapped{})
	}
	if asksMac {
		places.MachO = append(places.MachO, debugsymbols.New(c.Getenv, c.overLine()))
	}
	if c.debuginfod {
		servers, err := debuginfod.New(c.Getenv, c.overLine())
		if err != nil {
			return nil, err
		}
		places.ELF = append(places.ELF, servers)
	}
	var err error
	c.indexed, err = binaries.NewIndex(places)
	return c.indexed, err
}

// overLine returns what shows a line in place of the one before; nil where nobody looks.
func (c *call) overLine() func(line string) {
	if !isTerminal(c.Err) {
		return nil
	}
	return func(line string) {
		if !c.onScreen.Load() {
			fmt.Fprint(c.Err, "\r"+words.Printable(line)+"\x1b[K")
		}
	}
}

// remark tells which of the files that were named are of no use, once something was
// reported.
func (c *call) remark() {
	if c.indexed == nil || !c.reported {
		return
	}
	for _, line := range c.indexed.Warnings() {
		tell(c.Err, line)
	}
}
