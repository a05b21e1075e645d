package command

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/family"
	"stacksnap/format/profile/capture/stackshots"
	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// stackshotAll reports on all processes, or on those that -p chooses, by stackshots.
func (c *call) stackshotAll(ctx context.Context) error {
	wanted, err := c.chosenPIDs()
	if err != nil {
		return err
	}
	profiles, err := c.takeStackshots(ctx, stackshots.Target{PID: stackshot.OfAll, Wanted: wanted})
	switch len(profiles) {
	case 0:
		return cmp.Or(err, errNoneLeft)
	case 1:
		return c.Report(profiles[0], err)
	}
	if err := c.takeSeveral(profiles); err != nil {
		return err
	}
	s := selection{group: c.seenTogether(profiles)}
	s.fail(err)
	return c.reportAll(&s)
}

var errNoneLeft = errors.New("none of those processes was in the kernel's stackshot: they have ended")

// chosenPIDs returns a function that reports whether -p chooses a process; nil without -p.
func (c *call) chosenPIDs() (func(task.Info) bool, error) {
	if len(c.Targets) == 0 {
		return nil, nil
	}
	pids, err := pidsNamed(c.Targets, func(string) bool { return false })
	return func(info task.Info) bool { return slices.Contains(pids, info.PID) }, err
}

// stackshotSeveral reports on several processes by stackshots of the whole system, so that
// all are captured at one moment.
func (c *call) stackshotSeveral(ctx context.Context, s *selection) error {
	members := family.NewMembers(s.pids)
	scene := stackshots.Target{PID: stackshot.OfAll, Wanted: func(info task.Info) bool { return slices.Contains(s.pids, info.PID) }}
	if c.Tree && c.Samples() {
		scene.Wanted = func(info task.Info) bool { return members.Has(info.PID) }
	}
	profiles, err := c.takeStackshots(ctx, scene)
	if len(profiles) == 0 && err != nil {
		return err
	}
	s.take(c.seenTogether(profiles))
	s.fail(err)
	s.fail(members.Err())
	return c.reportAll(s)
}

// take stores captured profiles in the order in which the processes were found, and records
// the processes without a profile as missing.
func (s *selection) take(g profile.Group) {
	s.group.Tool, s.group.Profiles, s.group.Deadlocks = g.Tool, g.Profiles, g.Deadlocks
	s.order()
	for _, pid := range s.pids {
		if !slices.ContainsFunc(g.Profiles, func(p *profile.Profile) bool { return p.Target.PID == pid }) {
			s.lose(pid, &task.NoProcessError{PID: pid})
		}
	}
}
