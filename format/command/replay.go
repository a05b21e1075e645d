package command

import (
	"errors"
	"fmt"

	"stacksnap/format/profile/capture"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task/core"
	"stacksnap/task/recording"
)

// open reports on a core or a recording.
func (c *call) open() error {
	index, err := c.index()
	if err != nil {
		return err
	}
	if err := c.replay(index); !errors.Is(err, recording.ErrNotRecording) {
		return err
	}
	p, err := core.Open(c.target)
	if errors.Is(err, core.ErrNotCore) {
		return fmt.Errorf("%s is neither a core file nor a recording of stacksnap", c.target)
	}
	if err != nil {
		return err
	}
	return c.snapshot(p)
}

// replay reports on a recording. The error wraps [recording.ErrNotRecording] where
// the file is none.
func (c *call) replay(index *binaries.Index) error {
	prof, err := capture.Replay(c.target, c.filter, index)
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
