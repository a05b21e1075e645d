package command

import (
	"context"
	"errors"
	"os"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/family"
	"stacksnap/task"
	"stacksnap/task/live"
)

// launch starts a program, samples it until it ends, and passes its exit status
// on.
func (c *call) launch(ctx context.Context) error {
	o, err := c.captureOptions()
	if err != nil {
		return err
	}
	program, err := live.Launch(c.Command, [3]*os.File{c.In, c.Out, c.Err})
	if err != nil {
		return err
	}
	if note := reportNote(c.Destinations()); note != "" {
		out.Tell(c.Err, note)
	}
	err = c.sampleLaunched(ctx, program.PID, o)
	status, finishErr := program.Finish()
	return c.passOn(status, errors.Join(err, finishErr))
}

// reportNote says where the report on a command that was launched goes, where that
// may surprise; empty where it does not. A report for people is seen on standard
// error, and a file was named.
func reportNote(all []cli.Destination) string {
	last := &all[len(all)-1]
	switch {
	case last.Path == cli.StandardOutput:
		return "the report goes to standard output, behind what the command writes there"
	case last.Path == "" && !last.Form.Text:
		return "the report goes to standard error, for standard output is the command's; -o FILE writes it to a file, -o - to standard output"
	}
	return ""
}

// unseenLine is told where there is nothing to report.
const unseenLine = "the program ended before it could be looked at"

// sampleLaunched samples a program that was launched, and those for which it
// calls exec or, with --children, that it starts. The report is not kept until
// the program has ended, for that may be long after the sampling.
func (c *call) sampleLaunched(ctx context.Context, pid int, o capture.Options) error {
	record := family.Through
	if c.Children {
		record = family.Record
	}
	profiles, err := record(ctx, pid, o)
	c.deadline.Lift()                  // the command is waited for as long as it runs
	if is[*task.NoProcessError](err) { // that it ends is what is waited for
		err = nil
	}
	if len(profiles) > 0 {
		return errors.Join(err, c.Write(profiles...))
	}
	if err == nil {
		out.Tell(c.Err, unseenLine)
	}
	return err
}

// passOn returns the status of a program that was launched, whatever went wrong
// of ours: that is told beside it, and decides only where the status is 0.
func (c *call) passOn(status int, err error) error {
	if status == 0 {
		return err
	}
	if err != nil {
		out.TellError(c.Err, err)
	}
	return exitStatus(status)
}
