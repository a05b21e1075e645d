package out

import (
	"errors"
	"fmt"

	"stacksnap/format/command/cli"
	"stacksnap/format/output"
)

// CheckPlace returns an error if the report could be written nowhere, so that this is known
// before anything is captured.
func (c *Reporter) CheckPlace() error {
	if err := c.checkStream(); err != nil {
		return err
	}
	var errs []error
	for _, d := range c.Destinations() {
		if !d.IsFile() {
			return nil
		}
		err := output.Check(d.Path)
		if err == nil {
			return nil // other errors are reported when there is something to write
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkStream returns an error if the report would only go to a stream that nobody can
// read, such as /dev/null, or a binary format to a terminal.
func (c *Reporter) checkStream() error {
	all := c.Destinations()
	last := &all[len(all)-1] // the stream, if there is any
	stream, name := c.stream(last)
	if !last.IsFile() && last.Form.Binary && IsTerminal(stream) {
		return cli.UsageError{Err: fmt.Errorf("%s is not for a terminal: give -o FILE, such as it%s%s", last.Form.Name, last.Form.Extensions[0], last.Compression)}
	}
	kept := c.ToFile() || c.Save != "" || c.Dir != "" || c.Exec != "" || c.Push != ""
	if kept || !output.IsNowhere(stream) {
		return nil
	}
	return fmt.Errorf("standard %s is closed (or /dev/null), and the report would be lost: give -o FILE", name)
}
