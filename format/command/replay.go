package command

import (
	"errors"
	"fmt"

	"stacksnap/format"
	"stacksnap/format/apple"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task/core"
	"stacksnap/task/recording"
)

// open reports on a core, a recording or a report of Apple's.
func (c *call) open() error {
	index, err := c.index()
	if err != nil {
		return err
	}
	if err := c.replay(index); !errors.Is(err, recording.ErrNotRecording) {
		return err
	}
	if prof, err := readReport(c.target, format.ReadJSON); !errors.Is(err, errNoReport) {
		return c.openRead(prof, err, index)
	}
	p, err := core.Open(c.target)
	if errors.Is(err, core.ErrNotCore) {
		return c.openReport(index)
	}
	if err != nil {
		return err
	}
	return c.snapshot(p)
}

// replay reports on a recording. The error wraps [recording.ErrNotRecording] where
// the file is none.
func (c *call) replay(index *binaries.Index) error {
	replay := capture.Replay
	if c.keepsTimelines() {
		replay = capture.ReplayTimed
	}
	prof, err := replay(c.target, c.filter, index)
	switch {
	case errors.Is(err, recording.ErrCutEarly):
		return fmt.Errorf("%s: %w", c.target, recording.ErrCutEarly)
	case errors.Is(err, recording.ErrNotRecording):
		return err
	case c.save != "":
		return usageError{fmt.Errorf("%s is a recording already: copy it rather than --save it", c.target)}
	case is[*recording.CutError](err):
		err = fmt.Errorf("%s: %w", c.target, err)
	}
	return c.report(prof, err)
}

// openReport reports on what a report of Apple's has.
func (c *call) openReport(index *binaries.Index) error {
	p, err := apple.Open(c.target)
	if errors.Is(err, apple.ErrNotReport) {
		return fmt.Errorf("%s is neither a core file, a recording of stacksnap or its JSON, nor a report of sample(1) or of a crash", c.target)
	}
	return c.openRead(p, err, index)
}

// openRead reports on what was read from a report.
func (c *call) openRead(p *profile.Profile, err error, index *binaries.Index) error {
	switch {
	case err != nil:
		return inFile(c.target, err)
	case c.save != "":
		return usageError{fmt.Errorf("%s is a report, of which there is nothing to record: copy it rather than --save it", c.target)}
	case c.filter.Running != c.filter.Blocked:
		return usageError{fmt.Errorf("%s is a report, which does not tell what runs: leave out --running and --blocked", c.target)}
	}
	if index != nil && !p.AddSymbols(index) {
		p.Notes = append(p.Notes, capture.ShortLine)
	}
	p, err = c.filter.Of(p)
	return c.report(p, err)
}
