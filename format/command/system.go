package command

import (
	"context"
	"errors"

	"stacksnap/format/command/cli"
)

// errSystemSaved is returned for --system --save where the system makes no stackshots.
var errSystemSaved = cli.UsageError{Err: errors.New("--system --save keeps a stackshot, which only macOS makes: leave out --save, and write a report instead (-o all.html)")}

// systemWide reports on all processes, or on those that -p chooses, without stopping any.
func (c *call) systemWide(ctx context.Context) error {
	if c.Save != "" {
		return errSystemSaved
	}
	group, err := c.captureSystem(ctx)
	if err != nil {
		return err
	}
	if err := c.takeSeveral(group.Profiles); err != nil {
		return err
	}
	group.Tool = c.Tool
	return c.reportAll(&selection{group: *group})
}
