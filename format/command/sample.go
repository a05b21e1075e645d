package command

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/mattn/go-isatty"

	"stacksnap/format/output"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
)

// sample takes many snapshots of a process, and reports.
func (c *call) sample(ctx context.Context, p task.Process) error {
	o, err := c.captureOptions()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	o.Taken, o.Alone = c.Release, true
	bar := c.progress(o.Duration)
	o.Progress = bar.Show
	prof, err := capture.Record(ctx, p, o)
	bar.Clear()
	return c.report(prof, errors.Join(err, p.Close()))
}

// progressAfter is from when on a sampling tells how far it is.
const progressAfter = 2 * time.Second

func (c *call) progress(whole time.Duration) *output.Progress {
	bar := &output.Progress{Whole: whole}
	if isTerminal(c.Err) && c.Getenv("TERM") != "dumb" && (whole == 0 || whole > progressAfter) {
		bar.To, bar.Width = c.Err, func() int { return output.Width(c.Err) }
	}
	return bar
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }
