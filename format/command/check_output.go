package command

import (
	"errors"
	"fmt"

	"stacksnap/format/output"
)

// checkPlace refuses to go on where the report could be written nowhere: rather than
// find out when there is something to lose.
func (c *reporter) checkPlace() error {
	if err := c.checkStream(); err != nil {
		return err
	}
	var errs []error
	for _, d := range c.destinations() {
		if !d.isFile() {
			return nil
		}
		err := output.Check(d.path)
		if err == nil {
			return nil // the others are told of when there is something to write
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkStream refuses to print a report where nobody can read it, unless there is
// something else that comes of it.
func (c *reporter) checkStream() error {
	all := c.destinations()
	last := &all[len(all)-1] // the stream, if there is any
	stream, name := c.stream(last)
	if !last.isFile() && last.form.Binary && isTerminal(stream) {
		return usageError{Err: fmt.Errorf("%s is not for a terminal: give -o FILE, such as it%s%s", last.form.Name, last.form.Extensions[0], last.compression)}
	}
	kept := c.toFile() || c.save != "" || c.dir != "" || c.exec != "" || c.push != ""
	if kept || !output.IsNowhere(stream) {
		return nil
	}
	return fmt.Errorf("standard %s is closed (or /dev/null), and the report would be lost: give -o FILE", name)
}
