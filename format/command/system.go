package command

import (
	"context"
	"errors"
)

var errSurveySaved = usageError{Err: errors.New("--system keeps only the stackshots of macOS: leave out --save, or write a report with -o")}

// survey reports on all processes, or on those that -p chooses, and stops none.
func (c *call) survey(ctx context.Context) error {
	if c.save != "" {
		return errSurveySaved
	}
	group, err := c.surveyed(ctx)
	if err != nil {
		return err
	}
	if err := c.takeSeveral(group.Profiles); err != nil {
		return err
	}
	group.Tool = c.tool
	return c.reportAll(&selection{group: *group})
}
