package command

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/live"
)

// chosen are those of a file's processes that are wanted, in the order of the file. The
// error is one of a name that none has, or of a form that is of one process alone.
func (c *call) chosen(all []*profile.Profile) ([]*profile.Profile, error) {
	all, err := c.ofThose(all)
	if err != nil {
		return nil, err
	}
	return all, c.takeSeveral(all)
}

// takeSeveral returns the error of a form that is of one process, where there are more.
func (c *call) takeSeveral(all []*profile.Profile) error {
	for _, d := range c.destinations() {
		if d.form.group == nil && len(all) > 1 {
			return usageError{fmt.Errorf("%s has %d processes, and %s is of one: choose it with -p (%s)", c.target, len(all), d.form.name, processList(all))}
		}
	}
	return nil
}

// ofThose are the processes that --pid names, or all where it names none.
func (c *call) ofThose(all []*profile.Profile) (some []*profile.Profile, err error) {
	if len(c.within) == 0 {
		return all, nil
	}
	wanted := map[*profile.Profile]bool{}
	for _, name := range c.within {
		found := false
		for _, p := range all {
			if isNamed(p, name) {
				wanted[p], found = true, true
			}
		}
		if !found {
			return nil, notInFile(c.target, name, all)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p *profile.Profile) bool { return !wanted[p] }), nil
}

// isNamed tells whether a process is meant by a pid, a name, or the path of its program.
func isNamed(p *profile.Profile, name string) bool {
	t := &p.Target
	if pid, err := strconv.Atoi(name); err == nil {
		return t.PID == pid
	}
	return name == t.Name || name == t.Path || t.Path != "" && name == path.Base(t.Path)
}

// notInFile is the error of a process that is not in a file, with those that are.
func notInFile(file, name string, all []*profile.Profile) error {
	var err error = &live.NoNameError{Name: name}
	if pid, notNumber := strconv.Atoi(name); notNumber == nil {
		err = &task.NoProcessError{PID: pid}
	}
	return fmt.Errorf("%s: %w: it has %s", file, err, processList(all))
}

// listedProcesses is how many processes a line names.
const listedProcesses = 10

// processList names the first processes.
func processList(all []*profile.Profile) string {
	var names []string
	for _, p := range all[:min(len(all), listedProcesses)] {
		names = append(names, fmt.Sprintf("%s [%d]", format.Printable(p.Target.Name), p.Target.PID))
	}
	list := strings.Join(names, ", ")
	if more := len(all) - listedProcesses; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
