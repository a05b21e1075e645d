package command

import (
	"context"
	"errors"
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/stackshots"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/stackshot"
)

// canFilm reports whether the kernel's stackshots may serve for what is asked for.
func (c *call) canFilm() bool {
	if c.shots == nil || c.follows {
		return false
	}
	switch c.mode() {
	case snaps, samples, tops, gathers:
		return true
	}
	return false
}

// attachTo looks at a process that was found: by stackshots where its frames in the kernel
// are wanted, or nothing is to stop and the system allows it, or the system keeps its task
// from all others.
func (c *call) attachTo(ctx context.Context, pid int) error {
	if c.shots != nil && c.kernel && c.watches() {
		return errWatchKernel
	}
	if c.canFilm() && (c.kernel || c.noStop) {
		if err := c.filmOne(ctx, pid, ""); c.kernel || !isRefused(err) {
			return err
		}
	}
	p, err := live.Open(pid)
	if err != nil {
		return c.filmInstead(ctx, pid, err)
	}
	return c.look(ctx, p)
}

// errWatchKernel is of a watch, whose reports are of registers and memory: what was stuck may
// have gone on before a stackshot tells where it is.
var errWatchKernel = usageError{errors.New("a watch on macOS tells no frames in the kernel: leave out --kernel, or look now with a snapshot: -p PID --kernel")}

// filmInstead looks by stackshots at a process of which the task was refused.
func (c *call) filmInstead(ctx context.Context, pid int, refused error) error {
	note := c.noteInstead(refused)
	if note == "" {
		return refused
	}
	err := c.filmOne(ctx, pid, note)
	if isRefused(err) {
		return refused
	}
	return err
}

// filmRefused is filmInstead of one of several processes, and returns what was captured.
func (c *call) filmRefused(ctx context.Context, pid int, refused error) (*profile.Profile, error) {
	note := c.noteInstead(refused)
	if note == "" {
		return nil, refused
	}
	profiles, err := c.film(ctx, stackshots.Target{PID: pid, Note: note})
	if isRefused(err) {
		err = refused
	}
	if len(profiles) == 0 {
		return nil, err
	}
	return profiles[0], err
}

// noteInstead says why there is a stackshot instead; empty: there is to be none.
func (c *call) noteInstead(refused error) string {
	var why *task.PermissionError
	if !c.canFilm() || !errors.As(refused, &why) {
		return ""
	}
	return fmt.Sprintf("by the kernel's stackshot, for its task is refused (%s): there is no memory to tell more by", why.Asked)
}

// isRefused reports whether there could be no stackshot at all.
func isRefused(err error) bool {
	return is[*task.PermissionError](err) || errors.Is(err, stackshot.ErrNoSource)
}

// filmOne reports on a process by stackshots of it.
func (c *call) filmOne(ctx context.Context, pid int, note string) error {
	scene := stackshots.Target{PID: pid, Note: note}
	if c.mode() == tops {
		return c.filmTop(ctx, scene)
	}
	profiles, err := c.film(ctx, scene)
	if len(profiles) == 0 {
		return err
	}
	return c.report(profiles[0], err)
}

// filmTop shows a process live by stackshots of it.
func (c *call) filmTop(ctx context.Context, scene stackshots.Target) error {
	done, err := c.openScene(&scene)
	if err != nil {
		return c.wanting(err)
	}
	defer done()
	c.filming = true
	target := task.Info{PID: scene.PID, Name: live.Name(scene.PID), OS: task.Darwin}
	return c.wanting(c.topBy(ctx, target, func(ctx context.Context, o capture.Options) (*profile.Profile, error) {
		return c.filmLive(ctx, scene, o)
	}))
}

// filmLive takes stackshots of a process for a live view.
func (c *call) filmLive(ctx context.Context, scene stackshots.Target, o capture.Options) (*profile.Profile, error) {
	profiles, err := c.filmScene(ctx, scene, o)
	if len(profiles) == 0 {
		return nil, err
	}
	return profiles[0], err
}

// wanting names the flag that cannot be had where there are no stackshots.
func (c *call) wanting(err error) error {
	switch {
	case !errors.Is(err, stackshot.ErrNoSource):
		return err
	case c.system:
		return fmt.Errorf("--system cannot be had: %w", err)
	case c.kernel:
		return fmt.Errorf("--kernel cannot be had: %w", err)
	}
	return err
}
