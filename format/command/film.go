package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/family"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/stackshot"
)

// filmInterval is from one stackshot to the next unless told, as spindump has it: no thread
// of the system runs meanwhile.
const filmInterval = 10 * time.Millisecond

// canFilm tells whether the kernel's stackshots may serve for what is asked for.
func (c *call) canFilm() bool {
	if c.shots == nil {
		return false
	}
	switch c.mode() {
	case snaps, samples, tops:
		return true
	case gathers:
		return !c.follows
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
	var why *task.PermissionError
	if !c.canFilm() || !errors.As(refused, &why) {
		return refused
	}
	err := c.filmOne(ctx, pid, fmt.Sprintf("by the kernel's stackshot, for its task is refused (%s): there is no memory to tell more by", why.Asked))
	if isRefused(err) {
		return refused
	}
	return err
}

// isRefused tells whether there could be no stackshot at all.
func isRefused(err error) bool {
	return is[*task.PermissionError](err) || errors.Is(err, stackshot.ErrNoSource)
}

// filmOne reports on a process by stackshots of it.
func (c *call) filmOne(ctx context.Context, pid int, note string) error {
	scene := capture.Scene{PID: pid, Note: note}
	if c.mode() == tops {
		return c.filmTop(ctx, scene)
	}
	profiles, err := c.film(ctx, scene)
	if len(profiles) == 0 {
		return err
	}
	return c.report(profiles[0], err)
}

// filmAll reports on all processes, or on those that -p chooses, by stackshots.
func (c *call) filmAll(ctx context.Context) error {
	wanted, err := c.chosenPIDs()
	if err != nil {
		return err
	}
	profiles, err := c.film(ctx, capture.Scene{PID: stackshot.OfAll, Wanted: wanted})
	switch len(profiles) {
	case 0:
		return cmp.Or(err, errNoneLeft)
	case 1:
		return c.report(profiles[0], err)
	}
	if err := c.takeSeveral(profiles); err != nil {
		return err
	}
	s := selection{group: c.seenTogether(profiles)}
	if err != nil {
		s.errs = append(s.errs, err)
	}
	return c.reportAll(&s)
}

// filmSeveral reports on processes that were found, by stackshots of all, so that they are
// of one moment.
func (c *call) filmSeveral(ctx context.Context, s *selection) error {
	members := family.NewMembers(s.pids)
	scene := capture.Scene{PID: stackshot.OfAll, Wanted: func(info task.Info) bool { return slices.Contains(s.pids, info.PID) }}
	if c.tree && c.samples() {
		scene.Wanted = func(info task.Info) bool { return members.Has(info.PID) }
	}
	profiles, err := c.film(ctx, scene)
	if len(profiles) == 0 && err != nil {
		return err
	}
	s.take(c.seenTogether(profiles))
	for _, err := range []error{err, members.Err()} {
		if err != nil {
			s.errs = append(s.errs, err)
		}
	}
	return c.reportAll(s)
}

// take takes up what was captured, in the order in which the processes were found, and
// notes those of which there is nothing.
func (s *selection) take(g profile.Group) {
	s.group.Tool, s.group.Profiles, s.group.Deadlocks = g.Tool, g.Profiles, g.Deadlocks
	place := func(pid int) int {
		if i := slices.Index(s.pids, pid); i >= 0 {
			return i
		}
		return len(s.pids) // it was started meanwhile
	}
	slices.SortStableFunc(s.group.Profiles, func(a, b *profile.Profile) int {
		return cmp.Compare(place(a.Target.PID), place(b.Target.PID))
	})
	for _, pid := range s.pids {
		if !slices.ContainsFunc(g.Profiles, func(p *profile.Profile) bool { return p.Target.PID == pid }) {
			s.lose(pid, &task.NoProcessError{PID: pid})
		}
	}
}

var errNoneLeft = errors.New("none of those processes was in the kernel's stackshot: they have ended")

// chosenPIDs tells which processes -p chooses; nil where it does not.
func (c *call) chosenPIDs() (func(task.Info) bool, error) {
	if len(c.targets) == 0 {
		return nil, nil
	}
	pids, err := pidsNamed(c.targets, func(string) bool { return false })
	return func(info task.Info) bool { return slices.Contains(pids, info.PID) }, err
}

// film takes stackshots for a report.
func (c *call) film(ctx context.Context, scene capture.Scene) (profiles []*profile.Profile, err error) {
	defer func() { err = c.wanting(err) }()
	done, err := c.openScene(&scene)
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := c.filmOptions()
	if err != nil {
		return nil, err
	}
	bar := c.progress(o.Duration)
	o.Progress = bar.Show
	defer bar.Clear()
	return c.filmScene(ctx, scene, o)
}

// openScene opens what takes a scene's stackshots, until done is called.
func (c *call) openScene(scene *capture.Scene) (done func(), err error) {
	if scene.Source, err = c.shots(scene.PID); err != nil {
		return nil, err
	}
	if !c.kernel || scene.PID == stackshot.OfAll {
		return func() { _ = scene.Source.Close() }, nil // it never fails
	}
	if scene.Kernel, err = c.shots(stackshot.OfKernel); err != nil {
		return nil, errors.Join(err, scene.Source.Close())
	}
	return func() { _, _ = scene.Kernel.Close(), scene.Source.Close() }, nil
}

// filmScene takes stackshots, which --save keeps as they are.
func (c *call) filmScene(ctx context.Context, scene capture.Scene, o capture.Options) ([]*profile.Profile, error) {
	if c.save == "" {
		return capture.Film(ctx, scene, o)
	}
	return c.filmTo(c.save, func(keep func([]byte) error) ([]*profile.Profile, error) {
		scene.Keep = keep
		return capture.Film(ctx, scene, o)
	})
}

// filmTop shows a process live by stackshots of it.
func (c *call) filmTop(ctx context.Context, scene capture.Scene) error {
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
func (c *call) filmLive(ctx context.Context, scene capture.Scene, o capture.Options) (*profile.Profile, error) {
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

// filmTo writes the stackshots that are kept to a file. What was taken before an error is
// kept, if there is anything.
func (c *call) filmTo(path string, film func(keep func([]byte) error) ([]*profile.Profile, error)) (profiles []*profile.Profile, err error) {
	unsaved := output.Write(path, func(w io.Writer) error {
		kept := false
		profiles, err = film(func(b []byte) error {
			kept = true
			_, err := w.Write(b)
			return err
		})
		if !kept {
			return err // and no file
		}
		return nil
	})
	if !errors.Is(unsaved, err) || err == nil {
		err = errors.Join(err, unsaved)
	}
	return profiles, err
}

// filmOptions are those of a film: one stackshot, or many.
func (c *call) filmOptions() (capture.Options, error) {
	c.filming = true
	o, err := c.captureOptions()
	if c.sampleInterval() == 0 {
		o.Interval = filmInterval
	}
	o.Taken = c.Release
	if !c.samples() {
		c.Release()
		o.Count, o.Duration, o.Taken = 1, 0, nil
	}
	return o, err
}
