package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/task/live"
)

// chosen returns the processes of a file that --pid chooses, in the order of the file. It
// returns an error if one of the names is not in the file, or if several are chosen for a
// format that holds one.
func (c *call) chosen(all []*profile.Profile) ([]*profile.Profile, error) {
	all, err := c.ofThose(all)
	if err != nil {
		return nil, err
	}
	return all, c.takeSeveral(all)
}

// takeSeveral returns an error if there are several processes and an output format holds
// only one.
func (c *call) takeSeveral(all []*profile.Profile) error {
	for _, d := range c.Destinations() {
		if d.Form.Single && len(all) > 1 {
			return cli.UsageError{Err: fmt.Errorf("%s has %d processes, and %s is of one: choose it with -p (%s)", c.Target, len(all), d.Form.Name, processList(targetsOf(all)))}
		}
	}
	return nil
}

// ofThose returns the processes that --pid names, or all without --pid.
func (c *call) ofThose(all []*profile.Profile) (some []*profile.Profile, err error) {
	wanted, err := namedWithin(c.Target, c.Within, targetsOf(all))
	if err != nil || wanted == nil {
		return all, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(p *profile.Profile) bool { return !wanted(p.Target) }), nil
}

func targetsOf(all []*profile.Profile) (targets []task.Info) {
	for _, p := range all {
		targets = append(targets, p.Target)
	}
	return targets
}

// namedWithin returns a function that reports whether a process of a file was named, by its
// pid or its name; nil if none is named. It returns an error if a name is not in the file.
func namedWithin(file string, within []string, all []task.Info) (func(task.Info) bool, error) {
	if len(within) == 0 {
		return nil, nil
	}
	wanted := map[task.Candidate]bool{}
	for _, target := range within {
		found := matching(target, all)
		if len(found) == 0 {
			return nil, notInFile(file, target, all)
		}
		for _, one := range found {
			wanted[one] = true
		}
	}
	return func(info task.Info) bool { return wanted[asCandidate(info)] }, nil
}

// matching returns the processes that a target, a pid or a name, refers to.
func matching(target string, all []task.Info) []task.Candidate {
	var candidates []task.Candidate
	for _, info := range all {
		candidates = append(candidates, asCandidate(info))
	}
	if pid, err := strconv.Atoi(target); err == nil {
		return slices.DeleteFunc(candidates, func(c task.Candidate) bool { return c.PID != pid || c.Name == "" })
	}
	return live.Matching(target, candidates)
}

// asCandidate returns a process as one that a name can match.
func asCandidate(info task.Info) task.Candidate {
	return task.Candidate{PID: info.PID, Name: info.Name, Path: info.Path}
}

// notInFile returns the error for a process that is not in a file. It lists those that are.
func notInFile(file, name string, all []task.Info) error {
	var err error = &live.NoNameError{Name: name}
	if pid, notNumber := strconv.Atoi(name); notNumber == nil {
		err = &task.NoProcessError{PID: pid}
	}
	return fmt.Errorf("%s: %w: it has %s", file, err, processList(all))
}

// listedProcesses is the number of processes that one line lists.
const listedProcesses = 10

// processList returns the first processes as a list for people.
func processList(all []task.Info) string {
	var names []string
	for _, info := range all[:min(len(all), listedProcesses)] {
		names = append(names, fmt.Sprintf("%s [%d]", words.Printable(info.Name), info.PID))
	}
	list := strings.Join(names, ", ")
	if more := len(all) - listedProcesses; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
