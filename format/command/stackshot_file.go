package command

import (
	"fmt"
	"runtime/debug"

	"stacksnap/format/command/cli"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/stackshots"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// gcPercent is the value for [debug.SetGCPercent] while many processes are reported on, or
// one is watched.
const gcPercent = 60

// openStackshot reports on the processes in a stackshot, or on those that -p chooses.
func (c *call) openStackshot(index *binaries.Index) error {
	if c.Save != "" {
		return cli.UsageError{Err: fmt.Errorf("%s is a stackshot, which has no memory to record: copy it rather than record it", c.Target)}
	}
	// No capture is running that a garbage collection could disturb, and there is
	// much garbage.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	profiles, err := c.readStackshots(c.Target, c.Within, index)
	switch {
	case err != nil:
		return err
	case len(profiles) == 1:
		return c.Report(profiles[0], nil)
	}
	if err := c.takeSeveral(profiles); err != nil {
		return err
	}
	return c.reportAll(&selection{group: c.seenTogether(profiles)})
}

// seenTogether returns a group of processes that were captured at the same moment, with
// their deadlocks.
func (c *call) seenTogether(profiles []*profile.Profile) profile.Group {
	g := profile.Group{Tool: c.Tool, Profiles: profiles}
	g.Deadlocks = profile.Circles(g.Waiters())
	return g
}

// readStackshots reads the processes in a file of stackshots, or those that within names.
// It returns an error if there is none.
func (c *call) readStackshots(file string, within []string, index *binaries.Index) ([]*profile.Profile, error) {
	shots, err := stackshot.Open(file)
	if err != nil {
		return nil, inFile(file, err)
	}
	wanted, err := namedIn(shots, file, within)
	if err != nil {
		return nil, err
	}
	profiles, err := stackshots.Read(shots, wanted, c.Filter, index)
	if err == nil && len(profiles) == 0 {
		return nil, fmt.Errorf("%s has no process", file)
	}
	return profiles, inFile(file, err)
}

// namedIn returns a function that reports whether a process in the stackshots was named;
// nil if none was. Listing the processes takes long, and nil avoids it.
func namedIn(shots []*stackshot.Shot, file string, within []string) (func(task.Info) bool, error) {
	if len(within) == 0 {
		return nil, nil
	}
	return namedWithin(file, within, tasksOf(shots))
}

// tasksOf returns all processes in the stackshots.
func tasksOf(shots []*stackshot.Shot) (all []task.Info) {
	for s := range stackshot.Whole(shots) {
		for _, p := range s.Processes() {
			all = append(all, p.Info())
		}
	}
	return all
}
