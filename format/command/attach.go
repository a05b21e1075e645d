package command

import (
	"context"
	"errors"

	"stacksnap/format/command/cli"
	"stacksnap/task"
	"stacksnap/task/live"
)

// attach finds the target process, captures it and reports on it.
func (c *call) attach(ctx context.Context) error {
	pid, err := c.findTarget(ctx)
	if err != nil {
		return err
	}
	return c.attachTo(ctx, pid)
}

// look captures an open process in the mode of the call, reports on it, and closes
// it.
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

// openTarget finds the target process and opens it.
func (c *call) openTarget(ctx context.Context) (task.Process, error) {
	pid, err := c.findTarget(ctx)
	if err != nil {
		return nil, err
	}
	return live.Open(pid)
}

// canTakeStackshots reports whether the kernel's stackshots can serve this call.
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

// prefersStackshots reports whether to try stackshots before opening a process: only they have
// frames in the kernel, and they stop nothing.
func (c *call) prefersStackshots() bool { return c.canTakeStackshots() && (c.Kernel || c.NoStop) }

// attachTo captures the process pid and reports on it. It takes stackshots instead of
// attaching for --kernel, for --no-stop where the system allows it, and where the system
// refuses its task port.
func (c *call) attachTo(ctx context.Context, pid int) error {
	if c.shots != nil && c.Kernel && c.Watches() {
		return errWatchKernel
	}
	if c.prefersStackshots() {
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

// errWatchKernel refuses --kernel for a watch on macOS. A watch reads registers and memory;
// a stackshot taken after that might find the thread elsewhere.
var errWatchKernel = cli.UsageError{Err: errors.New("a watch on macOS has no frames in the kernel: leave out --kernel, or take a snapshot now: -p PID --kernel")}
