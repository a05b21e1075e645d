package command

import (
	"errors"

	"stacksnap/format/profile/capture"
	"stacksnap/task"
)

// snapshot captures a process once and reports on it.
func (c *call) snapshot(p task.Process) error {
	defer boundMemory(p)()
	o, err := c.captureOptions()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	c.Release()
	prof, err := capture.OneShot(p, o)
	return c.Report(prof, errors.Join(err, p.Close()))
}
