package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/family"
	"stacksnap/format/report"
	"stacksnap/task"
	"stacksnap/task/live"
)

// maxTogether is how many processes are captured in one call, if there may be as
// many open files.
const maxTogether = 256

// gather looks at several processes at about the same time, and reports on each.
// One of which there is nothing costs only its own report.
func (c *call) gather(ctx context.Context) error {
	s := selection{asked: map[int]bool{}}
	if err := c.findAll(ctx, &s); err != nil {
		return err
	}
	if c.canFilm() && (c.kernel || c.noStop) {
		if err := c.filmSeveral(ctx, &s); c.kernel || !isRefused(err) {
			return err
		}
	}
	o, err := c.captureOptions()
	if err != nil {
		return err
	}
	if c.samples() {
		c.sampleTogether(ctx, &s, o)
	} else {
		c.Release()
		o.Follow = c.follows
		s.snapshot(o, func(pid int, why error) (*profile.Profile, error) { return c.filmRefused(ctx, pid, why) })
	}
	s.group.Tool = c.tool()
	return c.reportAll(&s)
}

// selection is processes that are looked at together, and what came of it.
type selection struct {
	pids  []int        // each once, in the order of the reports
	asked map[int]bool // of these, those that were named
	group profile.Group
	errs  []error // what the exit code tells of
}

// add takes up a process unless it is us, or there already.
func (s *selection) add(pid int) {
	switch {
	case pid == os.Getpid() || slices.Contains(s.pids, pid):
	case len(s.pids) == family.MostAtOnce(maxTogether):
		s.group.More++
	default:
		s.pids = append(s.pids, pid)
	}
}

// lose notes that something of a process is missing. That one which nobody has
// named has ended is nothing to fail for: it was found, and then it was gone.
func (s *selection) lose(pid int, err error) {
	s.group.Missing = append(s.group.Missing, profile.Missing{PID: pid, Why: err.Error()})
	hasEnded := is[*task.NoProcessError](err) || is[*task.ExitedError](err)
	if !hasEnded || s.asked[pid] {
		s.errs = append(s.errs, err)
	}
}

// findAll finds the processes. The error is one of the call: a name that nobody has
// costs only its own report where there are others.
func (c *call) findAll(ctx context.Context, s *selection) error {
	targets := c.targets
	if c.wait != "" {
		targets = []string{c.wait}
	}
	for _, target := range targets {
		roots, err := c.findRoots(ctx, target)
		if is[*live.NoNameError](err) {
			s.lose(0, err)
			continue
		}
		if err != nil {
			return err
		}
		for _, pid := range roots {
			if s.asked[pid] = !c.all; c.tree && c.samples() {
				s.add(pid) // what it has started is found as it is sampled
				continue
			}
			if err := c.addTree(s, pid); err != nil {
				return err
			}
		}
	}
	return nil
}

// findRoots finds the process that a target is or, with --all, those.
func (c *call) findRoots(ctx context.Context, target string) ([]int, error) {
	if c.all {
		return live.Named(target, os.Getpid())
	}
	var pid int
	var err error
	if c.wait != "" {
		pid, err = c.find(ctx)
	} else {
		pid, err = findNow(target, os.Getpid())
	}
	pid, err = c.decide(ctx, target, pid, err)
	return []int{pid}, err
}

// pidsNamed returns the processes that targets stand for, each once, the lowest first, and
// us not among them. It fails where a target cannot be resolved to processes, unless
// mayBeNone reports that this target need not be.
func pidsNamed(targets []string, mayBeNone func(target string) bool) (pids []int, err error) {
	for _, target := range targets {
		found, err := live.Named(target, os.Getpid())
		if err != nil && !mayBeNone(target) {
			return nil, err
		}
		pids = append(pids, found...)
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}

// addTree takes up a process and, with --tree, what it has started.
func (c *call) addTree(s *selection, root int) error {
	s.add(root)
	if !c.tree {
		return nil
	}
	var kin live.Kin
	below, err := kin.Descendants(root)
	if err != nil {
		return fmt.Errorf("look for the processes that pid %d has started: %w", root, err)
	}
	for _, pid := range below {
		s.add(pid)
	}
	return nil
}

// otherwise captures a process that could not be opened, for that reason; there may be
// both a profile and an error.
type otherwise func(pid int, why error) (*profile.Profile, error)

// snapshot captures each once, close together. They are closed in the order that
// undoes what opening them has done.
func (s *selection) snapshot(o capture.Options, other otherwise) {
	var open []task.Process
	for _, pid := range s.pids {
		p, err := live.Open(pid)
		if err == nil {
			open = append(open, p)
			continue
		}
		prof, err := other(pid, err)
		if prof != nil {
			s.group.Profiles = append(s.group.Profiles, prof)
		}
		if err != nil {
			s.lose(pid, err)
		}
	}
	shots := capture.OneShots(open, o)
	s.group.Deadlocks, s.group.Missing = shots.Deadlocks, append(s.group.Missing, shots.Missing...)
	for i := len(open) - 1; i >= 0; i-- {
		shots.All[i].Err = errors.Join(shots.All[i].Err, open[i].Close())
	}
	for _, shot := range shots.All {
		if shot.Profile != nil {
			s.group.Profiles = append(s.group.Profiles, shot.Profile)
		}
		if shot.Err != nil {
			s.lose(shot.PID, shot.Err)
		}
	}
	s.order()
	s.group.Profiles = append(s.group.Profiles, shots.Followed...)
}

// order has the reports in the order in which the processes were found.
func (s *selection) order() {
	place := func(pid int) int {
		if i := slices.Index(s.pids, pid); i >= 0 {
			return i
		}
		return len(s.pids) // it was started meanwhile
	}
	slices.SortStableFunc(s.group.Profiles, func(a, b *profile.Profile) int {
		return cmp.Compare(place(a.Target.PID), place(b.Target.PID))
	})
}

// sampleTogether samples all of them at the same time and, with --tree, what they
// have started and start.
func (c *call) sampleTogether(ctx context.Context, s *selection, o capture.Options) {
	profiles, lost, err := family.RecordAll(ctx, s.pids, c.tree, o)
	c.Release()
	s.group.Profiles = profiles
	for _, l := range lost {
		s.lose(l.PID, l.Err)
	}
	if err != nil {
		s.errs = append(s.errs, err)
	}
}

// reportAll writes what there is, and returns what went wrong.
func (c *call) reportAll(s *selection) error {
	if len(s.group.Profiles) == 0 {
		if len(s.errs) == 0 {
			for _, m := range s.group.Missing {
				s.errs = append(s.errs, &task.NoProcessError{PID: m.PID})
			}
		}
		return s.failure()
	}
	queued := c.queue(&s.group, nil)
	shown := report.OfGroup(s.group.Each(c.shown))
	err := c.writeAll(func(w io.Writer, d *destination) error { return c.writeReport(w, d, shown) })
	return errors.Join(s.failure(), err, queued, c.deliver(), c.missing(s.group.Profiles...))
}

// failure is what went wrong, in one line.
func (s *selection) failure() error {
	switch len(s.errs) {
	case 0:
		return nil
	case 1:
		return s.errs[0]
	}
	return &lostError{s.errs}
}

// lostError is about several processes that could not be captured.
type lostError struct{ errs []error }

func (e *lostError) Error() string {
	return fmt.Sprintf("%v; and %d more, which the report lists", e.errs[0], len(e.errs)-1)
}

func (e *lostError) Unwrap() []error { return e.errs }
