package command

import (
	"context"
	"errors"
	"fmt"

	"stacksnap/format/command/cli"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/stackshots"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/stackshot"
)

// stackshotInstead reports on a process by stackshots after access to its task was refused.
func (c *call) stackshotInstead(ctx context.Context, pid int, refused error) error {
	note := c.noteInstead(refused)
	if note == "" {
		return refused
	}
	err := c.stackshotOne(ctx, pid, note)
	if isRefused(err) {
		return refused
	}
	return err
}

// stackshotOfRefused takes a stackshot of a process, one of several, after access to its
// task was refused.
func (c *call) stackshotOfRefused(ctx context.Context, pid int, refused error) (*profile.Profile, error) {
	note := c.noteInstead(refused)
	if note == "" {
		return nil, refused
	}
	profiles, err := c.takeStackshots(ctx, stackshots.Target{PID: pid, Note: note})
	if isRefused(err) {
		err = refused
	}
	return first(profiles, err)
}

// first returns the first profile, or nil if there is none, and err unchanged.
func first(all []*profile.Profile, err error) (*profile.Profile, error) {
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

// noteInstead returns the note on why stackshots took the place of attaching; empty if they
// may not.
func (c *call) noteInstead(refused error) string {
	var why *task.PermissionError
	if !c.canTakeStackshots() || !errors.As(refused, &why) {
		return ""
	}
	return fmt.Sprintf("by the kernel's stackshot, for its task is refused (%s): there is no memory to tell more by", why.Asked)
}

// isRefused reports whether err means that no stackshot could be taken at all.
func isRefused(err error) bool {
	return is[*task.PermissionError](err) || errors.Is(err, stackshot.ErrNoSource)
}

// stackshotOne reports on a process by stackshots.
func (c *call) stackshotOne(ctx context.Context, pid int, note string) error {
	scene := stackshots.Target{PID: pid, Note: note}
	if c.Mode() == cli.ModeTop {
		return c.stackshotTop(ctx, scene)
	}
	return c.Report(first(c.takeStackshots(ctx, scene)))
}

// stackshotTop shows a live view of a process by stackshots.
func (c *call) stackshotTop(ctx context.Context, scene stackshots.Target) error {
	done, err := c.openScene(&scene)
	if err != nil {
		return c.wanting(err)
	}
	defer done()
	c.byStackshots = true
	target := task.Info{PID: scene.PID, Name: live.Name(scene.PID), OS: task.Darwin}
	return c.wanting(c.topBy(ctx, target, func(ctx context.Context, o capture.Options) (*profile.Profile, error) {
		return c.stackshotLive(ctx, scene, o)
	}))
}

// stackshotLive takes stackshots of a process for a live view.
func (c *call) stackshotLive(ctx context.Context, scene stackshots.Target, o capture.Options) (*profile.Profile, error) {
	return first(c.stackshotScene(ctx, scene, o))
}

// wanting adds to an error of missing stackshots the flag that needs them.
func (c *call) wanting(err error) error {
	switch {
	case !errors.Is(err, stackshot.ErrNoSource):
		return err
	case c.System:
		return fmt.Errorf("--system cannot be had: %w", err)
	case c.Kernel:
		return fmt.Errorf("--kernel cannot be had: %w", err)
	}
	return err
}
