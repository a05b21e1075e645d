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

// gcPercent is by how much the heap may grow before it is collected, while stackshots of
// many processes are reported on, or a process is watched.
const gcPercent = 60

// openStackshot reports on the processes in a stackshot, or on those that -p chooses.
func (c *call) openStackshot(index *binaries.Index) error {
	if c.Save != "" {
		return cli.UsageError{Err: fmt.Errorf("%s is a stackshot, which has no memory to record: copy it rather than --save it", c.Target)}
	}
	// Nothing runs that collecting garbage would disturb, and much of it is made.
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

// seenTogether are processes of which the kernel has seen all threads at one moment.
func (c *call) seenTogether(profiles []*profile.Profile) profile.Group {
	g := profile.Group{Tool: c.Tool, Profiles: profiles}
	g.Deadlocks = profile.Circles(g.Waiters())
	return g
}

// readStackshots reads the processes in a file of stackshots, or those that are named, of
// which there is one at least.
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

// namedIn tells which processes in a file of stackshots are named, nil where none is: those
// are then not asked for, which takes as long as to report on some.
func namedIn(shots []*stackshot.Shot, file string, within []string) (func(task.Info) bool, error) {
	if len(within) == 0 {
		return nil, nil
	}
	return namedWithin(file, within, tasksOf(shots))
}

// tasksOf are all processes in stackshots.
func tasksOf(shots []*stackshot.Shot) (all []task.Info) {
	for s := range stackshot.Whole(shots) {
		for _, p := range s.Processes() {
			all = append(all, p.Info())
		}
	}
	return all
}
