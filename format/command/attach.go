package command

import (
	"context"
	"errors"

	"stacksnap/format/command/cli"
	"stacksnap/task"
	"stacksnap/task/live"
)

// attach looks at a running process.
func (c *call) attach(ctx context.Context) error {
	pid, err := c.findTarget(ctx)
	if err != nil {
		return err
	}
	return c.attachTo(ctx, pid)
}

// look looks at an open process, and closes it.
func (c *call) look(ctx context.Context, p task.Process) error {
	switch c.Mode() {
	case cli.ModeWatch:
		return errors.Join(c.watch(ctx, p), p.Close())
	case cli.ModeSamples:
		return c.sample(ctx, p)
	case cli.ModeTop:
		return c.top(ctx, p)
	}
	return c.snapshot(p)
}

// openTarget finds the process that is asked for, and opens it.
func (c *call) openTarget(ctx context.Context) (task.Process, error) {
	pid, err := c.findTarget(ctx)
	if err != nil {
		return nil, err
	}
	return live.Open(pid)
}

// canTakeStackshots reports whether the kernel's stackshots may serve for what is asked for.
func (c *call) canTakeStackshots() bool {
	if c.shots == nil || c.FollowWaits {
		return false
	}
	switch c.Mode() {
	case cli.ModeSnapshot, cli.ModeSamples, cli.ModeTop, cli.ModeSeveral:
		return true
	}
	return false
}

// attachTo looks at a process that was found: by stackshots where its frames in the kernel
// are wanted, or nothing is to stop and the system allows it, or the system keeps its task
// from all others.
func (c *call) attachTo(ctx context.Context, pid int) error {
	if c.shots != nil && c.Kernel && c.Watches() {
		return errWatchKernel
	}
	if c.canTakeStackshots() && (c.Kernel || c.NoStop) {
		if err := c.stackshotOne(ctx, pid, ""); c.Kernel || !isRefused(err) {
			return err
		}
	}
	p, err := live.Open(pid)
	if err != nil {
		return c.stackshotInstead(ctx, pid, err)
	}
	return c.look(ctx, p)
}

// errWatchKernel is of a watch, whose reports are of registers and memory: what was stuck may
// have gone on before a stackshot tells where it is.
var errWatchKernel = cli.UsageError{Err: errors.New("a watch on macOS tells no frames in the kernel: leave out --kernel, or look now with a snapshot: -p PID --kernel")}
