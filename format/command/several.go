package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"stacksnap/format/command/pick"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/family"
	"stacksnap/task"
	"stacksnap/task/live"
)

// maxTogether is the largest number of processes captured in one call, if the limit on open
// files allows it.
const maxTogether = 256

// gather captures several processes at about the same time and reports on each. A process
// that cannot be captured is reported as missing.
func (c *call) gather(ctx context.Context) error {
	s := selection{asked: map[int]bool{}}
	if err := c.findAll(ctx, &s); err != nil {
		return err
	}
	if c.prefersStackshots() {
		if err := c.stackshotSeveral(ctx, &s); c.Kernel || !isRefused(err) {
			return err
		}
	}
	o, err := c.captureOptions()
	if err != nil {
		return err
	}
	if c.Samples() {
		c.sampleTogether(ctx, &s, o)
	} else {
		c.Release()
		o.Follow = c.FollowWaits
		s.snapshot(o, func(pid int, why error) (*profile.Profile, error) { return c.stackshotOfRefused(ctx, pid, why) })
	}
	s.group.Tool = c.Tool
	return c.reportAll(&s)
}

// selection is a set of processes to capture together, with the results.
type selection struct {
	pids  []int        // each once, in the order of the reports
	asked map[int]bool // pids that the user named
	group profile.Group
	errs  []error // errors that determine the exit code
}

// add adds a process to the selection, unless it is our own or there already.
func (s *selection) add(pid int) {
	switch {
	case pid == os.Getpid() || slices.Contains(s.pids, pid):
	case len(s.pids) == family.MostAtOnce(maxTogether):
		s.group.More++
	default:
		s.pids = append(s.pids, pid)
	}
}

// lose records that a process could not be captured. It is an error for the exit code too,
// unless the process has ended and the user did not name it.
func (s *selection) lose(pid int, err error) {
	s.group.Missing = append(s.group.Missing, profile.Missing{PID: pid, Why: err.Error()})
	hasEnded := is[*task.NoProcessError](err) || is[*task.ExitedError](err)
	if !hasEnded || s.asked[pid] {
		s.fail(err)
	}
}

// fail records an error for the exit code, unless it is nil.
func (s *selection) fail(err error) {
	if err != nil {
		s.errs = append(s.errs, err)
	}
}

// findAll finds the processes. A name that no process has is recorded as missing; any other
// failure is returned.
func (c *call) findAll(ctx context.Context, s *selection) error {
	targets := c.Targets
	if c.Wait != "" {
		targets = []string{c.Wait}
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
			if s.asked[pid] = !c.All; c.Tree && c.Samples() {
				s.add(pid) // its descendants are found while it is sampled
				continue
			}
			if err := c.addTree(s, pid); err != nil {
				return err
			}
		}
	}
	return nil
}

// findRoots finds the process for a target or, with --all, every process of that name.
func (c *call) findRoots(ctx context.Context, target string) ([]int, error) {
	if c.All {
		return live.Named(target, os.Getpid())
	}
	var pid int
	var err error
	if c.Wait != "" {
		pid, err = c.find(ctx)
	} else {
		pid, err = pick.Find(target, os.Getpid())
	}
	pid, err = c.decide(ctx, target, pid, err)
	return []int{pid}, err
}

// pidsNamed returns the pids that the targets refer to, sorted, each once, without our own.
// A target that matches no process is an error unless mayBeNone(target).
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

// addTree adds a process to the selection and, with --tree, its descendants.
func (c *call) addTree(s *selection, root int) error {
	s.add(root)
	if !c.Tree {
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

// otherwise captures a process that could not be opened because of why. It may return both
// a profile and an error.
type otherwise func(pid int, why error) (*profile.Profile, error)

// snapshot captures each process once, all at nearly the same time. It closes them in the
// reverse of the order in which it opened them.
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

// order sorts the profiles by the order in which their processes were found.
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

// sampleTogether samples all processes at the same time and, with --tree, their
// descendants.
func (c *call) sampleTogether(ctx context.Context, s *selection, o capture.Options) {
	profiles, lost, err := family.RecordAll(ctx, s.pids, c.Tree, o)
	c.Release()
	s.group.Profiles = profiles
	for _, l := range lost {
		s.lose(l.PID, l.Err)
	}
	s.fail(err)
}

// reportAll writes the report of a selection and returns the errors of capturing and
// writing it.
func (c *call) reportAll(s *selection) error {
	if len(s.group.Profiles) == 0 {
		if len(s.errs) == 0 {
			for _, m := range s.group.Missing {
				s.fail(&task.NoProcessError{PID: m.PID})
			}
		}
		return s.failure()
	}
	return errors.Join(s.failure(), c.WriteGroup(&s.group))
}

// failure returns the errors of a selection as one error with one line.
func (s *selection) failure() error {
	switch len(s.errs) {
	case 0:
		return nil
	case 1:
		return s.errs[0]
	}
	return &lostError{s.errs}
}

// lostError is the error of several processes that could not be captured.
type lostError struct{ errs []error }

func (e *lostError) Error() string {
	return fmt.Sprintf("%v; and %d more, which the report lists", e.errs[0], len(e.errs)-1)
}

func (e *lostError) Unwrap() []error { return e.errs }
