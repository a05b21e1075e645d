package command

import (
	"errors"
	"fmt"

	"stacksnap/format/apple"
	"stacksnap/format/command/cli"
	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/core"
	"stacksnap/task/recording"
	"stacksnap/task/stackshot"
)

// open reports on a core, a recording, a stackshot or a report of Apple's.
func (c *call) open() error {
	if len(c.Within) > 0 && !apple.Is(c.Target) && !stackshot.Is(c.Target) {
		return oneProcess(c.Target)
	}
	index, err := c.index()
	if err != nil {
		return err
	}
	if err := c.replay(index); !errors.Is(err, recording.ErrNotRecording) {
		return err
	}
	if stackshot.Is(c.Target) {
		return c.openStackshot(index)
	}
	if prof, err := readReport(c.Target, jsondoc.Read); !errors.Is(err, errNoReport) {
		return c.openRead([]*profile.Profile{prof}, err, index)
	}
	p, err := core.Open(c.Target)
	if errors.Is(err, core.ErrNotCore) {
		return c.openReport(index)
	}
	if err != nil {
		return err
	}
	return c.core(p)
}

// core reports on a core. If the core has no thread, it then returns an error.
func (c *call) core(p task.Process) error {
	threads, err := p.Threads()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	if err := c.snapshot(p); err != nil || len(threads) > 0 {
		return err
	}
	return fmt.Errorf("%s: this core has no thread: it was cut short, for want of room or by a limit (ulimit -c)", c.Target)
}

// oneProcess returns the error for --pid with a file that has only one process.
func oneProcess(file string) error {
	return cli.UsageError{Err: fmt.Errorf("%s has one process: leave out --pid, which chooses among those of a stackshot or a report of spindump", file)}
}

// replay reports on a recording. The error wraps [recording.ErrNotRecording] if the file is
// none.
func (c *call) replay(index *binaries.Index) error {
	prof, err := capture.Replay(c.Target, capture.Options{Threads: c.Filter, Binaries: index, Timelines: c.keepsTimelines(), Native: c.Native, NoRuntimes: c.NoRuntimes})
	switch {
	case errors.Is(err, recording.ErrCutEarly):
		return fmt.Errorf("%s: %w", c.Target, recording.ErrCutEarly)
	case errors.Is(err, recording.ErrNotRecording):
		return err
	case c.Save != "":
		return cli.UsageError{Err: fmt.Errorf("%s is a recording already: copy it rather than record it again", c.Target)}
	case is[*recording.CutError](err):
		err = fmt.Errorf("%s: %w", c.Target, err)
	}
	return c.Report(prof, err)
}

// openReport reports on the processes in a report of Apple's tools.
func (c *call) openReport(index *binaries.Index) error {
	all, err := apple.Open(c.Target)
	if errors.Is(err, apple.ErrNotReport) {
		if kind := writtenByUs(c.Target); kind != "" {
			return fmt.Errorf("%s is %s of stacksnap, which cannot be opened again: recordings (-o it.snap) and JSON (-o it.json) can", c.Target, kind)
		}
		return fmt.Errorf("%s is neither a core file, a recording of stacksnap or its JSON, a stackshot, nor a report of sample(1), of spindump or of a crash", c.Target)
	}
	return c.openRead(all, err, index)
}

// openRead reports on profiles that were read from a report, after adding symbols and
// filtering threads. err is the error of reading them.
func (c *call) openRead(all []*profile.Profile, err error, index *binaries.Index) error {
	switch {
	case err != nil:
		return inFile(c.Target, err)
	case c.Save != "":
		return cli.UsageError{Err: fmt.Errorf("%s is a report: there is nothing to record, copy it instead", c.Target)}
	case c.Filter.Running != c.Filter.Blocked:
		return cli.UsageError{Err: fmt.Errorf("%s is a report, which does not tell what runs: leave out --running and --blocked", c.Target)}
	}
	if all, err = c.chosen(all); err != nil {
		return err
	}
	for i, p := range all {
		if index != nil && !p.AddSymbols(index) {
			p.Notes = append(p.Notes, capture.ShortLine)
		}
		if all[i], err = c.Filter.Of(p); err != nil {
			return err
		}
	}
	if len(all) == 1 {
		return c.Report(all[0], nil)
	}
	return c.reportAll(&selection{group: profile.Group{Tool: all[0].Tool, Profiles: all}})
}
