package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"stacksnap/format/command/out"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/family"
	"stacksnap/task"
	"stacksnap/task/live"
)

// endGrace is the time that a sampled command gets to end, before its report is shown
// without a pager.
const endGrace = 500 * time.Millisecond

// launch starts a program, samples it until it ends, and returns its exit status as the
// error.
func (c *call) launch(ctx context.Context) error {
	o, err := c.captureOptions()
	if err != nil {
		return err
	}
	if note := c.reportNote(); note != "" {
		out.Tell(c.Err, note)
	}
	program, err := live.Launch(c.Command, [3]*os.File{c.In, c.Out, c.Err})
	if err != nil {
		return err
	}
	profiles, err := c.sampleLaunched(ctx, program.PID, o)
	end := make(chan programEnd, 1)
	go func() {
		status, err := program.Finish()
		end <- programEnd{status, err}
	}()
	err = errors.Join(err, c.reportLaunched(profiles, end))
	last := <-end
	return c.passOn(last.status, errors.Join(err, last.err))
}

// programEnd is how a launched program ended.
type programEnd struct {
	status int // its exit status
	err    error
}

// sampleLaunched samples a launched program across calls of exec and, with --children, the
// processes that it starts.
func (c *call) sampleLaunched(ctx context.Context, pid int, o capture.Options) ([]*profile.Profile, error) {
	record := family.Through
	if c.Children {
		record = family.Record
	}
	profiles, err := record(ctx, pid, o)
	c.deadline.Lift()                  // the command may run for as long as it wants
	if is[*task.NoProcessError](err) { // the program has ended, as expected
		err = nil
	}
	if len(profiles) == 0 && err == nil {
		out.Tell(c.Err, unseenLine)
	}
	return profiles, err
}

// unseenLine is printed if there is nothing to report.
const unseenLine = "the program ended before it could be captured"

// reportLaunched writes the report on a launched program. It does not wait for the
// program's end, which may be long after the sampling; but while the program runs, the
// terminal belongs to it, and no pager is started.
func (c *call) reportLaunched(profiles []*profile.Profile, end chan programEnd) error {
	if len(profiles) == 0 {
		return nil
	}
	if !out.IsTerminal(c.Err) {
		return c.Write(profiles...)
	}
	ended := hasEnded(end, endGrace)
	c.NoPager = c.NoPager || !ended
	err := c.Write(profiles...)
	if !ended && len(end) == 0 {
		out.Tell(c.Err, filepath.Base(c.Command[0])+" still runs: the prompt comes back when it ends; Ctrl-C interrupts it")
	}
	return err
}

// hasEnded reports whether a program ends within a time. It leaves the value in end.
func hasEnded(end chan programEnd, within time.Duration) bool {
	select {
	case last := <-end:
		end <- last
		return true
	case <-time.After(within):
		return false
	}
}

// passOn returns a launched program's exit status if it is not 0, and prints err. Otherwise
// it returns err.
func (c *call) passOn(status int, err error) error {
	if status == 0 {
		return err
	}
	if err != nil {
		out.TellError(c.Err, err)
	}
	return exitStatus(status)
}
