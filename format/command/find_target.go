package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/pick"
	"stacksnap/task/live"
)

// findTarget turns the command line's target into a pid.
func (c *call) findTarget(ctx context.Context) (int, error) {
	pid, err := c.find(ctx)
	return c.decide(ctx, c.Target, pid, err)
}

// decide returns the pid that was found for a target, unless it is invalid or our own. If
// the target matches several processes, it lets the user choose.
func (c *call) decide(ctx context.Context, target string, pid int, err error) (int, error) {
	var ambiguous *live.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return c.choose(ctx, ambiguous)
	case err != nil:
		return 0, err
	case pid <= 0:
		return 0, cli.UsageError{Err: fmt.Errorf("%s is not a pid", target)}
	case pid == os.Getpid():
		return 0, cli.UsageError{Err: errors.New("stacksnap cannot stop and read itself: give another pid")}
	}
	return pid, nil
}

func (c *call) find(ctx context.Context) (int, error) {
	self := os.Getpid()
	if c.Wait == "" {
		return pick.Find(c.Target, self)
	}
	pid, err := live.Wait(ctx, c.Wait, self)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("the waiting was ended: %w", &live.NoNameError{Name: c.Wait})
	}
	return pid, err
}

// choose lets the user choose among several processes, and returns an error if there is no
// terminal to ask at.
func (c *call) choose(ctx context.Context, e *live.AmbiguousError) (int, error) {
	which := pick.Among(e)
	if c.mayTakeAll() {
		which.OrAll = ", or all of them by --all"
	}
	if !c.CanAsk() {
		return 0, which.Refusal(c.Streams)
	}
	return which.Ask(ctx, c.Streams)
}

// mayTakeAll reports whether --all could be added to the flags.
func (c *call) mayTakeAll() bool {
	return !c.Watches() && !c.Check && c.Save == "" && c.Wait == ""
}
