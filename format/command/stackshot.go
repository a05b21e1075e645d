package command

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/stackshot"
)

// gcPercent is by how much the heap may grow before it is collected, while stackshots of
// many processes are reported on.
const gcPercent = 60

// openStackshot reports on the processes in a stackshot, or on those that -p chooses.
func (c *call) openStackshot(index *binaries.Index) error {
	if c.save != "" {
		return usageError{fmt.Errorf("%s is a stackshot, which has no memory to record: copy it rather than --save it", c.target)}
	}
	// Nothing runs that collecting garbage would disturb, and much of it is made.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	shots, err := stackshot.Open(c.target)
	if err != nil {
		return inFile(c.target, err)
	}
	wanted, err := tasksNamed(c.within, shots)
	if err != nil {
		return fmt.Errorf("%s: %w", c.target, err)
	}
	profiles, err := capture.Stackshots(shots, wanted, c.filter, index)
	switch {
	case err != nil:
		return inFile(c.target, err)
	case len(profiles) == 0:
		return fmt.Errorf("%s has no process", c.target)
	case len(profiles) == 1:
		return c.report(profiles[0], nil)
	}
	if err := c.takeSeveral(profiles); err != nil {
		return err
	}
	return c.reportAll(&selection{group: profile.Group{Tool: c.tool(), Profiles: profiles}})
}

// tasksNamed tells which of the processes in stackshots are those that were named, by pid or
// name; of names those that are the same go before those that begin so. It is nil where
// nothing was named.
func tasksNamed(targets []string, shots []*stackshot.Shot) (func(task.Info) bool, error) {
	if len(targets) == 0 {
		return nil, nil
	}
	var all []task.Info
	for _, s := range stackshot.Whole(shots) {
		for _, p := range s.Processes() {
			all = append(all, p.Info())
		}
	}
	var tests []func(task.Info) bool
	for _, target := range targets {
		is := taskNamed(target, all)
		if is == nil {
			return nil, missingIn(target)
		}
		tests = append(tests, is)
	}
	return func(info task.Info) bool {
		return slices.ContainsFunc(tests, func(is func(task.Info) bool) bool { return is(info) })
	}, nil
}

// taskNamed is the first of the ways to understand a target by which there is a process;
// nil where there is none.
func taskNamed(target string, all []task.Info) func(task.Info) bool {
	pid, err := strconv.Atoi(target)
	for _, is := range []func(task.Info) bool{
		func(info task.Info) bool { return err == nil && info.PID == pid && info.Name != "" },
		func(info task.Info) bool { return info.Name == target },
		func(info task.Info) bool { return strings.HasPrefix(info.Name, target) },
	} {
		if slices.ContainsFunc(all, is) {
			return is
		}
	}
	return nil
}

// missingIn is the error that there is no such process.
func missingIn(target string) error {
	if pid, err := strconv.Atoi(target); err == nil {
		return &task.NoProcessError{PID: pid}
	}
	return &live.NoNameError{Name: target}
}
